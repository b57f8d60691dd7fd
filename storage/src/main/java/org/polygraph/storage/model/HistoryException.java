package org.polygraph.storage.model;

/**
 * The input is not a valid history (exit code 5). The message contains the place, what was found, what was expected and
 * a remedy. A path that cannot be read is an {@link java.io.IOException} (exit code 6) instead.
 */
public final class HistoryException extends Exception {
    private static final long serialVersionUID = 1L;

    /**
     * @param where {@code file:line:column}, {@code file:byte N}, or the path
     * @param remedy what the user can do about it
     */
    public HistoryException(String where, String found, String expected, String remedy) {
        super(where + ": found " + found + "; expected " + expected + "; " + remedy);
    }

    /** For errors without an expected counterpart; the message must contain the place and a remedy. */
    public HistoryException(String message) {
        super(message);
    }
}
