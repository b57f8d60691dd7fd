package org.polygraph.jobs.windows;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.polygraph.storage.testkit.SplitMix;

class RoundWindowsTest {
    private static final long SEED = 0xce115;
    private static final int PLACES_OF_CELL = 10;

    private static long[] firsts(int cells) {
        return LongStream.rangeClosed(0, cells).map(c -> c * PLACES_OF_CELL).toArray();
    }

    private static boolean shareACell(WindowStore.Range one, WindowStore.Range other) {
        return one.from() / PLACES_OF_CELL <= (other.to() - 1) / PLACES_OF_CELL
                && other.from() / PLACES_OF_CELL <= (one.to() - 1) / PLACES_OF_CELL;
    }

    /** Disjoint windows at random places. */
    private static List<WindowStore.Range> windows(SplitMix random, int places) {
        List<WindowStore.Range> windows = new ArrayList<>();
        for (int at = random.nextInt(50); at < places - 30; at += 31 + random.nextInt(60)) {
            windows.add(new WindowStore.Range(at, at + 1 + random.nextInt(30)));
        }
        return windows;
    }

    @Test
    void windowsOfOtherCellsShareNoCellWithOthers() {
        SplitMix random = new SplitMix(SEED);
        for (int i = 0; i < 200; i++) {
            long[] firsts = firsts(20);
            long[] violated =
                    LongStream.range(0, 20).map(c -> random.nextInt(2)).toArray();
            List<WindowStore.Range> others = windows(random, 20 * PLACES_OF_CELL);
            int shift = random.nextInt(2);
            List<WindowStore.Range> expected = new ArrayList<>(RoundWindows.ofCells(firsts, violated, shift));
            expected.removeIf(window -> others.stream().anyMatch(other -> shareACell(window, other)));
            assertThat(RoundWindows.ofOtherCells(firsts, violated, shift, others))
                    .as("seed " + SEED + ", round " + i)
                    .isEqualTo(expected);
        }
    }

    /** Each window was compared with all others, which takes minutes here. */
    @Test
    @Timeout(60)
    void manyWindowsOfOtherCells() {
        int cells = 1_000_000;
        long[] violated = new long[cells];
        Arrays.fill(violated, 1);
        List<WindowStore.Range> others = new ArrayList<>();
        for (long c = 0; c < cells; c += 4) {
            others.add(new WindowStore.Range(c * PLACES_OF_CELL, c * PLACES_OF_CELL + 1));
        }
        assertThat(RoundWindows.ofOtherCells(firsts(cells), violated, 0, others))
                .hasSize(cells / 4);
    }
}
