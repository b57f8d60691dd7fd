package org.polygraph.storage.model;

/**
 * A budget of memory or time ran out before the work was done: the answer is UNKNOWN (exit code 4), never a wrong one
 * and never a partial result. Unchecked, because every stage can run out and only the outermost caller can answer.
 */
public final class BudgetException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** @param message what ran out, how far the work got and what budget would do */
    public BudgetException(String message) {
        super(message);
    }
}
