package org.polygraph.storage.model;

/**
 * A budget of memory or time ran out before the work was done. The verdict is UNKNOWN (exit code 4), never a wrong or
 * partial one. Unchecked, because every phase can throw it and only the outermost caller handles it.
 */
public class BudgetException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The remedy if memory is short while a history is read, by any engine. */
    public static final String MORE_MEMORY =
            "give more memory: --memory for check; -Xmx in JAVA_OPTS for other commands, or if the heap is the limit;"
                    + " -Xmx for a program";

    /** @param message what ran out, how far the work got and what budget would do */
    public BudgetException(String message) {
        super(message);
    }
}
