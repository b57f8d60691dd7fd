package org.polygraph.jobs.decision;

import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.closure.ChainClocks;
import org.polygraph.partitioner.closure.Closure;
import org.polygraph.partitioner.closure.WindowClosure;
import org.polygraph.partitioner.closure.WorkerThreads;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.index.VersionIndex;
import org.polygraph.partitioner.prune.Saturation;

/**
 * The closure of a graph and its saturation, which {@link PruneLoop} applies in turn. The rules themselves are in
 * {@link org.polygraph.partitioner.prune.KeyRules}. The closure has chain clocks. If real time is part of the graph it
 * is the window closure, unless few sessions write few keys.
 */
final class Rules {
    /** A key with this many writers is handled faster by session than by time, where real time is part of the level. */
    private static final int MANY_WRITERS = 256;

    private static final int MOST_SESSIONS = 128;

    private final Closure closure;
    private final Saturation saturation;

    private Rules(IndexedHistory history, KnownGraph graph, Closure closure, WorkerThreads workers) {
        this.closure = closure;
        this.saturation = new Saturation(graph, history.versions(), closure, history.commitStatus(), workers);
    }

    /**
     * Creates the rules of a graph.
     *
     * @param history as it was indexed: no read of it has been decided since
     * @param bytes that the closure may take
     * @param tuning what holds reachability if real time is part of the graph, and the number of threads
     * @return null if it does not fit
     */
    static @Nullable Rules of(IndexedHistory history, KnownGraph graph, long bytes, Tuning tuning) {
        WorkerThreads workers = tuning.workerThreads();
        Closure closure = closure(history, graph, bytes, tuning.rows(), workers);
        return closure == null ? null : new Rules(history, graph, closure, workers);
    }

    private static @Nullable Closure closure(
            IndexedHistory history, KnownGraph graph, long most, Tuning.RealTimeRows rows, WorkerThreads workers) {
        if (graph.realTime() == null) {
            Events events = graph.events();
            return ChainClocks.pay(events.count(), events.chains()) && ChainClocks.bytes(events) <= most
                    ? ChainClocks.of(graph)
                    : null;
        }
        if (goBySession(history, graph, most, rows)) {
            return ChainClocks.of(graph);
        }
        long fixed = WindowClosure.bytes(graph.events());
        return fixed <= most ? WindowClosure.of(graph, most - fixed, workers) : null;
    }

    /**
     * Whether rules by session are faster than rules by time, and the clocks fit in memory. Rules by session are faster
     * if keys have many writers from few sessions, because then almost every transaction that overlaps writes the key.
     */
    static boolean goBySession(IndexedHistory history, KnownGraph graph, long most, Tuning.RealTimeRows rows) {
        if (ChainClocks.bytes(graph.events()) > most - 12L * graph.events().count()) {
            return false;
        }
        if (rows != Tuning.RealTimeRows.BY_KEYS) {
            return rows == Tuning.RealTimeRows.CHAINS;
        }
        if (graph.events().chains() > MOST_SESSIONS) {
            return false;
        }
        VersionIndex index = history.versions();
        int[] starts = index.writerStarts();
        long inHot = 0;
        for (int key = 0; key < index.keys(); key++) {
            int writers = starts[key + 1] - starts[key];
            inHot += writers >= MANY_WRITERS ? writers : 0;
        }
        return 2 * inHot > index.writers();
    }

    /** Makes reachability exact for the graph and drops redundant edges from it, see {@link Closure#update}. */
    boolean close(BooleanSupplier stop) {
        return closure.update(stop);
    }

    /** One round of rules, see {@link Saturation#round}; reachability must be exact. */
    Saturation.RoundResult round(BooleanSupplier stop) {
        return saturation.round(stop);
    }

    /** After a {@link Saturation.RoundResult#CONTRADICTION}: the key whose reader has no candidate writer left. */
    int impossibleKey() {
        return saturation.impossibleKey();
    }

    /** After a {@link Saturation.RoundResult#CONTRADICTION}: the transaction of that read. */
    int impossibleReader() {
        return saturation.impossibleReader();
    }

    /**
     * Returns the position of each event in the order of chains in turn, or by time if real time is part of the graph;
     * reachability must be exact.
     */
    int[] order() {
        return closure.order();
    }

    /**
     * Whether event a strictly reaches event b; reachability must be exact. Thread-safe: workers of the solver call it.
     */
    boolean reaches(int a, int b) {
        return closure.reaches(a, b);
    }

    /** The bytes of heap that the rows take. */
    long heapBytes() {
        return closure.bytes();
    }
}
