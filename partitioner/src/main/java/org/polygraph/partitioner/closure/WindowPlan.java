package org.polygraph.partitioner.closure;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.graph.RealTime;

/**
 * How a graph with real time is divided into {@link Window}s: its events are sorted by latest start, which is a
 * topological order, and a border is at a place that few events overlap. Computed once, by the process that has the
 * graph, in time linear in events and edges. Any thread can then make a window from the events and edges that concern
 * it.
 *
 * <p>A window has at least as many events as asked for and, unless it is the last, four times as many as its halo, so
 * all windows together are hardly more work than one. If everything overlaps everything, there is one window. Borders
 * are between different latest starts, because events with the same one are all in each other's halo.
 *
 * <p>Memory beside {@link TimeBounds}: 8 bytes an event and 4 an event of a halo; while it is computed 8 an end.
 */
final class WindowPlan {
    /**
     * The size of windows.
     *
     * @param leastEvents of a window
     * @param haloShare a window has at least this many times the events of its halo; 0: any number
     */
    record Granularity(int leastEvents, int haloShare) {
        /** So few events fit in a cache, and they are enough work for a thread. */
        static final Granularity DEFAULT = new Granularity(1 << 15, 4);
    }

    private final KnownGraph graph;
    private final Events events;
    private final int known;
    private final @Nullable TimeBounds bounds;

    private int[] order = new int[0];
    private int[] position = new int[0];
    /** By window: the least latest start, and where it begins in the order. */
    private final IntArrayList borders = new IntArrayList();

    private final IntArrayList firsts = new IntArrayList();
    private final List<int[]> halos = new ArrayList<>();

    private WindowPlan(KnownGraph graph, int known, @Nullable TimeBounds bounds) {
        this.graph = graph;
        this.events = graph.events();
        this.known = known;
        this.bounds = bounds;
    }

    /**
     * Indexes the graph's predecessors and finds bounds and borders. If real time contradicts the edges, edges that
     * close cycles are added.
     *
     * @param graph with real time
     * @param known edges before this number are not redundant
     * @param granularity changes only work and memory
     */
    static WindowPlan of(KnownGraph graph, int known, Granularity granularity) {
        RealTime time = Objects.requireNonNull(graph.realTime(), "no real time in the graph");
        graph.indexPredecessors();
        int[] sequence = TopologicalOrder.fair(graph);
        if (sequence == null) {
            return new WindowPlan(graph, known, null);
        }
        TimeBounds bounds = new TimeBounds(graph, time, sequence);
        if (bounds.isContradicted()) {
            bounds.addClosingEdges();
            return new WindowPlan(graph, known, null);
        }
        WindowPlan plan = new WindowPlan(graph, known, bounds);
        plan.divide(bounds, time.ends(), granularity);
        return plan;
    }

    /** Whether the graph has a cycle, alone or with real time: then there is no closure. */
    boolean isCyclic() {
        return bounds == null;
    }

    /** The bounds of a graph without cycles. */
    TimeBounds bounds() {
        return Objects.requireNonNull(bounds, "the graph has a cycle");
    }

    int count() {
        return halos.size();
    }

    private void divide(TimeBounds of, int ends, Granularity granularity) {
        int[] latestStart = of.latestStart();
        int n = events.count();
        position = new int[n];
        borders.add(0);
        firsts.add(0);
        halos.add(new int[0]);
        if (n < 2L * granularity.leastEvents) {
            order = of.sequence();
        } else {
            int[] first = new int[ends + 2];
            for (int v = 0; v < n; v++) {
                first[latestStart[v] + 1]++;
            }
            for (int i = 1; i < first.length; i++) {
                first[i] += first[i - 1];
            }
            order = new int[n];
            for (int v : of.sequence()) {
                order[first[latestStart[v]]++] = v;
            }
            // Now first[i] is where latest start i ends, and i + 1 begins.
            findBorders(first, of.earliestEnd(), ends, granularity);
        }
        firsts.add(n);
        for (int i = 0; i < n; i++) {
            position[order[i]] = i;
        }
    }

    private void findBorders(int[] first, int[] earliestEnd, int ends, Granularity granularity) {
        int[] ending = new int[ends + 1];
        for (int end : earliestEnd) {
            ending[Math.min(end, ends)]++;
        }
        int ended = 0;
        int begun = 0;
        int n = order.length;
        for (int low = 1; low <= ends; low++) {
            int at = first[low - 1];
            ended += ending[low - 1];
            int own = at - begun;
            if (own >= granularity.leastEvents
                    && n - at >= granularity.leastEvents
                    && (long) granularity.haloShare * (at - ended) <= own) {
                halos.add(halo(halos.get(halos.size() - 1), begun, at, low, earliestEnd, at - ended));
                borders.add(low);
                firsts.add(at);
                begun = at;
            }
        }
    }

