package org.polygraph.partitioner.axiom;

import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.graph.KnownGraph;

/**
 * What a level demands of the commit order, beyond session order and WR: where t3 reads x from t1 and also sees another
 * writer t2 of x, t2 commits before t1. Levels differ in what "sees" means (Biswas and Enea, "On the Complexity of Checking
 * Transactional Consistency", OOPSLA 2019, figure 2). The level holds iff the graph with these edges has no cycle and
 * nobody who reads an initial value sees a writer of it.
 */
public interface Axiom {
    /** How an inference ended. */
    enum Result {
        /** All edges are in the graph. */
        INFERRED,
        /** See {@link #conflict}. */
        CONFLICT,
        /** What t3 sees contradicts itself: the graph of SO and WR has a cycle. CC only. */
        CYCLIC,
        /** The budget ended. */
        STOPPED
    }

    /**
     * A read of an initial value by a transaction that sees a writer of the key: no order explains it.
     *
     * @param writer the transaction seen
     * @param reader the transaction that read
     */
    record Conflict(int writer, int reader, int key) {}

    /**
     * Adds WR edges, of round 0, and those that the axiom demands, of round 1.
     *
     * @param graph one event a transaction, empty
     * @param stop asked now and then; true ends it
     */
    Result infer(KnownGraph graph, BooleanSupplier stop);

    /** After {@link Result#CONFLICT}: the first one found. */
    @Nullable
    Conflict conflict();
}
