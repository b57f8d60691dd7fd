package org.polygraph.partitioner.closure;

import java.util.Arrays;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.graph.RealTime;

/**
 * Exact reachability where real time is part of the graph: a threshold and exceptions. Event a reaches v iff {@code
 * earliestEnd(a) < latestStart(v)} (see {@link TimeBounds}), or it does over the graph's own edges alone. Of the latter, row(v)
 * holds what the threshold does not say: by chain, the last event that reaches v although nothing it reaches ended in time.
 * Such events overlap v or what reaches v, so rows are short, however many sessions there are; a long transaction is in
 * those rows only whose events it reaches.
 *
 * <p>An update goes through all events once more, in a topological order of the edges: rows of predecessors are merged, and
 * what a row's own threshold covers is left out.
 *
 * <p>Memory: 12 bytes an event of {@link TimeBounds}, 4 for where its row is, 4 an exception and a row that has any (twice
 * while an update runs), and {@link RealTime}. Up to chains exceptions a row if everything overlaps everything: then
 * {@link #update} gives up at the limit given.
 */
public final class WindowClosure implements Closure {
    private static final int CHECK_EVERY = 1 << 10;

    private final KnownGraph graph;
    private final RealTime time;
    private final Events events;
    private final long mostBytes;
    private final long[] changed;
    private boolean outgrown;

    private @Nullable TimeBounds bounds;
    private int[] earliestEnd = new int[0];
    private int[] latestStart = new int[0];
    /** By event: where its row is, 0 for none. */
    private int[] places = new int[0];

    private RowArena rows = new RowArena(0);

    // While an update runs: by chain, the last event found for the row at hand, or -1; and which chains have one.
    private final int[] last;
    private final int[] touched;

    private WindowClosure(KnownGraph graph, RealTime time, long mostBytes) {
        this.graph = graph;
        this.time = time;
        this.events = graph.events();
        this.mostBytes = mostBytes;
        this.changed = new long[(events.count() + 63) >> 6];
        this.last = new int[events.chains()];
        this.touched = new int[events.chains()];
        Arrays.fill(last, -1);
    }

    /**
     * A closure of a graph that real time is bound to; {@link #update} computes it.
     *
     * @param mostBytes what its rows may take
     */
    public static WindowClosure of(KnownGraph graph, long mostBytes) {
        return new WindowClosure(
                graph, Objects.requireNonNull(graph.realTime(), "no real time in the graph"), mostBytes);
    }

    /** Bytes that it takes without exceptions. */
    public static long bytes(Events events) {
        return 21L * events.count();
    }

    @Override
    public long bytes() {
        return bytes(events) + rows.bytes();
    }

    @Override
    public Result update(BooleanSupplier stop) {
        int known = bounds == null ? 0 : graph.indexedEdges();
        graph.indexPredecessors();
        int[] sequence = Turns.sequence(graph, new int[events.chains()]);
        if (sequence == null) {
            return Result.CYCLIC;
        }
        TimeBounds now = new TimeBounds(graph, time, sequence);
        if (now.isContradicted()) {
            now.addClosingEdges();
            return Result.CYCLIC;
        }
        TimeBounds before = bounds;
        int[] placesBefore = places;
        RowArena rowsBefore = rows;
        bounds = now;
        earliestEnd = now.earliestEnd();
        latestStart = now.latestStart();
        places = new int[events.count()];
        rows = new RowArena(events.chains());
        long[] keep = new long[(graph.edges() + 63) >> 6];
        // What an earlier update kept stays: it may be the reason of what was forced since.
        for (int e = 0; e < known; e++) {
            keep[e >> 6] |= 1L << e;
        }
        int sinceCheck = 0;
        for (int v : sequence) {
            places[v] = row(v, keep);
            if (++sinceCheck == CHECK_EVERY) {
                sinceCheck = 0;
                if (stop.getAsBoolean()) {
                    return Result.STOPPED;
                }
                if (rows.bytes() + rowsBefore.bytes() > mostBytes) {
                    outgrown = true;
                    return Result.STOPPED;
                }
            }
        }
        if (before == null) {
            Arrays.fill(changed, 0);
        } else {
            compare(before, placesBefore, rowsBefore);
        }
        graph.retain(keep);
        return Result.EXACT;
    }

