package org.polygraph.partitioner.closure;

import org.polygraph.storage.model.BudgetException;

/** The rows of a time closure outgrew their memory. A caller can still decide without a closure. */
public final class OutgrownException extends BudgetException {
    private static final long serialVersionUID = 1L;

    /** @param mostBytes the most bytes that the rows may take */
    public OutgrownException(long mostBytes) {
        super("rows of reachability need more than " + mostBytes + " bytes; too many transactions overlap");
    }
}
