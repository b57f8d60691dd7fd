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
 * Exact reachability where real time is part of the graph: a threshold and exceptions. Event a reaches v iff
 * {@code earliestEnd(a) < latestStart(v)} (see {@link TimeBounds}), or it does over the graph's own edges alone. Of the
 * latter, row(v) holds those that the threshold does not cover: by chain, the last event that reaches v over these
 * edges and whose earliest end is not below {@code latestStart(v)}. Such events overlap v or what reaches v, so rows
 * are short, however many sessions there are; a long transaction is only in the rows of events that it reaches.
 *
 * <p>An update passes over all events again, in a topological order: rows of predecessors are merged, and events that
 * the row's own threshold covers are left out. None of them is missed: assume that a belongs to the row of v, so that
 * {@code earliestEnd(a) >= latestStart(v)}, and w is on a path between them. Both bounds ascend along paths, so
 * {@code earliestEnd(a) >= latestStart(w)}, and a is in the row of w too.
 *
 * <p>Time: O(events + edges) merges of short rows. Memory: 12 bytes an event of {@link TimeBounds}, 4 for the place of
 * its row, 4 an exception and 4 a row that has any (twice while an update runs), and real time itself; 4 a chain while
 * an update runs. A row has an exception for each chain if everything overlaps everything; then {@link #update} gives
 * up at the given limit.
 */
public final class TimeClosure implements Closure {
    private static final int CHECK_EVERY = 1 << 10;

    private final KnownGraph graph;
    private final Events events;
    private final long mostBytes;
    private final long[] changed;

    private @Nullable TimeBounds bounds;
    private int[] earliestEnd = new int[0];
    private int[] latestStart = new int[0];
    /** By event: the place of its row, 0 for none. */
    private int[] places = new int[0];

    private RowArena rows = new RowArena(0, 0);

    private TimeClosure(KnownGraph graph, long mostBytes) {
        this.graph = graph;
        this.events = graph.events();
        this.mostBytes = mostBytes;
        this.changed = new long[(events.count() + 63) >> 6];
    }

    /**
     * A closure of a graph that real time is bound to; {@link #update} computes it.
     *
     * @param mostBytes the most bytes of its rows
     */
    public static TimeClosure of(KnownGraph graph, long mostBytes) {
        return new TimeClosure(graph, mostBytes);
    }

    /** The bytes that it takes while it is updated, without exceptions. */
    public static long bytes(Events events) {
        return 33L * events.count();
    }

    @Override
    public long bytes() {
        return 21L * events.count() + rows.bytes();
    }

    @Override
    public boolean update(BooleanSupplier stop) {
        TimeBounds before = bounds;
        int known = before == null ? 0 : graph.indexedEdges();
        RealTime time = Objects.requireNonNull(graph.realTime(), "no real time in the graph");
        graph.indexPredecessors();
        int[] sequence = TopologicalOrder.fair(graph);
        if (sequence == null) {
            return false;
        }
        TimeBounds found = new TimeBounds(graph, time, sequence);
        if (found.isContradicted()) {
            found.addClosingEdges();
            return false;
        }
        Pass pass = new Pass(found, known);
        pass.run(sequence, stop);
        Arrays.fill(changed, 0);
        if (before != null) {
            markGrown(before, found, time.ends());
            for (int v = 0; v < events.count(); v++) {
                if (!pass.made.equals(pass.madePlaces[v], rows, places[v])) {
                    changed[v >> 6] |= 1L << v;
                }
            }
        }
        bounds = found;
        earliestEnd = found.earliestEnd();
        latestStart = found.latestStart();
        places = pass.madePlaces;
        rows = pass.made;
        graph.retain(pass.keep);
        return true;
    }

    /** The new rows of an update. */
    private final class Pass {
        private final int[] ends;
        private final int[] starts;
        private final int known;
        private final RowArena made = new RowArena(events.chains(), events.count());
        private final int[] madePlaces = new int[events.count()];
        /** A bit an edge: whether it stays. Those of earlier rounds do, because later reasons refer to them. */
        private final long[] keep = new long[(graph.edges() + 63) >> 6];
        /** By chain: its last event in the row that is being made, or -1. */
        private final int[] last = new int[events.chains()];

        private final int[] touched = new int[events.chains()];
        private final int[] row = new int[events.chains()];

        Pass(TimeBounds found, int known) {
            this.ends = found.earliestEnd();
            this.starts = found.latestStart();
            this.known = known;
            Arrays.fill(last, -1);
            for (int e = 0; e < known; e++) {
                keep[e >> 6] |= 1L << e;
            }
        }

        /**
         * Computes the rows.
         *
         * @throws OutgrownException if they outgrow their limit
         */
        void run(int[] sequence, BooleanSupplier stop) {
            for (int i = 0; i < sequence.length; i++) {
                if ((i & CHECK_EVERY - 1) == 0) {
                    StoppedException.check(stop);
                    if (made.bytes() + rows.bytes() > mostBytes) {
                        throw new OutgrownException(mostBytes);
                    }
                }
                madePlaces[sequence[i]] = row(sequence[i]);
            }
        }

        /** Computes the row of an event whose predecessors have rows. @return its place, 0 if it is empty */
        private int row(int v) {
            int own = events.chain(v);
            int threshold = starts[v];
            boolean inherits = v > 0 && events.chain(v - 1) == own && ends[v - 1] >= threshold;
            int inherited = inherits ? madePlaces[v - 1] : 0;
            int count = merge(inherited, own, threshold, 0);
            boolean alone = true;
            int[] edges = graph.predecessorEdges();
            int[] sources = graph.sources();
            for (int i = graph.predecessorStarts()[v]; i < graph.predecessorStarts()[v + 1]; i++) {
                int e = edges[i];
                int p = sources[e];
                int chain = events.chain(p);
                if (ends[p] < threshold || chain == own || last[chain] >= p) {
                    continue;
                }
                keep[e >> 6] |= 1L << e;
                alone = false;
                if (last[chain] < 0) {
                    touched[count++] = chain;
                }
                last[chain] = p;
                count = merge(madePlaces[p], own, threshold, count);
            }
            for (int i = 0; i < count; i++) {
                row[i] = last[touched[i]];
                last[touched[i]] = -1;
            }
            if (count == 0 || (alone && count == made.length(inherited))) {
                return count == 0 ? 0 : inherited;
            }
            Arrays.sort(row, 0, count);
            return made.add(row, count);
        }

        private int merge(int place, int own, int threshold, int count) {
            int chains = count;
            int length = made.length(place);
            for (int i = 0; i < length; i++) {
                int a = made.get(place, i);
                int chain = events.chain(a);
                if (ends[a] >= threshold && chain != own) {
                    if (last[chain] < 0) {
                        touched[chains++] = chain;
                    }
                    last[chain] = Math.max(last[chain], a);
                }
            }
            return chains;
        }
    }

    /**
     * Marks the events that more events may reach than before according to the bounds: because their threshold grew, or
     * because the earliest end of an event fell below it.
     */
    private void markGrown(TimeBounds before, TimeBounds found, int ends) {
        int[] end = found.earliestEnd();
        int[] start = found.latestStart();
        int[] fell = new int[ends + 2];
        for (int a = 0; a < end.length; a++) {
            if (end[a] < before.earliestEnd()[a]) {
                // Thresholds above the new end and up to the old one.
                fell[end[a] + 1]++;
                fell[Math.min(before.earliestEnd()[a], ends) + 1]--;
            }
        }
        for (int i = 1; i < fell.length; i++) {
            fell[i] += fell[i - 1];
        }
        for (int v = 0; v < start.length; v++) {
            if (start[v] != before.latestStart()[v] || fell[start[v]] > 0) {
                changed[v >> 6] |= 1L << v;
            }
        }
    }

    @Override
    public boolean reaches(int a, int b) {
        if (earliestEnd[a] < latestStart[b]) {
            return true;
        }
        if (earliestEnd[a] > earliestEnd[b] || latestStart[a] > latestStart[b]) {
            // Both ascend along every path.
            return false;
        }
        int chain = events.chain(a);
        if (chain == events.chain(b)) {
            return a < b;
        }
        int last = rows.firstNotBelow(places[b], a);
        return last >= 0 && events.chain(last) == chain;
    }

    @Override
    public int[] order() {
        return EventOrder.byTime(graph, Objects.requireNonNull(graph.realTime()), bounds());
    }

    @Override
    public long[] changed() {
        return changed;
    }

    /** See {@link TimeBounds#earliestEnd}. */
    public int[] earliestEnd() {
        return earliestEnd;
    }

    /** See {@link TimeBounds#latestStart}. */
    public int[] latestStart() {
        return latestStart;
    }

    /** The bounds of the last update. */
    public TimeBounds bounds() {
        return Objects.requireNonNull(bounds, "not computed yet");
    }

    /** The number of exceptions in the row of an event. */
    public int exceptions(int event) {
        return rows.length(places[event]);
    }

    /**
     * Exception i of an event's row: the last event of its chain that reaches the event. Exceptions ascend by chain.
     */
    public int exception(int event, int i) {
        return rows.get(places[event], i);
    }
}
