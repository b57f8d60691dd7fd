package org.polygraph.partitioner.order;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.closure.ChainClocks;
import org.polygraph.partitioner.closure.ClockRows;
import org.polygraph.partitioner.closure.Closure;
import org.polygraph.partitioner.closure.TimeBounds;
import org.polygraph.partitioner.closure.TopologicalOrder;
import org.polygraph.partitioner.closure.WindowClosure;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.graph.RealTime;

/**
 * Total orders of events that extend the known graph, as {@code position} of each event.
 *
 * <p>{@link #byRank}: rank = #ancestors - #descendants, both from the clocks. If a reaches b then a has fewer ancestors
 * and more descendants, so ascending rank is topological. Ranking by ancestors alone leaves far more reads violated.
 */
public final class EventOrder {
    private EventOrder() {}

    /**
     * The order of a closure's kind: by rank, or by time.
     *
     * @param closure exact for the graph
     */
    public static int[] of(KnownGraph graph, Closure closure) {
        RealTime time = graph.realTime();
        if (time == null) {
            return byRank(graph.events(), (ChainClocks) closure);
        }
        return byTime(
                graph,
                time,
                closure instanceof WindowClosure window ? window.bounds() : ((ChainClocks) closure).bounds());
    }

    /**
     * An order without a closure: by time where real time is part of the graph, by turns otherwise.
     *
     * @return null if the graph has a cycle; then its edges have one too, also where it goes through real time
     */
    public static int @Nullable [] of(KnownGraph graph) {
        RealTime time = graph.realTime();
        int[] done = new int[graph.events().chains()];
        if (time == null) {
            return byTurns(graph, done);
        }
        graph.indexPredecessors();
        int[] sequence = TopologicalOrder.sequence(graph, done);
        if (sequence == null) {
            return null;
        }
        TimeBounds bounds = new TimeBounds(graph, time, sequence);
        if (bounds.isContradicted()) {
            bounds.addClosingEdges();
            return null;
        }
        return byTime(graph, time, bounds);
    }

    /**
     * An order that also keeps real time, of a graph that it is not bound to. Linear, but for real time itself.
     *
     * @return null if the edges have a cycle, alone or with real time, or if {@code time} is not complete: then an order
     *     would not be known to keep all of it
     */
    public static int @Nullable [] byTime(KnownGraph graph, RealTime time) {
        if (!time.isComplete()) {
            return null;
        }
        graph.indexPredecessors();
        int[] sequence = TopologicalOrder.sequence(graph, new int[graph.events().chains()]);
        if (sequence == null) {
            return null;
        }
        TimeBounds bounds = new TimeBounds(graph, time, sequence);
        return bounds.isContradicted() ? null : byTime(graph, time, bounds);
    }

    /** Order by rank; the clocks must be exact. O(events x chains) sequential reads, 12 bytes an event. */
    public static int[] byRank(Events events, ChainClocks clocks) {
        int n = events.count();
        int k = events.chains();
        int[] rank = new int[n];
        int[] seen = new int[k];
        int[] grown = new int[k];
        ClockRows rows = clocks.rows();
        for (int s = 0; s < k; s++) {
            int length = events.chainLength(s);
            int start = events.chainStart(s);
            Arrays.fill(seen, 0);
            for (int p = 0; p < length; p++) {
                int base = p * rows.stride();
                int moved = rows.grown(s, base, p == 0, grown);
                for (int i = 0; i < moved; i++) {
                    int c = grown[i];
                    int bound = rows.get(s, base + c);
                    if (c != s) {
                        // From here on, chain s descends from these events of chain c.
                        int first = events.chainStart(c);
                        for (int q = seen[c]; q < bound; q++) {
                            rank[first + q] -= length - p;
                        }
                    }
                    seen[c] = bound;
                }
                rank[start + p] += rows.sum(s, base) - (length - 1 - p);
            }
        }
        return byRank(rank);
    }

    /**
     * Order by ranks that were added up elsewhere.
     *
     * @param rank by event, from -events to events; overwritten
     */
    public static int[] byRank(int[] rank) {
        int n = rank.length;
        int[] from = new int[n];
        for (int v = 0; v < n; v++) {
            from[v] = v;
            rank[v] += n;
        }
        return positions(rank, from, 2 * n);
    }

