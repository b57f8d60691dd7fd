package org.polygraph.jobs.application;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.jobs.certificate.replay.Replay;
import org.polygraph.jobs.decision.Check;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Finding;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.jobs.evidence.Counterexamples;
import org.polygraph.jobs.verdict.Certificate;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.Violation;

/**
 * Makes each PASS and each VIOLATION. A PASS needs an order that independent code has replayed from the raw operations,
 * unless the request declines the replay.
 */
final class VerdictMaker {
    private VerdictMaker() {}

    /** Returns the verdict that follows from a finding, with its evidence. */
    static Verdict.Builder of(Check check, Finding finding) {
        if (finding instanceof Finding.Order order) {
            return pass(check, order);
        }
        if (finding instanceof Finding.Refuted refuted) {
            check.refuted(refuted);
            return violation(check, shown(check, refuted)).refutation(refuted.refutation());
        }
        return violation(check, (Finding.Violated) finding);
    }

    /**
     * Returns the verdict of an order that windows found and replayed.
     *
     * @param certificate where it was written, relative to the run directory; null if it was not
     */
    static Verdict.Builder ofWindows(CheckRequest request, @Nullable String certificate) {
        return Verdict.of(Verdict.Status.PASS, request.level())
                .certificate(new Certificate(Certificate.ORDER, certificate, true));
    }

    private static Finding.Violated shown(Check check, Finding.Refuted refuted) {
        return Counterexamples.of(check, refuted, (rest, request, budget) -> {
            Verdict verdict = new EmbeddedChecker().check(rest, request, Progress.NONE, budget);
            List<Violation> all = new ArrayList<>(verdict.violations());
            all.addAll(verdict.unexplained());
            return all;
        });
    }

    private static Verdict.Builder pass(Check check, Finding.Order order) {
        CheckRequest request = check.request();
        Witness witness = order.witness();
        if (request.replayed() && !order.isReplayed()) {
            check.phases().begin("replay");
            String wrong = Replay.of(witness, check.budget()::exhausted).discrepancy();
            check.phases().end(check.table().operations());
            if (wrong != null) {
                throw new IllegalStateException("the order found does not explain the history: " + wrong);
            }
        }
        return Verdict.of(Verdict.Status.PASS, request.level())
                .certificate(new Certificate(Certificate.ORDER, null, request.replayed()))
                .witness(witness);
    }

    /** Returns the verdict of a refutation with its violations as they were found, as many as are reported. */
    static Verdict.Builder unexplained(Check check, Finding.Refuted refuted) {
        List<Violation> all = refuted.violations();
        int shown = Math.min(all.size(), check.request().mostViolations());
        return violation(
                        check,
                        new Finding.Violated(
                                all.subList(0, shown),
                                all.subList(shown, all.size()),
                                all.size(),
                                refuted.certificate()))
                .refutation(refuted.refutation());
    }

    private static Verdict.Builder violation(Check check, Finding.Violated violated) {
        return Verdict.of(Verdict.Status.VIOLATION, check.request().level())
                .violations(violated.violations(), check.withRows())
                .furtherViolations(violated.unexplained(), violated.found())
                .certificate(violated.certificate());
    }
}
