package org.polygraph.storage.model;

/**
 * A budget of memory or time ran out before the work was done: the answer is UNKNOWN (exit code 4), never a wrong one
 * and never a partial result. Unchecked, because every stage can run out and only the outermost caller can answer.
 */
public class BudgetException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** What to do where memory is short while a history is read, by whatever reads it; Spark's driver holds it just as well. */
    public static final String MORE_MEMORY =
            "give more memory: --memory to a check; -Xmx to a program, and in JAVA_OPTS to other commands or where that is the limit";

    /** @param message what ran out, how far the work got and what budget would do */
    public BudgetException(String message) {
        super(message);
    }
}
