package org.polygraph.partitioner.sliced;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.nio.IntBuffer;
import org.polygraph.partitioner.closure.TimeBounds;
import org.polygraph.partitioner.closure.Window;
import org.polygraph.partitioner.closure.WindowClosure;
import org.polygraph.partitioner.closure.WindowPlan;
import org.polygraph.partitioner.graph.Events;

/**
 * The rows of all {@link Window}s of a graph and the bounds of its events, which together are a {@link WindowClosure}.
 * Thread-safe.
 */
public final class WindowedRows implements SlicedClosure {
    private final int[] chainStarts;
    private final int[] borders;
    private final IntBuffer earliestEnd;
    private final IntBuffer latestStart;
    private final IntBuffer[] rows;

    /**
     * Joins the rows of all windows.
     *
     * @param chainStarts the first event of each chain, and the number of events
     * @param borders {@link WindowPlan#borders}
     * @param earliestEnd {@link TimeBounds#earliestEnd}
     * @param latestStart {@link TimeBounds#latestStart}
     * @param rows by window, {@link Window#rows}
     */
    public WindowedRows(
            int[] chainStarts, int[] borders, IntBuffer earliestEnd, IntBuffer latestStart, IntBuffer[] rows) {
        this.chainStarts = chainStarts;
        this.borders = borders;
        this.earliestEnd = earliestEnd;
        this.latestStart = latestStart;
        this.rows = rows;
    }

    /** See {@link TimeBounds#earliestEnd}. */
    public int earliestEnd(int event) {
        return earliestEnd.get(event);
    }

    /** See {@link TimeBounds#latestStart}. */
    public int latestStart(int event) {
        return latestStart.get(event);
    }

    /** The index of the last of some ascending numbers that is not above a bound. */
    private static int lastUpTo(int[] numbers, int bound) {
        int low = 0;
        int high = numbers.length;
        while (high - low > 1) {
            int middle = (low + high) >>> 1;
            if (numbers[middle] <= bound) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /**
     * Copies the exceptions of an event's row, ascending: each of them, and all events before it in its chain, reach
     * the event.
     *
     * @param target an array with a place for each chain
     * @return the number of exceptions
     */
    public int row(int event, int[] target) {
        IntBuffer window = rows[lastUpTo(borders, latestStart.get(event))];
        int n = window.get(0);
        int at = find(window, event, n);
        int from = window.get(1 + n + at);
        int length = window.get(1 + n + at + 1) - from;
        window.get(from, target, 0, length);
        return length;
    }

    private static int find(IntBuffer window, int event, int n) {
        int low = 0;
        int high = n;
        while (high - low > 1) {
            int middle = (low + high) >>> 1;
            if (window.get(1 + middle) <= event) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return low;
    }

    @Override
    public boolean reaches(int a, int b) {
        if (earliestEnd.get(a) < latestStart.get(b)) {
            return true;
        }
        int chain = Events.chainOf(chainStarts, a);
        if (b >= chainStarts[chain] && b < chainStarts[chain + 1]) {
            return a < b;
        }
        int[] row = new int[chains()];
        int length = row(b, row);
        for (int i = 0; i < length; i++) {
            if (row[i] >= a) {
                return row[i] < chainStarts[chain + 1];
            }
        }
        return false;
    }

    @Override
    public int chains() {
        return chainStarts.length - 1;
    }

    /** The first event of each chain, and the number of events. */
    public int[] chainStarts() {
        return chainStarts;
    }

    /**
     * The events of a window whose rows changed.
     *
     * @param made {@link Window#rows} of the graph after it grew
     */
    public int[] differing(IntBuffer made) {
        int n = made.get(0);
        IntArrayList differing = new IntArrayList();
        int[] before = new int[chains()];
        for (int i = 0; i < n; i++) {
            int length = row(made.get(1 + i), before);
            int from = made.get(1 + n + i);
            boolean same = made.get(1 + n + i + 1) - from == length;
            for (int j = 0; j < length && same; j++) {
                same = made.get(from + j) == before[j];
            }
            if (!same) {
                differing.add(made.get(1 + i));
            }
        }
        return differing.toIntArray();
    }
}
