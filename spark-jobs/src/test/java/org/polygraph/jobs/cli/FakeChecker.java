package org.polygraph.jobs.cli;

import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.application.Checker;
import org.polygraph.jobs.application.ConfigurationException;
import org.polygraph.jobs.application.Engine;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.Check;
import org.polygraph.jobs.decision.Finding;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.jobs.verdict.Certificate;
import org.polygraph.jobs.windows.Workers;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.TransactionStatus;

/** An engine whose answer depends on the number of the first session. It counts its calls. */
final class FakeChecker implements Engine, Function<Check, Finding> {
    static final int PASS = 0;
    static final int VIOLATION = 3;
    static final int UNKNOWN = 4;
    static final int BUG = 91;
    static final int OUT_OF_MEMORY = 92;
    static final int SLOW = 93;
    static final int MISCONFIGURED = 94;

    int checks;

    Checker checker() {
        return new Checker(this, 0, false, this);
    }

    /** Its answers are not replaced by those of windows. */
    @Override
    public Workers workers(@Nullable Location scratch, Progress progress, Budget budget) {
        throw new BudgetException("no workers");
    }

    @Override
    public Finding apply(Check check) {
        checks++;
        check.phases().begin("faking");
        switch ((int) check.table().sessionLabel(0)) {
            case VIOLATION -> {
                return new Finding.Violated(
                        List.of(new Violation(Anomaly.ABORTED_READ, List.of(0), List.of(0), List.of(), "for a test")),
                        List.of(),
                        1,
                        new Certificate("cycle", null, false));
            }
            case UNKNOWN -> throw new BudgetException("tired");
            case MISCONFIGURED -> throw new ConfigurationException("found 1; expected 2; give 2");
            case BUG -> throw new IllegalStateException("a bug");
            case OUT_OF_MEMORY -> throw new OutOfMemoryError("for a test");
            case SLOW -> {
                while (!check.budget().exhausted()) {
                    Thread.onSpinWait();
                }
                throw Budget.ended();
            }
            default -> {
                return pass(check);
            }
        }
    }

    /** An order that no replay has seen. */
    static Finding pass(Check check) {
        int events = check.request().terms().guarantee().events();
        boolean[] counted = new boolean[check.table().transactions()];
        for (int t = 0; t < counted.length; t++) {
            counted[t] = check.table().status(t) == TransactionStatus.COMMITTED;
        }
        int[] position = IntStream.range(0, events * counted.length).toArray();
        return new Finding.Order(new Witness(check.table(), check.request().terms(), counted, position), true);
    }
}
