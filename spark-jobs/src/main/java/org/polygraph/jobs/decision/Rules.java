package org.polygraph.jobs.decision;

import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.closure.Closure;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.prune.Saturation;
import org.polygraph.storage.artifact.ArrayFile;

/**
 * Closure, rules and the order that they give, for one graph, which they extend: the stages in which engines differ that go over
 * all events. Every engine leaves the same edges in the same order. One thread.
 */
public interface Rules extends AutoCloseable {
    /** In a stage file: a bit an event, whether the last closure changed its row. */
    String CHANGED = "changedRows";

    /** In a stage file, once a round has ended: keys of which it decided reads. */
    String DECIDED = "decidedKeys";

    /** Rules over a closure on this JVM's heap, see {@link Kernels#rules}. */
    static @Nullable Rules inMemory(IndexedHistory history, KnownGraph graph, long bytes, Tuning tuning) {
        return InMemoryRules.of(history, graph, bytes, tuning);
    }

    /** Whether {@link #inMemory} has real time in chain clocks, for few sessions write few keys and they fit. */
    static boolean goBySession(IndexedHistory history, KnownGraph graph, long bytes, Tuning tuning) {
        return graph.realTime() != null && InMemoryRules.goBySession(history, graph, bytes, tuning.rows());
    }

    /** Makes reachability exact for the graph and drops redundant edges from it, see {@link Closure#update}. */
    boolean close(BooleanSupplier stop);

    /** One round of rules, see {@link Saturation#round}; reachability must be exact. */
    Saturation.RoundResult round(BooleanSupplier stop);

    /** After {@link Saturation.RoundResult#CONTRADICTION}: the key whose reader has no candidate writer left. */
    int impossibleKey();

    /** After {@link Saturation.RoundResult#CONTRADICTION}: the transaction of that read. */
    int impossibleReader();

    /**
     * The position of each event in the order by rank, or by time where real time is part of the graph; reachability must be
     * exact. Null if the budget ended.
     */
    int @Nullable [] order();

    /**
     * To how many others nothing is known of an event's place, on average; reachability must be exact. 0 with real time,
     * which leaves few.
     */
    double freedom();

    /** Whether event a strictly reaches event b; reachability must be exact. Thread-safe: the solver's threads ask. */
    boolean reaches(int a, int b);

    /** Bytes of heap that rows take. */
    long heapBytes();

    /** Adds to a stage file what {@link #restore} needs beside graph and index. */
    void saveTo(ArrayFile file);

    /**
     * Continues where a process that wrote the file was, with its graph and index. @return as {@link #close}
     */
    boolean restore(ArrayFile file, BooleanSupplier stop) throws ArrayFile.DamagedException;

    /** Gives back files and memory. */
    @Override
    void close();
}
