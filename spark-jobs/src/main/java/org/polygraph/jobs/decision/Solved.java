package org.polygraph.jobs.decision;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.verdict.Refutation;
import org.polygraph.jobs.verdict.ResidualSize;
import org.polygraph.solver.Outcome;
import org.polygraph.storage.model.BudgetException;

/**
 * What rules and solver found: an order, a refutation, or neither.
 *
 * @param outcome of the solver; null if the rules decided
 * @param residual the problem of the solver and its effort
 * @param proved whether it is a refutation and every step of it was checked
 * @param refutation its steps; null if it is not a refutation, or if the trace is not complete
 */
record Solved(
        @Nullable FoundOrder order,
        @Nullable Outcome outcome,
        ResidualSize residual,
        boolean proved,
        @Nullable Refutation refutation) {
    static final Solved REFUTED_BY_RULES = new Solved(null, null, ResidualSize.NONE, false, null);

    static Solved byRules(int[] position) {
        return new Solved(new FoundOrder(position), null, ResidualSize.NONE, false, null);
    }

    boolean isRefuted() {
        return order == null && !(outcome instanceof Outcome.Unknown);
    }

    /** What a refutation by the solver used. */
    Outcome.Core core() {
        return ((Outcome.Unsatisfiable) Objects.requireNonNull(outcome)).core();
    }

    /** @throws BudgetException if it is neither an order nor a refutation */
    Solved required() {
        if (outcome instanceof Outcome.Unknown unknown) {
            throw new BudgetException("solver: " + unknown.reason());
        }
        return this;
    }
}
