package org.polygraph.jobs.application;

import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.jobs.certificate.replay.RecordedReplay;
import org.polygraph.jobs.certificate.replay.Replay;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.Check;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Checkpoints;
import org.polygraph.jobs.decision.Finding;
import org.polygraph.jobs.decision.PhaseClock;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.jobs.evidence.Counterexamples;
import org.polygraph.jobs.verdict.Certificate;
import org.polygraph.jobs.verdict.Counts;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.partitioner.subhistory.WholeHistoryIds;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.table.PredicateReads;

/**
 * Makes verdicts of findings, and turns an exhausted budget into UNKNOWN. No other class does either. A PASS needs an
 * order that independent code has replayed from the raw operations, unless the request declines the replay.
 */
final class VerdictMaker {
    /** Predicates times rows; fewer take less than 0.1 s. */
    private static final long MOST_EVALUATIONS = 20_000_000;

    private VerdictMaker() {}

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

    /** Returns the verdict on a history in memory. Its caller adds the path and the elapsed time. */
    static Verdict.Builder of(Check check, Checker checker) {
        String how = "failed";
        try {
            Verdict.Builder verdict = check.table().predicates() == null
                            || check.request().level().isAxiom()
                    ? of(check, () -> checker.find(check))
                    : PredicateRefinement.of(check, checker);
            evaluate(verdict.build().witness(), check);
            how = verdict.status().name();
            return verdict;
        } finally {
            checker.ended(how);
        }
    }

    /**
     * Replays the order of a small history with predicates as it was recorded. An order of a large one is replayed by
     * what found it, and by verify.
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

    /** Returns the same with another source of the finding. */
    static Verdict.Builder of(Check check, Supplier<Finding> finding) {
        PhaseClock phases = check.phases();
        Deadline.Step<Verdict.Builder, RuntimeException, RuntimeException> step = () -> of(check, finding.get());
        Verdict.Builder verdict = Objects.requireNonNull(
                withinBudget(check.request(), check.budget(), phases::phase, () -> Deadline.run(check.budget(), step)));
        Finding.Refuted refuted = check.refutation();
        if (verdict.status() == Verdict.Status.UNKNOWN && refuted != null) {
            // The verdict was known when the budget ended. Only evidence is missing.
            verdict = violation(check, unexplained(refuted, check.request().mostViolations()))
                    .refutation(refuted.refutation());
        }
        phases.addTo(verdict);
        return verdict.counts(Counts.of(check.table()))
                .residual(check.residual())
                .windows(check.windows())
                .assumptions(check.request().assumptions(check.table(), check.hasUniqueValues()));
    }

    private static Verdict.Builder of(Check check, Finding finding) {
        if (finding instanceof Finding.Order order) {
            return pass(check, order);
        }
        if (finding instanceof Finding.Choices choices) {
            return Verdict.of(Verdict.Status.PASS, check.request().level())
                    .certificate(new Certificate(Certificate.CHOICES, null, choices.isVerified()));
        }
        if (finding instanceof Finding.Refuted refuted) {
            check.refuted(refuted);
            return violation(check, shown(check, refuted)).refutation(refuted.refutation());
        }
        if (finding instanceof Finding.RefutedAlone alone) {
            return violation(check, shown(check, alone));
        }
        return violation(check, (Finding.Violated) finding);
    }

    private static Finding.Violated shown(Check check, Finding.Refuted refuted) {
        return Counterexamples.of(check, refuted, (rest, request, budget) -> new EmbeddedChecker()
                .check(rest, request, Progress.NONE, budget)
                .violations());
    }

    /**
     * Looks for the evidence among the transactions that are refuted alone. A proof is left out, because it would be
     * about these transactions only.
     */
    private static Finding.Violated shown(Check check, Finding.RefutedAlone alone) {
        WholeHistoryIds ids = new WholeHistoryIds(alone.selection());
        check.refuted(new Finding.Refuted(ids.of(alone.refuted().violations())));
        Check sub =
                new Check(alone.selection().table(), check.request(), Progress.NONE, check.budget(), Checkpoints.NONE);
        check.phases().begin("evidence");
        Finding.Violated shown = shown(sub, alone.refuted());
        check.phases().end(shown.violations().size());
        return new Finding.Violated(
                ids.of(shown.violations()), ids.of(shown.unexplained()), shown.found(), shown.certificate());
    }

    private static Verdict.Builder pass(Check check, Finding.Order order) {
        CheckRequest request = check.request();
        Witness witness = order.witness();
        if (request.replayed() && !order.isReplayed()) {
            check.phases().begin("replay");
            String wrong = Replay.of(witness).discrepancy();
            check.phases().end(check.table().operations());
            if (wrong != null) {
                throw new IllegalStateException("the order found does not explain the history: " + wrong);
            }
        }
        return Verdict.of(Verdict.Status.PASS, request.level())
                .certificate(new Certificate("order", null, request.replayed()))
                .witness(witness);
    }

    /** Returns violations as they were found, as many as are reported. */
    private static Finding.Violated unexplained(Finding.Refuted refuted, int most) {
        List<Violation> all = refuted.violations();
        int shown = Math.min(all.size(), most);
        return new Finding.Violated(
                all.subList(0, shown), all.subList(shown, all.size()), all.size(), refuted.certificate());
    }

    private static Verdict.Builder violation(Check check, Finding.Violated violated) {
        return Verdict.of(Verdict.Status.VIOLATION, check.request().level())
                .violations(violated.violations(), check.withRows())
                .furtherViolations(violated.unexplained(), violated.found())
                .certificate(violated.certificate());
    }
}
