package org.polygraph.jobs.windows;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.polygraph.jobs.certificate.format.Guarantee;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.SplitMix;

class RealTimeBoundsTest {
    private static final long SEED = 0x71e5;

    private static long time(SplitMix random) {
        return random.nextInt(5) == 0 ? HistoryTable.NO_TIME : random.nextInt(40);
    }

    @Test
    void boundsAreThoseOfAScan() {
        SplitMix random = new SplitMix(SEED);
        for (int i = 0; i < 2_000; i++) {
            Terms terms = new Terms(Guarantee.SSI, random.nextInt(4), IndeterminateMode.MAYBE);
            int count = random.nextInt(8);
            long[] starts = LongStream.range(0, count).map(n -> time(random)).toArray();
            long[] ends = LongStream.range(0, count).map(n -> time(random)).toArray();
            long start = time(random);
            long end = time(random);
            int before = -1;
            int behind = count;
            for (int n = 0; n < count; n++) {
                before = terms.precedes(ends[n], start) ? n : before;
                behind = behind == count && terms.precedes(end, starts[n]) ? n : behind;
            }
            RealTimeBounds bounds = new RealTimeBounds(starts, ends, terms);
            assertThat(bounds.lastBefore(start))
                    .as("seed %d, round %d", SEED, i)
                    .isEqualTo(before);
            assertThat(bounds.firstBehind(end)).as("seed %d, round %d", SEED, i).isEqualTo(behind);
        }
    }

    /** A scan for each time takes minutes here. */
    @Test
    @Timeout(60)
    void manyTimes() {
        int count = 1_000_000;
        long[] times = LongStream.range(0, count).toArray();
        RealTimeBounds bounds = new RealTimeBounds(times.clone(), times.clone(), Terms.of(Guarantee.SSI));
        assertThat(LongStream.range(0, count)
                        .filter(time -> bounds.lastBefore(time) != time - 1 || bounds.firstBehind(time) != time + 1))
                .isEmpty();
    }
}
