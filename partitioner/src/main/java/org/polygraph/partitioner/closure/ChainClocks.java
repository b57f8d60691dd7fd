package org.polygraph.partitioner.closure;

import java.util.Arrays;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.graph.RealTime;

/**
 * Exact reachability: {@code row(v)[s]} = how many events of chain s strictly reach v. Sessions are chains, so a reaches
 * v iff {@code row(v)[chain(a)] > position(a)}.
 *
 * <p>One pass in topological order, which is a wavefront: k chain heads, each waiting for at most one event of another
 * chain; a deadlock is a cycle. A predecessor that the row already covers is skipped and its edge is dropped from the
 * graph (97 % of WR edges at 5M transactions). Later rounds only touch rows that grow.
 *
 * <p>Where real time is part of the graph the rows have it too ({@link Thresholds}, from {@link TimeBounds}). That takes as
 * many cells as ever, where {@link WindowClosure} takes a few, but rules that go by session stay what they are: right for few
 * sessions that write the same keys all the time, where all that overlaps is of interest.
 *
 * <p>Memory: {@link ClockRows} (4 bytes times events times chains; with many short chains 1 or 2), and 4 an event; 12 more with
 * real time. Time: the same, times the non-redundant edges an event.
 */
public final class ChainClocks implements Closure {
    private static final int CHECK_EVERY = 1 << 16;

    private final KnownGraph graph;
    private final Events events;
    private final int chains;
    private final ClockRows rows;

    private final int[] done;
    private final long[] changed;
    /** By event: the sum of its row. Kept because those who sort by it would have to fetch all rows. */
    private final int[] ancestors;

    private boolean first = true;
    private @Nullable TimeBounds bounds;

