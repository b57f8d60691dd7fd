package org.polygraph.storage.model;

import java.util.function.BooleanSupplier;

/**
 * The time of a check ended, or the check was cancelled, before the work was done. The caller knows which and reports
 * it.
 */
public final class StoppedException extends BudgetException {
    private static final long serialVersionUID = 1L;

    public StoppedException() {
        super("the work was stopped before it was done");
    }

    /**
     * Returns if the work may go on.
     *
     * @throws StoppedException if not
     */
    public static void check(BooleanSupplier stop) {
        if (stop.getAsBoolean()) {
            throw new StoppedException();
        }
    }
}
