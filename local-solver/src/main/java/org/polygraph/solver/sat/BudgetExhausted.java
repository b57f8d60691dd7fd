package org.polygraph.solver.sat;

/** Time, memory or patience ran out; the search that throws it is abandoned and must not be used again. */
public final class BudgetExhausted extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** @param reason what ran out, for the user */
    public BudgetExhausted(String reason) {
        super(reason, null, false, false);
    }
}
