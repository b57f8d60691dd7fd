package org.polygraph.partitioner.closure;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.graph.RealTime;

/** Total orders of events that extend the known graph, as {@code position} of each event. */
public final class EventOrder {
    private EventOrder() {}

    /**
     * An order without a closure. If real time is part of the graph, events are ordered by time; otherwise chains
     * advance in turn.
     *
     * @return null if the graph has a cycle; if that goes through real time, edges that close it were added to the
     *     graph
     */
    public static int @Nullable [] of(KnownGraph graph) {
        RealTime time = graph.realTime();
        if (time == null) {
            return byTurns(graph);
        }
        TimeBounds bounds = bounds(graph, time);
        if (bounds != null && bounds.isContradicted()) {
            bounds.addClosingEdges();
            return null;
        }
        return bounds == null ? null : byTime(graph, time, bounds);
    }

    /**
     * An order that also keeps a real-time order that is not part of the graph. Linear.
     *
     * @return null if the edges have a cycle, alone or with real time, or if {@code time} is not complete: the order
     *     could then contradict what is missing in it
     */
    public static int @Nullable [] byTime(KnownGraph graph, RealTime time) {
        TimeBounds bounds = time.isComplete() ? bounds(graph, time) : null;
        return bounds == null || bounds.isContradicted() ? null : byTime(graph, time, bounds);
    }

    private static @Nullable TimeBounds bounds(KnownGraph graph, RealTime time) {
        graph.indexPredecessors();
        int[] sequence = TopologicalOrder.fair(graph);
        return sequence == null ? null : new TimeBounds(graph, time, sequence);
    }

    /**
     * Order by time: begins at the start of their transaction and commits at its end, as near as their bounds allow,
     * but no event before one that reaches it. The order extends the edges that the bounds were computed from, and real
     * time too if the bounds do not contradict it: an event that precedes v by a real-time step is placed at its
     * earliest end at most, and v at its latest start at least. O(events log events + edges), 16 bytes an event.
     *
     * @param graph with the edges of the bounds; edges that others imply may be missing
     */
    public static int[] byTime(KnownGraph graph, RealTime time, TimeBounds bounds) {
        graph.indexPredecessors();
        Events events = graph.events();
        int[] earliestEnd = bounds.earliestEnd();
        int[] latestStart = bounds.latestStart();
        int[] wishes = new int[events.count()];
        for (int v = 0; v < wishes.length; v++) {
            int t = events.transaction(v);
            boolean isCommit = v == events.commit(t);
            int wish = isCommit && time.places()[t] != RealTime.NEVER ? time.places()[t] : time.ended()[t];
            wishes[v] = Math.max(latestStart[v], Math.min(wish, earliestEnd[v]));
        }
        return byWishes(graph, bounds.sequence(), wishes);
    }

    /**
     * The order near a given one that keeps real time too. Events are taken in the given order, and each is placed at
     * the latest of the latest starts so far, or at its earliest end if that comes first. If the given order keeps real
     * time, it does not change: no event then comes after one that starts later than the event ends. O(events log
     * events + edges), 16 bytes an event.
     *
     * @param graph with its predecessors indexed
     * @param bounds of its edges and of real time, which do not contradict each other
     * @param position extends the edges
     */
    public static int[] keepingTime(KnownGraph graph, TimeBounds bounds, int[] position) {
        int[] earliestEnd = bounds.earliestEnd();
        int[] latestStart = bounds.latestStart();
        int[] sequence = new int[position.length];
        for (int v = 0; v < position.length; v++) {
            sequence[position[v]] = v;
        }
        int[] wishes = new int[position.length];
        int latest = 0;
        for (int v : sequence) {
            latest = Math.max(latest, latestStart[v]);
            wishes[v] = Math.min(latest, earliestEnd[v]);
        }
        return byWishes(graph, sequence, wishes);
    }

    /**
     * Order by wishes: each event is as near to its wish as what precedes it allows. O(events log events + edges), 12
     * bytes an event.
     *
     * @param graph with its predecessors indexed
     * @param sequence the events in a topological order of its edges
     * @param wishes by event: the place that it should have; the array becomes the result
     */
    public static int[] byWishes(KnownGraph graph, int[] sequence, int[] wishes) {
        Events events = graph.events();
        int[] starts = graph.predecessorStarts();
        int[] edges = graph.predecessorEdges();
        int[] sources = graph.sources();
        long[] items = new long[sequence.length];
        for (int i = 0; i < sequence.length; i++) {
            int v = sequence[i];
            int at = wishes[v];
            if (v > 0 && events.chain(v - 1) == events.chain(v)) {
                at = Math.max(at, wishes[v - 1]);
            }
            for (int e = starts[v]; e < starts[v + 1]; e++) {
                at = Math.max(at, wishes[sources[edges[e]]]);
            }
            wishes[v] = at;
            items[i] = (long) at << 32 | i;
        }
        Arrays.sort(items);
        for (int i = 0; i < items.length; i++) {
            wishes[sequence[(int) items[i]]] = i;
        }
        return wishes;
    }

    /**
     * The same order except for commits, each of which comes right after its snapshot, or after the events that the
     * graph requires between them. If chains advance in turn, the two are apart although no edge requires it, so a key
     * that many transactions write has an overlap at every commit.
     *
     * <p>It extends the graph because an event is sorted first by the old place of a snapshot, the latest one that
     * reaches it or its own, and then by its old place. Along an edge the first does not descend and the second
     * ascends. O(events + edges), 16 bytes an event.
     *
     * @param position extends the graph, whose real time is not considered
     * @return the given order if there is one event a transaction
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
     * Some topological order, in which chains advance in turn. Linear in events and edges.
     *
     * @return positions, or null if the graph has a cycle
     */
    public static int @Nullable [] byTurns(KnownGraph graph) {
        graph.indexPredecessors();
        int[] sequence = TopologicalOrder.fair(graph);
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
