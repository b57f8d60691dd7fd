package org.polygraph.partitioner.order;

import it.unimi.dsi.fastutil.longs.LongArrays;
import it.unimi.dsi.fastutil.longs.LongHeapPriorityQueue;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.index.Counting;
import org.polygraph.storage.columnar.HistoryTable;
import org.polygraph.storage.model.Outcome;

/**
 * A topological order that also keeps real time, without an edge for it: the ends of transactions are a chain of ticks. A
 * tick passes when its transaction has been placed and the tick before it has passed; a transaction waits for as many
 * ticks as transactions had ended when it started. As {@link EventOrder#byTurns} otherwise.
 *
 * <p>Time: a sort, and a logarithm of the sessions an event. Memory: 28 bytes a transaction while it works.
 */
public final class RealTimeTurns {
    private final KnownGraph graph;
    private final Events events;
    private final HistoryTable table;
    private final Counting counting;
    private final long slack;

    /** By transaction: how many ticks it waits for; the tick that is its own end, or -1. */
    private final int[] needs;

    private final int[] ticks;
    private final long[] passing;
    private int passed;

    private final int[] done;
    private final int[] queue;
    private int head;
    private int size;
    // By session: the first that waits for one of its events, the next that waits for the same session, and for what.
    private final int[] waiterHead;
    private final int[] waiterNext;
    private final int[] waitPosition;
    private final LongHeapPriorityQueue tickWaiters = new LongHeapPriorityQueue();

    private RealTimeTurns(KnownGraph graph, HistoryTable table, Counting counting, long skewNanos) {
        this.graph = graph;
        this.events = graph.events();
        this.table = table;
        this.counting = counting;
        this.slack = Math.max(0, Math.min(skewNanos, Long.MAX_VALUE / 8)) * 2;
        needs = new int[table.transactions()];
        ticks = new int[table.transactions()];
        passing = new long[(table.transactions() >> 6) + 1];
        int k = events.chains();
        done = new int[k];
        queue = new int[k];
        waiterHead = new int[k];
        waiterNext = new int[k];
        waitPosition = new int[k];
        Arrays.fill(waiterHead, -1);
    }

    /**
     * Places all events.
     *
     * @param skewNanos bound on the difference of any two clocks, 0 or more
     * @return positions; null if there is no such order, if the history has no times, or if some transaction ended before
     *     it started: that does not refute anything
     */
    public static int @Nullable [] order(KnownGraph graph, HistoryTable table, Counting counting, long skewNanos) {
        long[] starts = table.starts();
        long[] ends = table.ends();
        if (starts == null || ends == null) {
            return null;
        }
        RealTimeTurns turns = new RealTimeTurns(graph, table, counting, skewNanos);
        turns.tick(starts, ends);
        return turns.place();
    }

    private void tick(long[] starts, long[] ends) {
        int n = ticks.length;
        int[] byEnd = new int[n];
        long[] times = new long[n];
        int count = 0;
        Arrays.fill(ticks, -1);
        for (int t = 0; t < n; t++) {
            // The end of an unknown outcome bounds nothing.
            if (counting.isCounted(t)
                    && table.outcomes()[t] == Outcome.COMMITTED.code()
                    && ends[t] != HistoryTable.NO_TIME) {
                times[count] = ends[t];
                byEnd[count++] = t;
            }
        }
        int[] order = new int[count];
        for (int i = 0; i < count; i++) {
            order[i] = i;
        }
        LongArrays.radixSortIndirect(order, times, 0, count, false);
        long[] sorted = new long[count];
        for (int i = 0; i < count; i++) {
            ticks[byEnd[order[i]]] = i;
            sorted[i] = times[order[i]];
        }
        int need = 0;
        for (int t = 0; t < n; t++) {
            if (counting.isCounted(t) && starts[t] != HistoryTable.NO_TIME) {
                need = ended(sorted, starts[t], need);
                needs[t] = need;
            }
        }
    }

    /** How many ended before a start; searched from a guess in steps that double. */
    private int ended(long[] sorted, long start, int guess) {
        int low = 0;
        int high = sorted.length;
        int at = guess;
        for (long step = 1; at < high && precedes(sorted[at], start); step *= 2) {
            low = at + 1;
            at = (int) Math.min(high, at + step);
        }
        high = at;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (precedes(sorted[middle], start)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private boolean precedes(long end, long start) {
        // The difference is unsigned: from end < start on it is right even where it does not fit 63 bits.
        return end < start && Long.compareUnsigned(start - end, slack) > 0;
    }

    private int @Nullable [] place() {
        graph.indexPredecessors();
        int[] position = new int[events.count()];
        for (int s = 0; s < queue.length; s++) {
            if (events.chainLength(s) > 0) {
                push(s);
            }
        }
        int placed = 0;
        while (size > 0) {
            int s = queue[head];
            head = head + 1 == queue.length ? 0 : head + 1;
            size--;
            int event = events.chainStart(s) + done[s];
            if (mustWait(s, event)) {
                continue;
            }
            position[event] = placed++;
            done[s]++;
            int t = events.transaction(event);
            if (event == events.commit(t) && ticks[t] >= 0) {
                pass(ticks[t]);
            }
            if (done[s] < events.chainLength(s)) {
                push(s);
            }
            wake(s);
        }
        return placed == position.length ? position : null;
    }

    private void push(int s) {
        int at = head + size++;
        queue[at >= queue.length ? at - queue.length : at] = s;
    }

    private boolean mustWait(int s, int event) {
        int t = events.transaction(event);
        if (event == events.begin(t) && needs[t] > passed) {
            tickWaiters.enqueue((long) needs[t] << 32 | s);
            return true;
        }
        int[] starts = graph.predecessorStarts();
        for (int i = starts[event]; i < starts[event + 1]; i++) {
            int before = graph.from(graph.predecessorEdges()[i]);
            int chain = events.chain(before);
            int place = before - events.chainStart(chain);
            if (place >= done[chain]) {
                waitPosition[s] = place;
                waiterNext[s] = waiterHead[chain];
                waiterHead[chain] = s;
                return true;
            }
        }
        return false;
    }

    private void pass(int tick) {
        passing[tick >> 6] |= 1L << tick;
        while ((passing[passed >> 6] & 1L << passed) != 0) {
            passed++;
        }
        while (!tickWaiters.isEmpty() && tickWaiters.firstLong() >>> 32 <= passed) {
            push((int) tickWaiters.dequeueLong());
        }
    }

    private void wake(int s) {
        int kept = -1;
        for (int w = waiterHead[s]; w >= 0; ) {
            int next = waiterNext[w];
            if (waitPosition[w] < done[s]) {
                push(w);
            } else {
                waiterNext[w] = kept;
                kept = w;
            }
            w = next;
        }
        waiterHead[s] = kept;
    }
}
