package org.polygraph.partitioner.axiom;

import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.index.ReadsFrom;
import org.polygraph.partitioner.isolation.IsolationLevel;

/**
 * RC and RA. Under RC a read sees the writers of earlier reads of its transaction. Under RA it sees the writers of all
 * reads of its transaction, and earlier transactions of its session; of these the last writer of the key is enough.
 *
 * <p>Time, after AWDIT (Moldrup and Pavlogiannis, "AWDIT: An Optimal Weak Database Isolation Tester", PLDI 2025,
 * sections 3.1 and 3.2): a pair of transactions takes time in the length of the shorter one. That is at most O(n^1.5)
 * for n operations, and linear for transactions of bounded length (here with a logarithm for long ones). Memory: 4
 * bytes a key (RA), 9 an edge.
 */
public final class ReadAxiom implements Axiom {
    private final ReadsFrom reads;
    private final boolean atomic;

    /**
     * The axiom of a level.
     *
     * @param reads of the same level; open reads demand nothing
     * @throws IllegalArgumentException if the level is neither RC nor RA
     */
    public ReadAxiom(ReadsFrom reads, IsolationLevel level) {
        if (level != IsolationLevel.RC && level != IsolationLevel.RA) {
            throw new IllegalArgumentException("no axiom on reads for " + level.label());
        }
        this.reads = reads;
        this.atomic = level == IsolationLevel.RA;
    }

    @Override
    public @Nullable Conflict infer(KnownGraph graph, BooleanSupplier stop) {
        return new ReadPass(ReadArrays.of(reads, graph.events()), atomic, graph).infer(stop);
    }
}
