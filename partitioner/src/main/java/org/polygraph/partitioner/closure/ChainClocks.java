package org.polygraph.partitioner.closure;

import java.util.Arrays;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.graph.RealTime;
import org.polygraph.storage.model.StoppedException;

/**
 * Exact reachability: {@code row(v)[s]} = how many events of chain s strictly reach v. Sessions are chains, so a
 * reaches v iff {@code row(v)[chain(a)] > position(a)}.
 *
 * <p>One pass in topological order. A predecessor that the row already covers is skipped and its edge is dropped from
 * the graph (97 % of WR edges at 5M transactions). Later rounds only touch rows that grow.
 *
 * <p>Where real time is part of the graph, the rows contain it too ({@link Thresholds}, from {@link TimeBounds}). Rows
 * still have a cell for each chain, whereas {@link TimeClosure} stores a few exceptions for each event, but the rules
 * can search by session. That is faster if few sessions write the same keys all the time, because then nearly all
 * overlapping transactions matter to a key.
 *
 * <p>Memory: {@link ClockRows} (4 bytes times events times chains; with many short chains 1 or 2), and 4 an event; 12
 * more with real time; while it is updated 4 more. Time: O(chains) for each event and each non-redundant edge.
 */
public final class ChainClocks implements Closure {
    private static final int CHECK_EVERY = 1 << 16;

    /**
     * With more sessions than this, of few events each, rows grow with the square of the history, and they order few
     * events.
     */
    private static final int MOST_SHORT = 10_000;

    private static final int FEW_EVENTS = 8;

    private final KnownGraph graph;
    private final Events events;
    private final int chains;
    private final ClockRows rows;

    private final long[] changed;
    /** By event: the sum of its row. Rules sort by it and would otherwise have to fetch all rows. */
    private final int[] ancestors;

    private boolean first = true;
    private @Nullable TimeBounds bounds;

    private ChainClocks(KnownGraph graph, ClockRows rows, int[] ancestors, long[] changed) {
        this.graph = graph;
        this.events = graph.events();
        this.chains = events.chains();
        this.rows = rows;
        this.changed = changed;
        this.ancestors = ancestors;
    }

    /** Bytes that the clocks of these events take; {@link Long#MAX_VALUE} if they cannot be held at all. */
    public static long bytes(Events events) {
        return withAncestors(ClockRows.bytes(events), events);
    }

    /** As {@link #bytes(Events)}, of {@link #plain} ones. */
    public static long plainBytes(Events events) {
        return withAncestors(IntRows.bytes(events), events);
    }

    /**
     * Whether rules decide enough reads to justify the cost of the clocks. 70,000 sessions of one transaction: 5 GB and
     * 11 CPU-s, and the solver is not faster.
     */
    public static boolean pay(long events, long chains) {
        return chains < MOST_SHORT || events >= FEW_EVENTS * chains;
    }

    /** Estimates {@link #bytes(Events)} for this many events in chains that are about equally long. */
    public static long bytes(long events, long chains) {
        return 4 * events + ClockRows.bytes(events, chains);
    }

    private static long withAncestors(long rows, Events events) {
        return rows == Long.MAX_VALUE ? rows : rows + 4L * events.count();
    }

    @Override
    public long bytes() {
        return bytes(events);
    }

    /** Allocates clocks; {@link #update} fills them. */
    public static ChainClocks of(KnownGraph graph) {
        return unfilled(graph, ClockRows.of(graph.events()));
    }

    /** As {@link #of(KnownGraph)}, with an int a cell however many sessions there are. */
    public static ChainClocks plain(KnownGraph graph) {
        return unfilled(graph, new IntRows(graph.events()));
    }

    static ChainClocks packed(KnownGraph graph, int bits) {
        return unfilled(graph, new PackedRows(graph.events(), bits));
    }

    private static ChainClocks unfilled(KnownGraph graph, ClockRows rows) {
        int count = graph.events().count();
        return new ChainClocks(graph, rows, new int[count], new long[(count + 63) >> 6]);
    }

    @Override
    public boolean update(BooleanSupplier stop) {
        int known = first ? 0 : graph.indexedEdges();
        int[] sequence = sequence();
        if (sequence == null) {
            return false;
        }
        long[] keep = new long[(graph.edges() + 63) >> 6];
        Arrays.fill(changed, 0);
        if (first) {
            fillRows(sequence, keep, stop);
        } else {
            growRows(sequence, keep, known, stop);
        }
        graph.retain(keep);
        first = false;
        return true;
    }

    /**
     * Indexes predecessors, finds the bounds of real time if there is any, and orders the events.
     *
     * @return null if the edges have a cycle or contradict real time
     */
    private int @Nullable [] sequence() {
        graph.indexPredecessors();
        RealTime time = graph.realTime();
        if (time == null) {
            return TopologicalOrder.byChain(graph);
        }
        int[] sequence = TopologicalOrder.fair(graph);
        if (sequence == null) {
            return null;
        }
        TimeBounds found = new TimeBounds(graph, time, sequence);
        bounds = found;
        if (found.isContradicted()) {
            found.addClosingEdges();
            return null;
        }
        return sequence;
    }

