package org.polygraph.jobs.application;

import org.polygraph.jobs.decision.Check;
import org.polygraph.jobs.decision.Finding;
import org.polygraph.jobs.decision.InMemoryKernels;
import org.polygraph.jobs.decision.Tuning;

/** The embedded engine: all kernels in this JVM. */
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
    public Finding find(Check check) {
        InMemoryKernels kernels =
                new InMemoryKernels(check.table(), check.request().replayed(), check.budget()::exhausted);
        return Checker.find(check, kernels, tuning);
    }
}
