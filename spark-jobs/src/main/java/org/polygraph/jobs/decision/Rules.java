package org.polygraph.jobs.decision;

import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.closure.Closure;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.prune.Saturation;
import org.polygraph.storage.artifact.ArrayFile;

/**
 * Closure, rules and the order that follows from them, for one graph, which they extend. These phases pass over all
 * events, and engines differ in them, but every engine adds the same edges in the same order. One thread.
 */
public interface Rules extends AutoCloseable {
    /** The name in a checkpoint of one bit per event: whether the last closure changed its row. */
    String CHANGED = "changedRows";

    /** The name in a checkpoint, after a round, of the keys of which the round decided reads. */
    String DECIDED = "decidedKeys";

    /** Rules over a closure on this JVM's heap, see {@link Kernels#rules}. */
    static @Nullable Rules inMemory(IndexedHistory history, KnownGraph graph, long bytes, Tuning tuning) {
        return InMemoryRules.of(history, graph, bytes, tuning);
    }

    /** Whether {@link #inMemory} keeps real time in chain clocks: few sessions write few keys, and the clocks fit. */
    static boolean goBySession(IndexedHistory history, KnownGraph graph, long bytes, Tuning tuning) {
        return graph.realTime() != null && InMemoryRules.goBySession(history, graph, bytes, tuning.rows());
    }

    /** Makes reachability exact for the graph and drops redundant edges from it, see {@link Closure#update}. */
    boolean close(BooleanSupplier stop);

    /** One round of rules, see {@link Saturation#round}; reachability must be exact. */
    Saturation.RoundResult round(BooleanSupplier stop);

    /**
     * After {@link Saturation.RoundResult#CONTRADICTION}: returns the key whose reader has no candidate writer left.
     */
    int impossibleKey();

    /** After {@link Saturation.RoundResult#CONTRADICTION}: returns the transaction of that read. */
    int impossibleReader();

    /**
     * Returns the position of each event in the order by rank, or by time if real time is part of the graph;
     * reachability must be exact. Null if the budget ended.
     */
    int @Nullable [] order();

    /**
     * Returns the average number of events to which an event has no known order; reachability must be exact. The result
     * is 0 with real time, because few pairs are then open.
     */
    double freedom();

    /**
     * Whether event a strictly reaches event b; reachability must be exact. Thread-safe: the workers of the solver call
     * it.
     */
    boolean reaches(int a, int b);

    /** The bytes of heap that the rows take. */
    long heapBytes();

    /** Adds to a checkpoint what {@link #restore} needs beside graph and index. */
    void saveTo(ArrayFile file);

    /**
     * Restores the state of the process that wrote the file, with its graph and index. @return as {@link #close}
     */
    boolean restore(ArrayFile file, BooleanSupplier stop) throws ArrayFile.DamagedException;

    /** Releases files and memory. */
    @Override
    void close();
}
