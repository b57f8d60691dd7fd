package org.polygraph.jobs.application;

import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Checkpoints;
import org.polygraph.jobs.decision.Decision;
import org.polygraph.jobs.decision.InMemoryKernels;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.jobs.decision.Tuning;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.storage.table.HistoryTable;

/**
 * All stages in this JVM, one thread: index, closure and saturation in turn, order, check by key, solver for what is
 * left, replay of the order against the raw history.
 */
public final class EmbeddedChecker implements Checker {
    private final Tuning tuning;

    /** The engine as it is used. */
    public EmbeddedChecker() {
        this(Tuning.DEFAULT);
    }

    /** For tests and measurements. */
    public EmbeddedChecker(Tuning tuning) {
        this.tuning = tuning;
    }

    @Override
    public Verdict check(HistoryTable table, CheckRequest request, Progress progress, Budget budget) {
        return check(table, request, progress, budget, Checkpoints.NONE);
    }

    @Override
    public Verdict check(
            HistoryTable whole, CheckRequest request, Progress progress, Budget budget, Checkpoints stages) {
        HistoryTable table = request.judged(whole);
        Decision decision = new Decision(table, request, progress, budget, stages);
        return decision.make(new InMemoryKernels(table, request.replayed(), budget::exhausted), tuning);
    }
}
