package org.polygraph.jobs.cli;

import java.util.List;
import org.polygraph.jobs.application.Checker;
import org.polygraph.jobs.application.ConfigurationException;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.jobs.verdict.Certificate;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.table.HistoryTable;

/** An engine that answers what the first session's number asks for, and counts how often it is asked. */
final class FakeChecker implements Checker {
    static final int PASS = 0;
    static final int VIOLATION = 3;
    static final int UNKNOWN = 4;
    static final int BUG = 91;
    static final int OUT_OF_MEMORY = 92;
    static final int SLOW = 93;
    static final int MISCONFIGURED = 94;

    int checks;

    @Override
    public Verdict check(HistoryTable table, CheckRequest request, Progress progress, Budget budget) {
        checks++;
        progress.stage("faking");
        switch ((int) table.sessionLabel(0)) {
            case VIOLATION -> {
                return Verdict.of(Verdict.Status.VIOLATION, request.level())
                        .violations(
                                List.of(new Violation(
                                        Anomaly.ABORTED_READ, List.of(0), List.of(0), List.of(), "for a test")),
                                table)
                        .assumptions(request.assumptions(table, true))
                        .certificate(new Certificate("cycle", null, false))
                        .build();
            }
            case UNKNOWN -> {
                return unknown(request, "tired");
            }
            case MISCONFIGURED -> throw new ConfigurationException("found 1; expected 2; give 2");
            case BUG -> throw new IllegalStateException("a bug");
            case OUT_OF_MEMORY -> throw new OutOfMemoryError("for a test");
            case SLOW -> {
                while (!budget.exhausted()) {
                    Thread.onSpinWait();
                }
                return unknown(request, budget.exhaustion("faking"));
            }
            default -> {
                return Verdict.of(Verdict.Status.PASS, request.level()).build();
            }
        }
    }

    private static Verdict unknown(CheckRequest request, String reason) {
        return Verdict.of(Verdict.Status.UNKNOWN, request.level())
                .reason(reason)
                .build();
    }
}
