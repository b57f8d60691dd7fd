package org.polygraph.jobs.application;

/**
 * The engine could not do its work for a reason outside the program: storage, network, a missing cluster (exit code
 * 6). A retry may succeed.
 */
public final class EngineException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** @param message one line: what failed and why */
    public EngineException(String message, Throwable cause) {
        super(message, cause);
    }
}
