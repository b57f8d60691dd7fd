package org.polygraph.benchmarks.micro;

import org.polygraph.benchmarks.data.GeneratorSpec;
import org.polygraph.partitioner.closure.ChainClocks;
import org.polygraph.partitioner.closure.WorkerThreads;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.graph.Problem;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.prune.Saturation;
import org.polygraph.storage.table.HistoryTable;

/** A history that has passed some phases, as in the embedded engine. */
final class Prepared {
    private final HistoryTable table;
    private final IndexedHistory history;
    private final Events events;

    private Prepared(HistoryTable table, int eventsPerTransaction) {
        this.table = table;
        this.history = index(table);
        this.events = new Events(eventsPerTransaction, table.sessionStarts(), history.sessionOf());
    }

    /** Generates and indexes a history. */
    static Prepared of(int transactions, String keys, String level) {
        String theta = keys.equals("zipf") ? "0.9" : "0";
        String spec = GeneratorSpec.PREFIX + "txns=" + transactions + ",keys=" + transactions + ",zipf=" + theta;
        return new Prepared(GeneratorSpec.parse(spec).generate(), level.equals("SI") ? 2 : 1);
    }

    static IndexedHistory index(HistoryTable table) {
        return IndexedHistory.of(table, IndexedHistory.Indeterminate.MAYBE);
    }

    HistoryTable table() {
        return table;
    }

    IndexedHistory history() {
        return history;
    }

    Events events() {
        return events;
    }

    /** A fresh graph of sessions and decided reads. */
    KnownGraph graph() {
        return KnownGraph.of(events, history.versions());
    }

    /** Fresh clocks, exact for the graph. */
    static ChainClocks closure(KnownGraph graph) {
        ChainClocks clocks = ChainClocks.of(graph);
        require(clocks.update(() -> false));
        return clocks;
    }

    /** One round of forced edges. */
    Saturation.RoundResult saturate(KnownGraph graph, ChainClocks clocks) {
        return new Saturation(new Problem(history, graph), clocks, WorkerThreads.of(1)).round(() -> false);
    }

    static void require(boolean holds) {
        if (!holds) {
            throw new IllegalStateException("the generated history is not what it should be");
        }
    }
}
