package org.polygraph.storage.model;

/** A history cannot be read in pieces. */
public final class WholeHistoryException extends BudgetException {
    private static final long serialVersionUID = 1L;

    private final String what;

    /** @param what of it depends on the whole */
    public WholeHistoryException(String what) {
        super("a history with " + what + " is read as a whole; give --engine embedded");
        this.what = what;
    }

    /** Returns what of the history depends on the whole. */
    public String what() {
        return what;
    }
}