    private @Nullable Thresholds thresholds() {
        return graph.realTime() == null ? null : new Thresholds(events, bounds());
    }

    /** Computes all rows; {@code keep} gets a bit an edge that no other edge implies. */
    private void fillRows(int[] sequence, long[] keep, BooleanSupplier stop) {
        int[] starts = graph.predecessorStarts();
        int[] edges = graph.predecessorEdges();
        int[] sources = graph.sources();
        int stride = rows.stride();
        Thresholds thresholds = thresholds();
        for (int i = 0; i < sequence.length; i++) {
            if ((i & CHECK_EVERY - 1) == 0) {
                StoppedException.check(stop);
            }
            int v = sequence[i];
            int s = events.chain(v);
            int position = v - events.chainStart(s);
            int base = position * stride;
            if (position > 0) {
                rows.copyFromPrevious(s, base);
            }
            rows.put(s, base + s, position);
            if (thresholds != null) {
                thresholds.raise(s, v, position == 0, rows, base);
            }
            for (int j = starts[v]; j < starts[v + 1]; j++) {
                if (mergeUnlessImplied(s, base, sources[edges[j]])) {
                    keep[edges[j] >> 6] |= 1L << edges[j];
                }
            }
            ancestors[v] = rows.sum(s, base);
        }
    }

    /**
     * Merges the row of a predecessor into a row, unless the row already covers the predecessor.
     *
     * @return whether it was merged
     */
    private boolean mergeUnlessImplied(int s, int base, int predecessor) {
        int chain = events.chain(predecessor);
        int position = predecessor - events.chainStart(chain);
        if (rows.get(s, base + chain) > position) {
            return false;
        }
        rows.merge(s, base, chain, position * rows.stride());
        rows.put(s, base + chain, position + 1);
        return true;
    }

    /** Updates the rows that edges from {@code known} on make larger; {@code keep} gets a bit an edge that stays. */
    private void growRows(int[] sequence, long[] keep, int known, BooleanSupplier stop) {
        int[] starts = graph.predecessorStarts();
        int[] edges = graph.predecessorEdges();
        int[] sources = graph.sources();
        int stride = rows.stride();
        Thresholds thresholds = thresholds();
        for (int i = 0; i < sequence.length; i++) {
            if ((i & CHECK_EVERY - 1) == 0) {
                StoppedException.check(stop);
            }
            int v = sequence[i];
            int s = events.chain(v);
            int position = v - events.chainStart(s);
            int base = position * stride;
            boolean grows = position > 0 && hasChanged(v - 1) && rows.mergeGrows(s, base, s, base - stride);
            if (thresholds != null) {
                grows |= thresholds.raise(s, v, position == 0, rows, base);
            }
            for (int j = starts[v]; j < starts[v + 1]; j++) {
                int e = edges[j];
                int p = sources[e];
                if (e >= known) {
                    if (mergeUnlessImplied(s, base, p)) {
                        keep[e >> 6] |= 1L << e;
                        grows = true;
                    }
                    continue;
                }
                keep[e >> 6] |= 1L << e;
                if (hasChanged(p)) {
                    int chain = events.chain(p);
                    grows |= rows.mergeGrows(s, base, chain, (p - events.chainStart(chain)) * stride);
                }
            }
            if (grows) {
                changed[v >> 6] |= 1L << v;
                ancestors[v] = rows.sum(s, base);
            }
        }
    }

    /** The bounds of the last update of a graph with real time. */
    public TimeBounds bounds() {
        return Objects.requireNonNull(bounds, "no real time in the graph");
    }

    /** A bit an event: rows that the last update changed. */
    @Override
    public long[] changed() {
        return changed;
    }

    @Override
    public boolean hasChanged(int event) {
        return (changed[event >> 6] & (1L << event)) != 0;
    }

    /** By event: how many events strictly reach it. Ascending, it is a topological order. */
    public int[] ancestors() {
        return ancestors;
    }

    public int chains() {
        return chains;
    }

    /**
     * The rows of a chain of {@link #plain} clocks: event at position p has cells [p * chains, (p + 1) * chains).
     *
     * @throws IllegalStateException if they are packed
     */
    public int[] rows(int chain) {
        if (rows instanceof IntRows ints) {
            return ints.cells(chain);
        }
        throw new IllegalStateException(
                "the rows of " + chains + " chains are packed; plain clocks have arrays of ints");
    }

    /** The rows, for inner loops. */
    public ClockRows rows() {
        return rows;
    }

    @Override
    public int[] order() {
        RealTime time = graph.realTime();
        return time == null
                ? Objects.requireNonNull(EventOrder.byTurns(graph), "no cycle")
                : EventOrder.byTime(graph, time, bounds());
    }

    @Override
    public boolean reaches(int a, int b) {
        int chainA = events.chain(a);
        int chainB = events.chain(b);
        return rows.get(chainB, (b - events.chainStart(chainB)) * rows.stride() + chainA)
                > a - events.chainStart(chainA);
    }
}
