package org.polygraph.partitioner.graph;

import it.unimi.dsi.fastutil.longs.LongArrays;
import org.polygraph.partitioner.index.Counting;
import org.polygraph.storage.columnar.HistoryTable;
import org.polygraph.storage.model.Outcome;

/**
 * Real-time order as edges: u before v iff u had ended when v started, strictly, after both intervals are widened by the
 * clock skew. The end of an indeterminate transaction bounds nothing, its start does.
 *
 * <p>Only edges that no others imply are added: v needs u iff nothing lies between them, that is iff no w ended before v
 * started and started after u ended. That leaves at most one edge a session that is not idle around v's start.
 *
 * <p>Time: two sorts. Memory: 24 bytes a transaction while it works.
 */
public final class RealTimeEdges {
    private RealTimeEdges() {}

    /**
     * Adds the edges to a graph, as its next round.
     *
     * @param skewNanos bound on the difference of any two clocks, 0 or more
     * @param most gives up beyond so many edges; then the graph has some of them, all true
     * @return whether all of them were added; false also if the history has no times, or if an optional transaction's
     *     start cannot be an edge because its session goes on at an earlier or unknown time: if it does not commit, the
     *     edge would bind what follows it
     */
    public static boolean add(KnownGraph graph, HistoryTable table, Counting counting, long skewNanos, long most) {
        long[] starts = table.starts();
        long[] ends = table.ends();
        if (starts == null || ends == null) {
            return false;
        }
        graph.beginRealTime();
        Events events = graph.events();
        int n = table.transactions();
        byte committed = Outcome.COMMITTED.code();
        int[] byStart = new int[n];
        int[] byEnd = new int[n];
        int started = 0;
        int ended = 0;
        boolean complete = true;
        for (int t = 0; t < n; t++) {
            if (counting.of(t) == Counting.OPTIONAL && starts[t] != HistoryTable.NO_TIME) {
                if (startsAscendFrom(t, table, counting)) {
                    byStart[started++] = t;
                } else {
                    complete = false;
                }
            }
            if (counting.isCounted(t)) {
                if (starts[t] != HistoryTable.NO_TIME) {
                    byStart[started++] = t;
                }
                if (ends[t] != HistoryTable.NO_TIME && table.outcomes()[t] == committed) {
                    byEnd[ended++] = t;
                }
            }
        }
        sort(byStart, started, starts);
        sort(byEnd, ended, ends);
        int before = graph.edges();
        long steps = 0;
        int finished = 0;
        // The latest start among what has ended: anything that ended before it precedes v through that transaction.
        long latest = Long.MIN_VALUE;
        long slack = Math.max(0, Math.min(skewNanos, Long.MAX_VALUE / 8)) * 2;
        for (int i = 0; i < started; i++) {
            int v = byStart[i];
            while (finished < ended && precedes(ends[byEnd[finished]], starts[v], slack)) {
                int w = byEnd[finished++];
                if (starts[w] != HistoryTable.NO_TIME) {
                    latest = Math.max(latest, starts[w]);
                }
            }
            for (int j = finished - 1; j >= 0; j--, steps++) {
                int u = byEnd[j];
                if (latest != Long.MIN_VALUE && precedes(ends[u], latest, slack)) {
                    break;
                }
                // A session that runs against time contradicts itself: u is after v there, and this closes the cycle.
                if (events.chainsByTransaction()[u] != events.chainsByTransaction()[v] || u > v) {
                    graph.add(events.commit(u), events.begin(v));
                }
            }
            if (graph.edges() - before > most || steps / 4 > most) {
                return false;
            }
        }
        return complete;
    }

    /** Whether what follows in the session started no earlier, so that an edge into t tells it nothing new. */
    private static boolean startsAscendFrom(int t, HistoryTable table, Counting counting) {
        long[] starts = table.starts();
        int end = table.sessionStarts()[table.sessionOf(t) + 1];
        for (int next = t + 1; next < end && starts != null; next++) {
            if (counting.of(next) != Counting.DROPPED
                    && (starts[next] == HistoryTable.NO_TIME || starts[next] < starts[t])) {
                return false;
            }
        }
        return true;
    }

    private static boolean precedes(long end, long start, long slack) {
        // The difference is unsigned: from end < start on it is right even where it does not fit 63 bits.
        return end < start && Long.compareUnsigned(start - end, slack) > 0;
    }

    private static void sort(int[] transactions, int count, long[] times) {
        long[] keys = new long[count];
        for (int i = 0; i < count; i++) {
            keys[i] = times[transactions[i]];
        }
        int[] permutation = new int[count];
        for (int i = 0; i < count; i++) {
            permutation[i] = i;
        }
        LongArrays.radixSortIndirect(permutation, keys, true);
        int[] sorted = new int[count];
        for (int i = 0; i < count; i++) {
            sorted[i] = transactions[permutation[i]];
        }
        System.arraycopy(sorted, 0, transactions, 0, count);
    }
}
