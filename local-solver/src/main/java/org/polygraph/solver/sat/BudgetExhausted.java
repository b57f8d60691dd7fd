package org.polygraph.solver.sat;

/** A budget ran out: time, memory or the stop signal. The search that throws it must not be used again. */
public final class BudgetExhausted extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** @param reason which budget, as text for the user */
    public BudgetExhausted(String reason) {
        super(reason, null, false, false);
    }
}
