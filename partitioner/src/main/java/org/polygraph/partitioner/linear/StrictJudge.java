package org.polygraph.partitioner.linear;

import it.unimi.dsi.fastutil.ints.IntSet;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.table.HistoryTable;

/** Decides strict serializability for the operations of keys. */
public interface StrictJudge {
    /**
     * Looks for an order near the one that a history has.
     *
     * @param refuting gets transactions that a refutation names, if it is known that there is no order
     * @return the transactions that count, in turn; null if none was found with little work
     * @throws org.polygraph.storage.model.BudgetException if the budget ends
     */
    int @Nullable [] near(StrictHistory history, IntSet refuting);

    /**
     * Decides a history.
     *
     * @param refuting gets transactions that a refutation names, if no order explains the history
     * @return the transactions that count, in turn; null if no order explains it
     * @throws org.polygraph.storage.model.BudgetException if the budget ends
     */
    int @Nullable [] order(StrictHistory history, IntSet refuting);

    /** Whether a small history violates strict serializability; false also if the budget for that ends. */
    boolean violates(HistoryTable history);
}