    /** Whether the last update ended because its rows outgrew their limit. */
    public boolean isOutgrown() {
        return outgrown;
    }

    /** Makes the row of an event whose predecessors have theirs. @return where it is, 0 if it is empty */
    private int row(int v, long[] keep) {
        int own = events.chain(v);
        int threshold = latestStart[v];
        int chains = 0;
        int inherited = 0;
        if (v > 0 && events.chain(v - 1) == own && earliestEnd[v - 1] >= threshold) {
            inherited = places[v - 1];
            chains = merge(inherited, own, threshold, chains);
        }
        int[] starts = graph.predecessorStarts();
        int[] edges = graph.predecessorEdges();
        int[] sources = graph.sources();
        boolean alone = true;
        for (int i = starts[v]; i < starts[v + 1]; i++) {
            int e = edges[i];
            int p = sources[e];
            if (earliestEnd[p] < threshold) {
                continue;
            }
            int chain = events.chain(p);
            if (chain == own || last[chain] >= p) {
                continue;
            }
            keep[e >> 6] |= 1L << e;
            alone = false;
            chains = put(p, chain, chains);
            chains = merge(places[p], own, threshold, chains);
        }
        if (chains == 0) {
            return 0;
        }
        int place = alone && chains == rows.length(inherited) ? inherited : rows.add(touched, chains, last);
        for (int i = 0; i < chains; i++) {
            last[touched[i]] = -1;
        }
        return place;
    }

    private int merge(int place, int own, int threshold, int count) {
        int chains = count;
        int length = rows.length(place);
        for (int i = 0; i < length; i++) {
            int a = rows.get(place, i);
            if (earliestEnd[a] >= threshold) {
                int chain = events.chain(a);
                if (chain != own) {
                    chains = put(a, chain, chains);
                }
            }
        }
        return chains;
    }

    private int put(int event, int chain, int chains) {
        if (last[chain] < 0) {
            touched[chains] = chain;
            last[chain] = event;
            return chains + 1;
        }
        last[chain] = Math.max(last[chain], event);
        return chains;
    }

    /**
     * Marks what may be reached by more than before: by its row or threshold, or because something ends earlier now, as far
     * as it reaches, and so came below the threshold.
     */
    private void compare(TimeBounds before, int[] placesBefore, RowArena rowsBefore) {
        int[] fell = new int[time.ends() + 2];
        for (int a = 0; a < events.count(); a++) {
            if (earliestEnd[a] < before.earliestEnd()[a]) {
                // Thresholds above the new end and up to the old one.
                fell[earliestEnd[a] + 1]++;
                fell[Math.min(before.earliestEnd()[a], time.ends()) + 1]--;
            }
        }
        for (int i = 1; i < fell.length; i++) {
            fell[i] += fell[i - 1];
        }
        Arrays.fill(changed, 0);
        for (int v = 0; v < events.count(); v++) {
            if (latestStart[v] != before.latestStart()[v]
                    || fell[latestStart[v]] > 0
                    || !rows.equals(places[v], rowsBefore, placesBefore[v])) {
                changed[v >> 6] |= 1L << v;
            }
        }
    }

    @Override
    public boolean reaches(int a, int b) {
        if (earliestEnd[a] < latestStart[b]) {
            return true;
        }
        int chain = events.chain(a);
        if (chain == events.chain(b)) {
            return a < b;
        }
        int place = places[b];
        int low = 0;
        int high = rows.length(place);
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (rows.get(place, middle) < a) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low < rows.length(place) && events.chain(rows.get(place, low)) == chain;
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

    /** How many exceptions the row of an event has. */
    public int exceptions(int event) {
        return rows.length(places[event]);
    }

    /** Exception i of an event's row: it and what precedes it in its chain reach the event. Ascending by chain. */
    public int exception(int event, int i) {
        return rows.get(places[event], i);
    }
}