    private ChainClocks(KnownGraph graph, ClockRows rows, int[] ancestors, long[] changed) {
        this.graph = graph;
        this.events = graph.events();
        this.chains = events.chains();
        this.rows = rows;
        this.done = new int[chains];
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

    /** As {@link #of(KnownGraph)}, an int a cell whatever there is of sessions. */
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

    /**
     * Clocks that were computed elsewhere.
     *
     * @param rows by chain, an int a cell, see {@link #rows(int)}; exact
     * @param ancestors any numbers that ascend along what rows say, see {@link #ancestors}
     * @param changed see {@link #changed}
     */
    public static ChainClocks of(KnownGraph graph, int[][] rows, int[] ancestors, long[] changed) {
        ChainClocks clocks = new ChainClocks(graph, new IntRows(rows), ancestors, changed);
        clocks.first = false;
        return clocks;
    }

    @Override
    public Result restore(long[] changedThen, BooleanSupplier stop) {
        int indexed = graph.indexedEdges();
        graph.indexPredecessors();
        Arrays.fill(done, 0);
        if (isContradicted()) {
            return Result.CYCLIC;
        }
        if (!new Wavefront(new long[(graph.edges() + 63) >> 6], new long[0], 0, thresholds()).run(stop)) {
            return Result.STOPPED;
        }
        for (int s = 0; s < chains; s++) {
            if (done[s] < events.chainLength(s)) {
                return Result.CYCLIC;
            }
        }
        graph.restoreIndexed(indexed);
        System.arraycopy(changedThen, 0, changed, 0, changed.length);
        first = false;
        return Result.EXACT;
    }

    /**
     * Makes the rows exact for all edges now in the graph and drops redundant ones from it.
     *
     * @param stop asked now and then; true ends the update
     */
    @Override
    public Result update(BooleanSupplier stop) {
        int known = first ? 0 : graph.indexedEdges();
        long[] fresh = new long[changed.length];
        for (int e = known; e < graph.edges(); e++) {
            fresh[graph.to(e) >> 6] |= 1L << graph.to(e);
        }
        graph.indexPredecessors();
        Arrays.fill(done, 0);
        if (isContradicted()) {
            return Result.CYCLIC;
        }
        long[] keep = new long[(graph.edges() + 63) >> 6];
        Arrays.fill(changed, 0);
        Wavefront wavefront = new Wavefront(keep, fresh, known, thresholds());
        boolean stopped = !wavefront.run(stop);
        if (stopped) {
            return Result.STOPPED;
        }
        for (int s = 0; s < chains; s++) {
            if (done[s] < events.chainLength(s)) {
                return Result.CYCLIC;
            }
        }
        graph.retain(keep);
        first = false;
        return Result.EXACT;
    }

    /** Finds the bounds of real time, if there is any. @return whether it contradicts the edges, or they have a cycle */
    private boolean isContradicted() {
        RealTime time = graph.realTime();
        if (time == null) {
            return false;
        }
        int[] sequence = TopologicalOrder.sequence(graph, done);
        if (sequence == null) {
            return true;
        }
        TimeBounds found = new TimeBounds(graph, time, sequence);
        bounds = found;
        if (found.isContradicted()) {
            found.addClosingEdges();
            return true;
        }
        Arrays.fill(done, 0);
        return false;
    }

    private @Nullable Thresholds thresholds() {
        return graph.realTime() == null ? null : new Thresholds(events, bounds());
    }

    /** After {@link Result#CYCLIC}: how many events of each chain precede the cycles. */
    public int[] done() {
        return done;
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

    /** To how many others nothing is known of an event's place, on average: the rows must be exact. O(events). */
    public double freedom() {
        long pairs = 0;
        for (int count : ancestors) {
            pairs += count;
        }
        return freedom(pairs, events.count());
    }

    /** As {@link #freedom()}, of so many pairs of events of which one reaches the other. */
    public static double freedom(long pairs, int events) {
        return events == 0 ? 0 : events - 1 - 2.0 * pairs / events;
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

    /** The cells, for kernels. */
    public ClockRows rows() {
        return rows;
    }

    @Override
    public boolean reaches(int a, int b) {
        int chainA = events.chain(a);
        int chainB = events.chain(b);
        return rows.get(chainB, (b - events.chainStart(chainB)) * rows.stride() + chainA)
                > a - events.chainStart(chainA);
    }

    private final class Wavefront {
        private final long[] keep;
        private final long[] fresh;
        private final int known;
        private final @Nullable Thresholds thresholds;
        private final int[] waiterHead = new int[chains];
        private final int[] waiterNext = new int[chains];
        private final int[] waitPosition = new int[chains];
        private final int[] runnable = new int[chains];
        private int runnables;

        Wavefront(long[] keep, long[] fresh, int known, @Nullable Thresholds thresholds) {
            this.keep = keep;
            this.fresh = fresh;
            this.known = known;
            this.thresholds = thresholds;
        }

        /** @return false if stopped */
        boolean run(BooleanSupplier stop) {
            Arrays.fill(waiterHead, -1);
            for (int s = chains - 1; s >= 0; s--) {
                runnable[runnables++] = s;
            }
            int sinceCheck = 0;
            while (runnables > 0) {
                int s = runnable[--runnables];
                int before = done[s];
                int blockedBy = first ? runFirst(s) : runLater(s);
                if (blockedBy >= 0) {
                    waiterNext[s] = waiterHead[blockedBy];
                    waiterHead[blockedBy] = s;
                }
                wake(s);
                sinceCheck += done[s] - before + 1;
                if (sinceCheck > CHECK_EVERY) {
                    sinceCheck = 0;
                    if (stop.getAsBoolean()) {
                        return false;
                    }
                }
            }
            return true;
        }

        private void wake(int s) {
            int waiter = waiterHead[s];
            int kept = -1;
            while (waiter >= 0) {
                int next = waiterNext[waiter];
                if (waitPosition[waiter] < done[s]) {
                    runnable[runnables++] = waiter;
                } else {
                    waiterNext[waiter] = kept;
                    kept = waiter;
                }
                waiter = next;
            }
            waiterHead[s] = kept;
        }

        /** The chain that holds a predecessor of v not yet done, or -1. */
        private int blocker(int s, int v) {
            int[] starts = graph.predecessorStarts();
            int[] edges = graph.predecessorEdges();
            int[] sources = graph.sources();
            for (int i = starts[v]; i < starts[v + 1]; i++) {
                int p = sources[edges[i]];
                int chain = events.chain(p);
                int position = p - events.chainStart(chain);
                if (position >= done[chain]) {
                    waitPosition[s] = position;
                    return chain;
                }
            }
            return -1;
        }

        /** Runs a chain until it ends or waits. @return the chain it waits for, or -1 */
        private int runFirst(int s) {
            int[] starts = graph.predecessorStarts();
            int[] edges = graph.predecessorEdges();
            int[] sources = graph.sources();
            int stride = rows.stride();
            int start = events.chainStart(s);
            int length = events.chainLength(s);
            for (int position = done[s]; position < length; position++) {
                int v = start + position;
                int blocked = blocker(s, v);
                if (blocked >= 0) {
                    return blocked;
                }
                int base = position * stride;
                if (position > 0) {
                    rows.copyFromPrevious(s, base);
                }
                rows.put(s, base + s, position);
                if (thresholds != null) {
                    thresholds.raise(s, v, position == 0, rows, base);
                }
                for (int i = starts[v]; i < starts[v + 1]; i++) {
                    int p = sources[edges[i]];
                    int chain = events.chain(p);
                    int q = p - events.chainStart(chain);
                    if (rows.get(s, base + chain) <= q) {
                        keep[edges[i] >> 6] |= 1L << edges[i];
                        rows.merge(s, base, chain, q * stride);
                        rows.put(s, base + chain, q + 1);
                    }
                }
                ancestors[v] = rows.sum(s, base);
                done[s] = position + 1;
            }
            return -1;
        }

        private int runLater(int s) {
            int[] starts = graph.predecessorStarts();
            int[] edges = graph.predecessorEdges();
            int[] sources = graph.sources();
            int stride = rows.stride();
            int start = events.chainStart(s);
            int length = events.chainLength(s);
            boolean previousChanged = done[s] > 0 && hasChanged(start + done[s] - 1);
            for (int position = done[s]; position < length; position++) {
                int v = start + position;
                int blocked = blocker(s, v);
                if (blocked >= 0) {
                    return blocked;
                }
                int base = position * stride;
                boolean grows = false;
                if (previousChanged) {
                    grows = rows.mergeGrows(s, base, s, base - stride);
                }
                if (thresholds != null) {
                    grows |= thresholds.raise(s, v, position == 0, rows, base);
                }
                boolean hasFresh = (fresh[v >> 6] & (1L << v)) != 0;
                for (int i = starts[v]; i < starts[v + 1]; i++) {
                    int e = edges[i];
                    int p = sources[e];
                    if (e < known) {
                        keep[e >> 6] |= 1L << e;
                        if (!hasChanged(p)) {
                            continue;
                        }
                        int chain = events.chain(p);
                        grows |= rows.mergeGrows(s, base, chain, (p - events.chainStart(chain)) * stride);
                    } else if (hasFresh) {
                        int chain = events.chain(p);
                        int q = p - events.chainStart(chain);
                        if (rows.get(s, base + chain) <= q) {
                            keep[e >> 6] |= 1L << e;
                            rows.merge(s, base, chain, q * stride);
                            rows.put(s, base + chain, q + 1);
                            grows = true;
                        }
                    }
                }
                if (grows) {
                    changed[v >> 6] |= 1L << v;
                    ancestors[v] = rows.sum(s, base);
                }
                previousChanged = grows;
                done[s] = position + 1;
            }
            return -1;
        }
    }
}
