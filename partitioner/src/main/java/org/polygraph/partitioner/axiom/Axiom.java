package org.polygraph.partitioner.axiom;

import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.storage.model.StoppedException;

/**
 * The edges of the commit order that a level requires beyond session order and WR: if t3 reads x from t1 and also sees
 * another writer t2 of x, t2 commits before t1. Levels differ in the definition of "sees" (Biswas and Enea, "On the
 * Complexity of Checking Transactional Consistency", OOPSLA 2019, figure 2). The level holds iff the graph with these
 * edges has no cycle and no transaction that reads an initial value sees a writer of its key.
 */
public interface Axiom {
    /**
     * A transaction reads the initial value of a key and sees a writer of the key. No order explains this.
     *
     * @param writer the transaction that is seen
     * @param reader the transaction that read
     */
    record Conflict(int writer, int reader, int key) {}

    /**
     * Adds WR edges, of round 0, and the edges that the axiom demands, of round 1. If session order and WR have a
     * cycle, CC adds WR edges alone.
     *
     * @param graph one event per transaction, without edges
     * @param stop returns whether the budget has ended
     * @return the first conflict, or null; after a conflict the graph lacks edges
     * @throws StoppedException if the budget ends
     */
    @Nullable
    Conflict infer(KnownGraph graph, BooleanSupplier stop);
}
