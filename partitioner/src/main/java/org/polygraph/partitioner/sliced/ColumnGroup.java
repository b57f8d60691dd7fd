package org.polygraph.partitioner.sliced;

import java.nio.IntBuffer;
import java.util.Arrays;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.closure.ChainClocks;
import org.polygraph.partitioner.graph.Events;

/**
 * Some columns of the {@link ChainClocks} of a graph: how many events of each of these chains strictly reach an event.
 * Once the order in which chains advance is fixed, columns do not depend on each other. Groups of columns can therefore
 * be computed in different processes, in buffers that may be mapped files.
 *
 * <p>The group decides by its own columns whether an edge from one of its chains is redundant. It merges every edge
 * from another chain, redundant or not, which reads one cache line more an edge. Exactly one group decides about each
 * edge, and its result is that of {@link ChainClocks#update}.
 *
 * <p>Memory: 4 bytes times events times columns in the buffers, and a bit for each event and edge. Time: proportional
 * to the columns times the events and the edges that are merged.
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
     * A group whose columns are not yet computed.
     *
     * @param chainStarts the first event of each chain, and the number of events
     * @param from the first chain of the group
     * @param to one more than the last chain of the group
     * @param turns {@link ClosurePlan#turns}
     * @param starts {@link ClosurePlan#starts}
     * @param sources by predecessor edge
     * @param fresh a bit for each predecessor edge: whether it may be redundant
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
     * @param rows the result by chain: the row of the event at position p starts at int p * (to - from)
     * @param before the rows of the graph before it grew, or null
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

    /** A bit for each predecessor edge that is fresh, from a chain of this group and not redundant. */
    public long[] kept() {
        return kept;
    }

    /** A bit for each event whose columns in this group have changed; none if there were no earlier rows. */
    public long[] changed() {
        return changed;
    }

    /**
     * What this group adds to the ranks of events, see EventOrder: a rank is the sum over all groups.
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
