package org.polygraph.jobs.decision;

import java.util.function.BooleanSupplier;
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
 * The phases that pass over all operations or all events of one history. Each throws a {@link
 * org.polygraph.storage.model.BudgetException} if the budget ends.
 *
 * @param replayed whether a replay follows, which reads the same memory and the raw operations
 * @param stop whether the budget is exhausted
 */
public record Kernels(HistoryTable table, boolean replayed, BooleanSupplier stop) {
    /** Indexes the history. */
    public IndexedHistory index(IndexedHistory.Indeterminate indeterminate) {
        return IndexedHistory.of(table, indeterminate, stop);
    }

    /**
     * Checks every key against an order.
     *
     * @param commitStatus optional transactions are taken as not committed
     * @param position of each event
     */
    public ResidualCore check(IndexedHistory history, KnownGraph graph, CommitStatus commitStatus, int[] position) {
        return ResidualCore.of(graph, history.versions(), commitStatus, position, stop);
    }

    /**
     * The same for the order that the solver answered with, which must violate nothing. It is not checked if a replay follows, because
     * the replay reads the same memory and the raw operations.
     */
    public ResidualCore recheck(IndexedHistory history, KnownGraph graph, CommitStatus commitStatus, int[] position) {
        return replayed ? ResidualCore.of(new int[0], 0) : check(history, graph, commitStatus, position);
    }

    /**
     * Orders the operations of every key, for lin.
     *
     * @param maybe whether unknown outcomes may have taken effect
     * @return keys may be left open when the budget ends
     */
    public KeyOrders orderKeys(long skewNanos, boolean maybe) {
        return KeyOrders.of(table, skewNanos, maybe, stop);
    }

    /** Finds the transaction that each read read from, for RC, RA and CC. */
    public ReadsFrom readsFrom(IndexedHistory.Indeterminate indeterminate, IsolationLevel level) {
        return ReadsFrom.of(table, indeterminate, level);
    }

    /**
     * What RC, RA or CC demands of the commit order.
     *
     * @param reads as they were found for that level
     * @param mostBytes that clocks may take
     */
    public Axiom axiom(
            ReadsFrom reads, IndexedHistory.Indeterminate indeterminate, IsolationLevel level, long mostBytes) {
        return level == IsolationLevel.CC
                ? new CausalAxiom(index(indeterminate), mostBytes)
                : new ReadAxiom(reads, level);
    }
}
