package org.polygraph.jobs.application;

import org.polygraph.jobs.generate.Generator;

/** Makes engines. A command makes only the one that it uses. */
public interface Engines {
    /** Returns the checker in this JVM. It loads no Spark class. */
    Checker embedded();

    /**
     * Returns the checker that decides in this JVM what fits in its memory, and the rest by windows: on a cluster if the
     * master is one, else on threads of this process.
     */
    Checker auto(String master) throws EngineMissingException;

    /** Returns the checker by Spark, on a cluster or in this JVM. */
    Checker spark(String master) throws EngineMissingException;

    /** Returns a generator on Spark. It starts no session before it is used. */
    default Generator sparkGenerator(String master) throws EngineMissingException {
        throw new EngineMissingException("no generator on " + master);
    }

    /** The engine is not on the class path (exit code 2); the message contains the remedy. */
    final class EngineMissingException extends Exception {
        private static final long serialVersionUID = 1L;

        public EngineMissingException(String message) {
            super(message);
        }
    }
}
