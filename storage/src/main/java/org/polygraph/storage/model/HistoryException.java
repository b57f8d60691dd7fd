package org.polygraph.storage.model;

/**
 * The input is not a valid history (exit code 5): the message says where, what was found, what was expected and what
 * to do. Not for a path that cannot be read: that is an {@link java.io.IOException} (exit code 6).
 */
public final class HistoryException extends Exception {
    private static final long serialVersionUID = 1L;

    /**
     * @param where {@code file:line:column}, {@code file:byte N}, or the path
     * @param found what is there
     * @param expected what should be there
     * @param remedy what the user can do about it
     */
    public HistoryException(String where, String found, String expected, String remedy) {
        super(where + ": found " + found + "; expected " + expected + "; " + remedy);
    }

    /** For conditions that have no expected counterpart; the message must still say where and what to do. */
    public HistoryException(String message) {
        super(message);
    }
}
