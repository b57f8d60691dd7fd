package org.polygraph.partitioner.sliced;

import java.nio.IntBuffer;
import java.util.Arrays;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.closure.ChainClocks;
import org.polygraph.partitioner.graph.Events;

/**
 * Some columns of the {@link ChainClocks} of a graph: how many events of each of these chains strictly reach an event.
 * Columns do not depend on each other, given the turns in which chains advance, so groups of them are computed anywhere,
 * in buffers that may be mapped files.
 *
 * <p>An edge from a chain of the group is redundant iff the group's own column says so; those from other chains are merged
 * unseen, one cache line each, which is what independence costs. Every edge is judged by exactly one group, and as
 * {@link ChainClocks#update} would.
 *
 * <p>Memory: 4 bytes times events times columns in the buffers, a bit an event and edge. Time: the columns of every event
 * and of every edge that is not redundant or not the group's.
 */
public final class ColumnGroup {
    private static final int CHECK_EVERY = 1 << 16;

    private final int[] chainStarts;
    private final int from;
    private final int to;
    private final IntBuffer turns;
    private final IntBuffer starts;
    private final IntBuffer sources;
    private final IntBuffer fresh;
    private final long[] kept;
    private final long[] changed;
    private long pairs;

    /**
     * Prepares.
     *
     * @param chainStarts the first event of each chain, and the number of events
     * @param from the first chain of the group
     * @param to after the last one
     * @param turns {@link ClosurePlan#turns}
     * @param starts {@link ClosurePlan#starts}
     * @param sources by predecessor edge
     * @param fresh a bit a predecessor edge, whether it is to be judged
     */
    public ColumnGroup(
            int[] chainStarts,
            int from,
            int to,
            IntBuffer turns,
            IntBuffer starts,
            IntBuffer sources,
            IntBuffer fresh) {
        this.chainStarts = chainStarts;
        this.from = from;
        this.to = to;
        this.turns = turns;
        this.starts = starts;
        this.sources = sources;
        this.fresh = fresh;
        this.kept = new long[(sources.limit() + 63) >> 6];
        this.changed = new long[(chainStarts[chainStarts.length - 1] + 63) >> 6];
    }

    /**
     * Computes the columns.
     *
     * @param rows by chain, to be filled: the event at position p has the ints from p * (to - from)
     * @param before the same of the graph before it grew, or null
     * @return false if stopped
     */
    public boolean close(IntBuffer[] rows, IntBuffer @Nullable [] before, BooleanSupplier stop) {
        int width = to - from;
        int[] row = new int[width];
        int[] other = new int[width];
        int[] done = new int[chainStarts.length - 1];
        int sinceCheck = 0;
        for (int turn = 0; turn < turns.limit(); turn += 2) {
            int s = turns.get(turn);
            int until = done[s] + turns.get(turn + 1);
            boolean own = s >= from && s < to;
            if (done[s] == 0) {
                Arrays.fill(row, 0);
            } else {
                rows[s].get((done[s] - 1) * width, row);
            }
            for (int position = done[s]; position < until; position++) {
                int v = chainStarts[s] + position;
                if (own) {
                    row[s - from] = position;
                }
                for (int i = starts.get(v), end = starts.get(v + 1); i < end; i++) {
                    merge(i, row, other, rows);
                }
                rows[s].put(position * width, row);
                for (int cell : row) {
                    pairs += cell;
                }
                if (before != null) {
                    before[s].get(position * width, other);
                    if (!Arrays.equals(row, other)) {
                        changed[v >> 6] |= 1L << v;
                    }
                }
            }
            sinceCheck += until - done[s];
            done[s] = until;
            if (sinceCheck > CHECK_EVERY) {
                sinceCheck = 0;
                if (stop.getAsBoolean()) {
                    return false;
                }
            }
        }
        return true;
    }

    private void merge(int edge, int[] row, int[] other, IntBuffer[] rows) {
        int source = sources.get(edge);
        int chain = Events.chainOf(chainStarts, source);
        int position = source - chainStarts[chain];
        boolean judged = chain >= from && chain < to;
        if (judged) {
            int column = chain - from;
            if ((fresh.get(edge >> 5) & 1 << edge) != 0) {
                if (row[column] > position) {
                    return;
                }
                kept[edge >> 6] |= 1L << edge;
            }
            row[column] = Math.max(row[column], position + 1);
        }
        rows[chain].get(position * row.length, other);
        for (int c = 0; c < row.length; c++) {
            row[c] = Math.max(row[c], other[c]);
        }
    }

    /** Pairs of events of which the first, of a chain of this group, strictly reaches the second. */
    public long pairs() {
        return pairs;
    }

    /** A bit a predecessor edge that is fresh, from a chain of this group and not redundant. */
    public long[] kept() {
        return kept;
    }

    /** A bit an event whose columns here are others than before; none if there was no before. */
    public long[] changed() {
        return changed;
    }

    /**
     * This group's part of the ranks that the order goes by, see EventOrder: they add up over the groups.
     *
     * @param rows what {@link #close} filled
     */
    public static int[] ranks(int[] chainStarts, int from, int to, IntBuffer[] rows) {
        int width = to - from;
        int[] rank = new int[chainStarts[chainStarts.length - 1]];
        int[] row = new int[width];
        int[] seen = new int[width];
        for (int s = 0; s + 1 < chainStarts.length; s++) {
            int start = chainStarts[s];
            int length = chainStarts[s + 1] - start;
            boolean own = s >= from && s < to;
            Arrays.fill(seen, 0);
            for (int p = 0; p < length; p++) {
                rows[s].get(p * width, row);
                int ancestors = 0;
                for (int c = 0; c < width; c++) {
                    int bound = row[c];
                    ancestors += bound;
                    if (bound > seen[c]) {
                        if (from + c != s) {
                            int first = chainStarts[from + c];
                            for (int q = seen[c]; q < bound; q++) {
                                rank[first + q] -= length - p;
                            }
                        }
                        seen[c] = bound;
                    }
                }
                rank[start + p] += own ? ancestors - (length - 1 - p) : ancestors;
            }
        }
        return rank;
    }
}