    /** The events of a window and its halo that do not end before the next window. */
    private int[] halo(int[] before, int from, int to, int low, int[] earliestEnd, int size) {
        int[] halo = new int[size];
        int count = 0;
        for (int v : before) {
            if (earliestEnd[v] >= low) {
                halo[count++] = v;
            }
        }
        for (int i = from; i < to; i++) {
            if (earliestEnd[order[i]] >= low) {
                halo[count++] = order[i];
            }
        }
        return halo;
    }

    /** One window with all that it needs. Thread-safe. */
    Window window(int number) {
        int[] halo = halos.get(number);
        int from = firsts.getInt(number);
        int to = firsts.getInt(number + 1);
        int low = borders.getInt(number);
        int n = halo.length + to - from;
        int[] own = Arrays.copyOf(halo, n);
        System.arraycopy(order, from, own, halo.length, to - from);
        int[] latestStart = bounds().latestStart();
        int[] earliestEnd = bounds().earliestEnd();
        int[] edges = graph.predecessorEdges();
        int[] ofEdges = graph.sources();
        int[] edgeStarts = graph.predecessorStarts();
        int[] chains = new int[n];
        int[] ends = new int[n];
        int[] thresholds = new int[n];
        int[] previous = new int[n];
        int[] starts = new int[n + 1];
        IntArrayList sources = new IntArrayList(n / 2 + 8);
        IntArrayList numbers = new IntArrayList(n / 2 + 8);
        for (int i = 0; i < n; i++) {
            int v = own[i];
            int chain = events.chain(v);
            int threshold = Math.max(low, latestStart[v]);
            chains[i] = chain;
            ends[i] = earliestEnd[v];
            thresholds[i] = threshold;
            previous[i] = v > 0 && events.chain(v - 1) == chain && earliestEnd[v - 1] >= threshold
                    ? place(v - 1, halo, from)
                    : -1;
            for (int e = edgeStarts[v]; e < edgeStarts[v + 1]; e++) {
                int p = ofEdges[edges[e]];
                if (earliestEnd[p] >= threshold && events.chain(p) != chain) {
                    sources.add(place(p, halo, from));
                    numbers.add(i < halo.length || edges[e] < known ? -1 : edges[e]);
                }
            }
            starts[i + 1] = sources.size();
        }
        return new Window(
                halo.length,
                own,
                chains,
                ends,
                thresholds,
                previous,
                starts,
                sources.toIntArray(),
                numbers.toIntArray());
    }

    /** The place in a window of an event that straddles its beginning, or is its own. */
    private int place(int event, int[] halo, int from) {
        int at = position[event];
        if (at >= from) {
            return halo.length + at - from;
        }
        int low = 0;
        int high = halo.length - 1;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (position[halo[middle]] < at) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /**
     * Returns a bit for each edge, which is set for the edges that no window judges. The caller adds the edges that
     * windows keep.
     */
    long[] keep() {
        long[] keep = new long[(graph.edges() + 63) >> 6];
        for (int e = 0; e < known; e++) {
            keep[e >> 6] |= 1L << e;
        }
        return keep;
    }

    /**
     * Marks the events that more events may reach than before according to the bounds: because their threshold grew, or
     * because the earliest end of an event fell below it.
     *
     * @param changed a bit an event
     */
    void markGrown(TimeBounds before, long[] changed) {
        int[] earliestEnd = bounds().earliestEnd();
        int[] latestStart = bounds().latestStart();
        int ends = Objects.requireNonNull(graph.realTime()).ends();
        int[] fell = new int[ends + 2];
        for (int a = 0; a < earliestEnd.length; a++) {
            if (earliestEnd[a] < before.earliestEnd()[a]) {
                // Thresholds above the new end and up to the old one.
                fell[earliestEnd[a] + 1]++;
                fell[Math.min(before.earliestEnd()[a], ends) + 1]--;
            }
        }
        for (int i = 1; i < fell.length; i++) {
            fell[i] += fell[i - 1];
        }
        for (int v = 0; v < latestStart.length; v++) {
            if (latestStart[v] != before.latestStart()[v] || fell[latestStart[v]] > 0) {
                changed[v >> 6] |= 1L << v;
            }
        }
    }
}
