package org.polygraph.solver.sat;

/** Memory ran out: what is known of the order may be worth another search that begins there. */
public final class MemoryExhausted extends BudgetExhausted {
    private static final long serialVersionUID = 1L;

    /** @param reason what there was and what was needed, for the user */
    public MemoryExhausted(String reason) {
        super(reason);
    }
}
