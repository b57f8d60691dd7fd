package org.polygraph.jobs.decision;

import org.jspecify.annotations.Nullable;
import org.polygraph.storage.model.BudgetException;

/** One way to look for an order that explains the history, or for a cycle that refutes it. */
@FunctionalInterface
public interface Strategy {
    /**
     * Tries it.
     *
     * @return an order or a violation, either of which decides; null if this strategy finds neither
     * @throws BudgetException if a budget ends
     */
    @Nullable
    Finding find();

    /** Returns a strategy that finds nothing if it runs out of its share of the budget. */
    static Strategy optional(Budget whole, Strategy strategy) {
        return () -> {
            try {
                return strategy.find();
            } catch (BudgetException e) {
                if (whole.exhausted()) {
                    throw e;
                }
                return null;
            }
        };
    }
}
