package org.polygraph.benchmarks.experiment;

import org.polygraph.jobs.application.EmbeddedChecker;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.jobs.decision.Tuning;
import org.polygraph.jobs.verdict.Certificate;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.storage.table.HistoryTable;

/**
 * A second opinion on a verdict. A PASS was replayed from raw operations already, which is exact. A VIOLATION must be
 * confirmed by the {@link Refuter} or, where its rules do not suffice, by the solver alone with a refutation that is
 * checked step by step.
 */
final class Judge {
    private static final long MOST_NANOS = 300_000_000_000L;

    private Judge() {}

    /** In a few words; CONTRADICTED is a bug in one of the two. */
    static String of(HistoryTable table, Verdict verdict) {
        if (verdict.status() == Verdict.Status.UNKNOWN) {
            return "";
        }
        if (verdict.status() == Verdict.Status.PASS) {
            return "replayed";
        }
        boolean refuted = new Refuter(table, verdict.level().eventsPerTransaction()).refutes();
        return refuted ? "cycle found again" : byProof(table, verdict);
    }

    private static String byProof(HistoryTable table, Verdict verdict) {
        Verdict again = new EmbeddedChecker(Tuning.DEFAULT.withRounds(Tuning.NO_RULES))
                .check(
                        table,
                        CheckRequest.of(verdict.level()),
                        Progress.NONE,
                        Budget.starting(MOST_NANOS, Runtime.getRuntime().maxMemory()));
        if (again.status() == Verdict.Status.PASS) {
            return "CONTRADICTED by an order";
        }
        Certificate certificate = again.certificate();
        boolean proved = certificate != null && certificate.kind().equals("proof") && certificate.verified();
        return proved ? "proof checked" : "open";
    }
}
