package org.polygraph.jobs.windows;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;

/**
 * Windows that are repaired in a round.
 *
 * @param windows ascending and disjoint
 * @param left by cell: the number of its violated operations that these windows leave to others
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record RoundWindows(List<WindowStore.Range> windows, long[] left) {
    /** Windows of two cells with violated operations. */
    static List<WindowStore.Range> ofCells(long[] firsts, long[] violated, int shift) {
        List<WindowStore.Range> windows = new ArrayList<>();
        for (int c = -shift; c < violated.length; c += 2) {
            int from = Math.max(0, c);
            int to = Math.min(violated.length, c + 2);
            if (Arrays.stream(violated, from, to).sum() > 0) {
                windows.add(new WindowStore.Range(firsts[from], firsts[to]));
            }
        }
        return windows;
    }

    /** Windows of two cells with violated operations that share no cell with other windows. */
    static List<WindowStore.Range> ofOtherCells(
            long[] firsts, long[] violated, int shift, List<WindowStore.Range> others) {
        BitSet taken = new BitSet();
        for (WindowStore.Range other : others) {
            taken.set(DealTask.cellOf(firsts, other.from()), DealTask.cellOf(firsts, other.to() - 1) + 1);
        }
        List<WindowStore.Range> windows = ofCells(firsts, violated, shift);
        windows.removeIf(window -> {
            int next = taken.nextSetBit(DealTask.cellOf(firsts, window.from()));
            return next >= 0 && next <= DealTask.cellOf(firsts, window.to() - 1);
        });
        return windows;
    }

    /** A violated operation, at a place, and the window around it. */
    private record Wanted(long place, WindowStore.Range window) {}

    /**
     * Windows around violated operations. The window of a read has the fewest places that have to change. The window of a write has the
     * places from the snapshot to the commit of its transaction. Both have a margin on both sides. Windows that overlap are joined.
     *
     * @param most places of a window; longer ones are left out
     */
    static RoundWindows around(
            WindowStore store,
            List<CheckTask.Result> results,
            List<SourceTask.Sources[]> sources,
            long margin,
            long most) {
        List<Wanted> wanted = new ArrayList<>();
        for (int s = 0; s < sources.size(); s++) {
            List<CheckTask.Read> reads = results.get(s).named();
            for (int i = 0; i < reads.size(); i++) {
                SourceTask.Sources source = sources.get(s)[i];
                wanted.add(new Wanted(reads.get(i).place(), window(store, source.from(), source.to() + 1, margin)));
            }
            for (WindowStore.Range overlap : results.get(s).overlaps()) {
                wanted.add(new Wanted(overlap.from(), window(store, overlap.from(), overlap.to(), margin)));
            }
        }
        wanted.sort(Comparator.comparingLong(each -> each.window.from()));
        List<WindowStore.Range> joined = new ArrayList<>();
        for (Wanted each : wanted) {
            WindowStore.Range window = each.window;
            WindowStore.Range last = joined.isEmpty() ? null : joined.get(joined.size() - 1);
            if (window.size() > most) {
                continue;
            }
            if (last != null && window.from() <= last.to()) {
                joined.set(joined.size() - 1, new WindowStore.Range(last.from(), Math.max(window.to(), last.to())));
            } else {
                joined.add(window);
            }
        }
        joined.removeIf(window -> window.size() > most);
        long[] left = new long[store.cellCount()];
        int next = 0;
        for (Wanted each : wanted) {
            while (next < joined.size() && joined.get(next).to() <= each.window.from()) {
                next++;
            }
            boolean isIn = next < joined.size()
                    && joined.get(next).from() <= each.window.from()
                    && each.window.to() <= joined.get(next).to();
            left[store.cellOf(each.place)] += isIn ? 0 : 1;
        }
        return new RoundWindows(joined, left);
    }

    private static WindowStore.Range window(WindowStore store, long from, long to, long margin) {
        return new WindowStore.Range(Math.max(0, from - margin), Math.min(store.places(), to + margin));
    }
}
