package org.polygraph.jobs.application;

import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.jobs.certificate.replay.RecordedReplay;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.Check;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Finding;
import org.polygraph.jobs.decision.PhaseClock;
import org.polygraph.jobs.verdict.Counts;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.table.PredicateReads;

/**
 * Decides one level of a history in memory. If the budget ends, the verdict is UNKNOWN. {@link VerdictMaker} turns a
 * finding into a verdict.
 */
final class LevelCheck {
    /** The most evaluations of a predicate on a row that are made here. They take at most 0.1 s. */
    private static final long MOST_EVALUATIONS = 20_000_000;

    private LevelCheck() {}

    /** Returns the verdict on the history of a check. Its caller adds the path and the elapsed time. */
    static Verdict.Builder of(Check check, Checker checker) {
        String how = "failed";
        try {
            check.phases().listener(checker.engine().listening(check.phases().listener()));
            Verdict.Builder verdict = check.table().predicates() == null
                    ? of(check, () -> checker.find(check))
                    : check.request().level().isAxiom()
                            ? PredicatesAtCommits.of(check, checker)
                            : PredicateRefinement.of(check, checker);
            evaluate(verdict.witness(), check);
            how = verdict.status().name();
            return verdict;
        } finally {
            checker.engine().ended(how);
        }
    }

    /** Returns the verdict that follows from a finding, or UNKNOWN if the budget ends before it is found. */
    static Verdict.Builder of(Check check, Supplier<Finding> finding) {
        PhaseClock phases = check.phases();
        Deadline.Step<Verdict.Builder, RuntimeException, RuntimeException> step =
                () -> VerdictMaker.of(check, finding.get());
        Verdict.Builder verdict = Objects.requireNonNull(
                withinBudget(check.request(), check.budget(), phases::phase, () -> Deadline.run(check.budget(), step)));
        Finding.Refuted refuted = check.refutation();
        if (verdict.status() == Verdict.Status.UNKNOWN && refuted != null) {
            // The verdict was known when the budget ended. Only evidence is missing.
            verdict = VerdictMaker.unexplained(check, refuted);
        }
        phases.addTo(verdict);
        return verdict.counts(Counts.of(check.table()))
                .residual(check.residual())
                .assumptions(check.request().assumptions(check.table(), check.hasUniqueValues()));
    }

    /**
     * Returns the verdict that a step makes, or UNKNOWN if the step runs out of its budget. The step returns null if
     * there is no verdict yet.
     */
    static <E extends Exception, F extends Exception> Verdict.@Nullable Builder withinBudget(
            CheckRequest request, Budget budget, Supplier<String> phase, Deadline.Step<Verdict.Builder, E, F> step)
            throws E, F {
        String reason;
        try {
            return step.run();
        } catch (BudgetException e) {
            reason = budget.exhausted() ? budget.exhaustion(phase.get()) : Failures.text(e);
        } catch (OutOfMemoryError e) {
            // What the check held is garbage now, so there is memory for the verdict.
            reason = budget.shortage(phase.get());
        }
        return Verdict.of(Verdict.Status.UNKNOWN, request.level()).reason(reason);
    }

    /**
     * Replays the order of a small history with predicates on its recorded operations. The order of a large history is
     * replayed where it is found, and by the command verify.
     */
    private static void evaluate(@Nullable Witness witness, Check check) {
        PredicateReads predicates = check.table().predicates();
        if (witness == null
                || predicates == null
                || !predicates.areAllRead()
                || check.table().unknownRows() != null
                || check.request().level().isAxiom()
                || !check.request().replayed()
                || RecordedReplay.cost(check.table()) > MOST_EVALUATIONS) {
            return;
        }
        RecordedReplay.Result result = RecordedReplay.of(witness);
        if (result != null && result.discrepancy() != null) {
            throw new IllegalStateException("the order found does not explain the predicates: " + result.discrepancy());
        }
    }
}
