package org.polygraph.jobs.application;

import org.polygraph.jobs.decision.Tuning;

/** The embedded engine decides the whole history in this JVM. */
public final class EmbeddedChecker implements Checker {
    private final Tuning tuning;

    /** Creates the engine with its default tuning. */
    public EmbeddedChecker() {
        this(Tuning.DEFAULT);
    }

    /** Creates an engine for tests and measurements. */
    public EmbeddedChecker(Tuning tuning) {
        this.tuning = tuning;
    }

    @Override
    public Tuning tuning() {
        return tuning;
    }
}
