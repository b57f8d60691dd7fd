package org.polygraph.jobs.windows;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** Which windows are repaired in a round; ascending and disjoint. */
final class RoundWindows {
    private RoundWindows() {}

    /** Windows of two cells with violated reads. */
    static List<WindowStore.Range> ofCells(WindowStore store, long[] violated, int shift) {
        long[] firsts = store.firsts();
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

    /**
     * Windows around violated operations. The window of a read has the fewest places that have to change. The window of a write has the
     * places from the snapshot to the commit of its transaction. Both have a margin on both sides. Windows that overlap are joined.
     *
     * @param most places of a window; longer ones are left out
     */
    static List<WindowStore.Range> around(
            WindowStore store,
            List<CheckTask.Result> results,
            List<SourceTask.Sources[]> sources,
            long margin,
            long most) {
        List<WindowStore.Range> windows = new ArrayList<>();
        for (int s = 0; s < sources.size(); s++) {
            List<CheckTask.Read> reads = results.get(s).named();
            for (int i = 0; i < reads.size(); i++) {
                SourceTask.Sources source = sources.get(s)[i];
                windows.add(new WindowStore.Range(
                        Math.max(0, source.from() - margin), Math.min(store.places(), source.to() + 1 + margin)));
            }
            for (WindowStore.Range overlap : results.get(s).overlaps()) {
                windows.add(new WindowStore.Range(
                        Math.max(0, overlap.from() - margin), Math.min(store.places(), overlap.to() + margin)));
            }
        }
        windows.removeIf(window -> window.size() > most);
        windows.sort(Comparator.comparingLong(WindowStore.Range::from));
        List<WindowStore.Range> joined = new ArrayList<>();
        for (WindowStore.Range window : windows) {
            WindowStore.Range last = joined.isEmpty() ? null : joined.get(joined.size() - 1);
            if (last != null && window.from() <= last.to()) {
                joined.set(joined.size() - 1, new WindowStore.Range(last.from(), Math.max(window.to(), last.to())));
            } else {
                joined.add(window);
            }
        }
        joined.removeIf(window -> window.size() > most);
        return joined;
    }
}
