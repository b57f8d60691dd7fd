package org.polygraph.jobs.decision;

import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.axiom.Axiom;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.index.CommitStatus;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.index.ReadsFrom;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.linear.KeyOrders;
import org.polygraph.partitioner.residual.ResidualCore;

/**
 * The phases that pass over all operations or all events of one history: engines differ in these alone. Each throws a
 * {@link org.polygraph.storage.model.BudgetException} if the budget ends.
 */
public interface Kernels {
    /** Indexes the history. */
    IndexedHistory index(IndexedHistory.Indeterminate indeterminate);

    /** Replaces {@link #index} by an index that an earlier process made. */
    void restore(IndexedHistory history);

    /**
     * Closure, rules and order for a graph of the history. The caller closes them.
     *
     * @param history as it was indexed or restored: no read of it has been decided since
     * @param bytes of heap that the closure may take
     * @param tuning what holds reachability where real time is part of the graph, on how many threads
     * @return null if it does not fit
     */
    @Nullable
    Rules rules(IndexedHistory history, KnownGraph graph, long bytes, Tuning tuning);

    /**
     * Checks every key against an order.
     *
     * @param commitStatus optional transactions are taken as not committed
     * @param position of each event
     */
    ResidualCore check(IndexedHistory history, KnownGraph graph, CommitStatus commitStatus, int[] position);

    /**
     * The same for the order that the solver answered with, which must violate nothing. An engine may return an empty
     * core without a check if the replay that follows covers it.
     */
    ResidualCore recheck(IndexedHistory history, KnownGraph graph, CommitStatus commitStatus, int[] position);

    /**
     * Orders the operations of every key, for lin.
     *
     * @param maybe whether unknown outcomes may have taken effect
     * @return keys may be left open when the budget ends
     */
    KeyOrders orderKeys(long skewNanos, boolean maybe);

    /** Finds the transaction that each read read from, for RC, RA and CC. */
    ReadsFrom readsFrom(IndexedHistory.Indeterminate indeterminate, IsolationLevel level);

    /**
     * What RC, RA or CC demands of the commit order.
     *
     * @param reads as they were found for that level
     * @param mostBytes that clocks may take
     */
    Axiom axiom(ReadsFrom reads, IndexedHistory.Indeterminate indeterminate, IsolationLevel level, long mostBytes);
}
