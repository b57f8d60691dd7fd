package org.polygraph.partitioner.graph;

import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.index.CommitStatus;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.index.VersionIndex;
import org.polygraph.partitioner.isolation.IsolationLevel;

/**
 * What rules, solver, proof and evidence read of a history: its index, and the graph of the edges that every order has.
 * The rules decide reads in the index and add edges to the graph.
 */
public record Problem(IndexedHistory history, KnownGraph graph) {
    /**
     * The problem of a history, with the edges of sessions and decided reads.
     *
     * @param history that no single read refutes
     * @param eventsPerTransaction 1: SER, 2: SI
     */
    public static Problem of(IndexedHistory history, int eventsPerTransaction) {
        return of(history, new Events(eventsPerTransaction, history.table().sessionStarts(), history.sessionOf()));
    }

    /** The problem of a history at a level that is defined by an order of events. */
    public static Problem of(IndexedHistory history, IsolationLevel level) {
        return of(history, Events.of(level, history.table().sessionStarts(), history.sessionOf()));
    }

    private static Problem of(IndexedHistory history, Events events) {
        KnownGraph graph = KnownGraph.of(events, history.versions());
        if (events.mayOverlap()) {
            ListEdges.addTo(graph, history);
        }
        return new Problem(history, graph);
    }

    /** The same index, with the edges of sessions and decided reads alone. */
    public Problem withOwnGraph() {
        return of(history, events());
    }

    /** An index of its own, with the edges of sessions and decided reads alone. */
    public Problem copy() {
        return of(history.copy(), events());
    }

    /** Makes real time part of the graph, if there are times. */
    public Problem bind(@Nullable RealTime time) {
        if (time != null) {
            graph.bind(time);
        }
        return this;
    }

    /**
     * Real-time order of the history.
     *
     * @param skewNanos bound on the difference of any two clocks
     * @return null if the history has no times
     */
    public @Nullable RealTime realTime(long skewNanos) {
        return RealTime.of(history.table(), history.commitStatus(), skewNanos);
    }

    public Events events() {
        return graph.events();
    }

    public VersionIndex versions() {
        return history.versions();
    }

    public CommitStatus commitStatus() {
        return history.commitStatus();
    }
}
