package org.polygraph.jobs.record;

/** A client cannot continue. The message is shown to the user. */
public final class RecordException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    RecordException(String message, Throwable cause) {
        super(message, cause);
    }
}
