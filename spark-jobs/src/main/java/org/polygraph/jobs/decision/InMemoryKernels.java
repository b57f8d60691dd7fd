package org.polygraph.jobs.decision;

import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.axiom.Axiom;
import org.polygraph.partitioner.axiom.CausalAxiom;
import org.polygraph.partitioner.axiom.ReadAxiom;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.index.CommitStatus;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.index.ReadsFrom;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.linear.KeyOrders;
import org.polygraph.partitioner.residual.ResidualCore;
import org.polygraph.storage.table.HistoryTable;

/**
 * The kernels in this JVM.
 *
 * @param replayed whether a replay follows, which reads the same memory and the raw operations
 * @param stop whether the budget is exhausted
 */
public record InMemoryKernels(HistoryTable table, boolean replayed, BooleanSupplier stop) implements Kernels {
    @Override
    public IndexedHistory index(IndexedHistory.Indeterminate indeterminate) {
        return IndexedHistory.of(table, indeterminate, stop);
    }

    @Override
    public void restore(IndexedHistory history) {
        // The history is held by the caller.
    }

    @Override
    public @Nullable Rules rules(IndexedHistory history, KnownGraph graph, long bytes, Tuning tuning) {
        return InMemoryRules.of(history, graph, bytes, tuning);
    }

    @Override
    public ResidualCore check(IndexedHistory history, KnownGraph graph, CommitStatus commitStatus, int[] position) {
        return ResidualCore.of(graph, history.versions(), commitStatus, position, stop);
    }

    /** Skips the check if a replay follows, because the replay reads the same memory and the raw operations. */
    @Override
    public ResidualCore recheck(IndexedHistory history, KnownGraph graph, CommitStatus commitStatus, int[] position) {
        return replayed ? ResidualCore.of(new int[0], 0) : check(history, graph, commitStatus, position);
    }

    @Override
    public KeyOrders orderKeys(long skewNanos, boolean maybe) {
        return KeyOrders.of(table, skewNanos, maybe, stop);
    }

    @Override
    public ReadsFrom readsFrom(IndexedHistory.Indeterminate indeterminate, IsolationLevel level) {
        return ReadsFrom.of(table, indeterminate, level);
    }

    @Override
    public Axiom axiom(
            ReadsFrom reads, IndexedHistory.Indeterminate indeterminate, IsolationLevel level, long mostBytes) {
        return level == IsolationLevel.CC
                ? new CausalAxiom(index(indeterminate), mostBytes)
                : new ReadAxiom(reads, level);
    }
}
