package org.polygraph.jobs.application;

/** Settings with which an engine cannot work (exit code 2). Nothing has been decided; a retry is useless. */
public final class ConfigurationException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** @param message one line: what was found, what was expected, what to do */
    public ConfigurationException(String message) {
        super(message);
    }
}
