package org.polygraph.jobs.application;

import org.polygraph.jobs.decision.Check;
import org.polygraph.jobs.decision.Decision;
import org.polygraph.jobs.decision.Finding;
import org.polygraph.jobs.decision.Kernels;
import org.polygraph.jobs.decision.Tuning;
import org.polygraph.jobs.weak.LinearDecision;
import org.polygraph.jobs.weak.WeakLevelDecision;

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
    public Finding find(Check check) {
        Kernels kernels = new Kernels(check.table(), check.request().replayed(), check.budget()::exhausted);
        return switch (check.request().level()) {
            case RC, RA, CC -> WeakLevelDecision.of(check, kernels);
            case LIN -> LinearDecision.of(check, kernels);
            default -> Decision.of(check, kernels, tuning);
        };
    }
}
