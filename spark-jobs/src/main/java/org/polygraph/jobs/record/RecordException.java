package org.polygraph.jobs.record;

/** A client cannot continue; the message is for people. */
public final class RecordException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    RecordException(String message, Throwable cause) {
        super(message, cause);
    }
}