    /**
     * Positions of events sorted by rank, ties as they were: radix sort, three passes of 11 bits.
     *
     * @param sequence all events
     * @param most no rank is below 0 or above
     */
    private static int[] positions(int[] rank, int[] sequence, int most) {
        int n = sequence.length;
        int[] from = sequence.clone();
        int[] to = new int[n];
        int[] counts = new int[(1 << 11) + 1];
        for (int shift = 0; shift < 33 && (shift == 0 || most >>> shift != 0); shift += 11) {
            Arrays.fill(counts, 0);
            for (int v = 0; v < n; v++) {
                counts[((rank[v] >>> shift) & 2047) + 1]++;
            }
            for (int b = 0; b < 2048; b++) {
                counts[b + 1] += counts[b];
            }
            for (int i = 0; i < n; i++) {
                int v = from[i];
                to[counts[(rank[v] >>> shift) & 2047]++] = v;
            }
            int[] swap = from;
            from = to;
            to = swap;
        }
        for (int i = 0; i < n; i++) {
            to[from[i]] = i;
        }
        return to;
    }

    /**
     * Order by time: every event as near as its bounds allow to where its transaction would be alone, begins at the start and
     * commits at the end, but no earlier than what reaches it. Extends the edges that the bounds were computed from, and
     * real time too if the bounds do not contradict it: what precedes v by a real-time step is at most its earliest end, and
     * v is at least at its latest start. O(events + edges), 12 bytes an event.
     *
     * @param graph with the edges of the bounds, or all but those that they imply
     */
    public static int[] byTime(KnownGraph graph, RealTime time, TimeBounds bounds) {
        graph.indexPredecessors();
        Events events = graph.events();
        int shift = events.shift();
        int[] sequence = bounds.sequence();
        int[] earliestEnd = bounds.earliestEnd();
        int[] latestStart = bounds.latestStart();
        int[] starts = graph.predecessorStarts();
        int[] edges = graph.predecessorEdges();
        int[] sources = graph.sources();
        int[] rank = new int[sequence.length];
        int most = 0;
        for (int v : sequence) {
            int t = v >> shift;
            boolean isCommit = (v & shift) == shift;
            int wish = isCommit && time.places()[t] != RealTime.NEVER ? time.places()[t] : time.ended()[t];
            int at = Math.max(latestStart[v], Math.min(wish, earliestEnd[v]));
            if (v > 0 && events.chain(v - 1) == events.chain(v)) {
                at = Math.max(at, rank[v - 1]);
            }
            for (int e = starts[v]; e < starts[v + 1]; e++) {
                at = Math.max(at, rank[sources[edges[e]]]);
            }
            rank[v] = at;
            most = Math.max(most, at);
        }
        return positions(rank, sequence, most);
    }

    /**
     * The same order but for commits, each of which comes right after its snapshot, or after what the graph puts between
     * them. By rank the two stand apart although nothing keeps them so, and a key that everybody writes has an overlap at
     * every commit.
     *
     * <p>Why it extends the graph: an event's new place is first the old place of a snapshot, the latest that reaches it or its own,
     * and among equals its old place. Along an edge neither descends, the second ascends. O(events + edges), 16 bytes an event.
     *
     * @param position extends the graph, whose real time is not looked at
     * @return as given with one event a transaction
     */
    public static int[] withEarlyCommits(KnownGraph graph, int[] position) {
        Events events = graph.events();
        if (events.perTransaction() == 1) {
            return position;
        }
        graph.indexPredecessors();
        int[] starts = graph.predecessorStarts();
        int[] edges = graph.predecessorEdges();
        int[] sources = graph.sources();
        int n = position.length;
        int[] sequence = new int[n];
        for (int v = 0; v < n; v++) {
            sequence[position[v]] = v;
        }
        int[] places = new int[n];
        int[] counts = new int[n + 1];
        for (int i = 0; i < n; i++) {
            int v = sequence[i];
            int place = i;
            if (v == events.commit(events.transaction(v))) {
                place = places[events.begin(events.transaction(v))];
                for (int e = starts[v]; e < starts[v + 1]; e++) {
                    place = Math.max(place, places[sources[edges[e]]]);
                }
            }
            places[v] = place;
            counts[place + 1]++;
        }
        for (int i = 0; i < n; i++) {
            counts[i + 1] += counts[i];
        }
        for (int v : sequence) {
            places[v] = counts[places[v]]++;
        }
        return places;
    }

    /**
     * Some topological order, for histories whose clocks do not fit the memory budget: chains advance in turn, one event
     * each; one that must wait stands aside until the chain it waits for has got there. Linear in events and edges.
     *
     * @param done filled with how many events of each chain were placed: all of them, or what precedes the cycles
     * @return positions, or null if the graph has a cycle
     */
    public static int @Nullable [] byTurns(KnownGraph graph, int[] done) {
        graph.indexPredecessors();
        int[] sequence = TopologicalOrder.sequence(graph, done);
        if (sequence == null) {
            return null;
        }
        int[] position = new int[sequence.length];
        for (int i = 0; i < sequence.length; i++) {
            position[sequence[i]] = i;
        }
        return position;
    }
}
