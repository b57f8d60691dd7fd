package org.polygraph.jobs.decision;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.polygraph.jobs.application.EmbeddedChecker;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.generate.Workload;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.SuiteScale;

/** Large histories with times that are hard for windows. The construction of each history determines its verdict. */
class AdversarialTimeTest {
    private static final int TRANSACTIONS = SuiteScale.of(30_000, 20_000);

    /** Each check takes a few seconds of CPU time. */
    private static final long MOST_NANOS = TimeUnit.SECONDS.toNanos(120);

    private static Workload generator() {
        return new Workload()
                .seed(71)
                .sessions(50)
                .transactions(TRANSACTIONS)
                .operations(8)
                .keys(20_000)
                .reads(0.5);
    }

    @Test
    void thousandsOfSessionsOverlap() {
        HistoryTable history = generator().sessions(5_000).table();
        passes(history, IsolationLevel.SSER, 0);
        passes(history, IsolationLevel.SER, 0);
    }

    @Test
    void oneTransactionLastsAsLongAsTheHistory() {
        HistoryTable history = generator().table();
        long first = Arrays.stream(history.starts()).min().orElseThrow();
        long last = Arrays.stream(history.ends()).max().orElseThrow();
        for (int session = 0; session < 50; session += 7) {
            // It is the first transaction of a session, because otherwise it would start before the end of the one
            // before it.
            history.ends()[history.firstTransaction(session)] = last;
        }
        history.starts()[history.firstTransaction(50) - 1] = first;
        passes(history, IsolationLevel.SSER, 0);
        passes(history, IsolationLevel.SSI, 0);
        passes(history, IsolationLevel.SER, 0);
    }

    @Test
    void everythingOverlaps() {
        HistoryTable history = generator().table();
        Arrays.fill(history.starts(), 0);
        Arrays.fill(history.ends(), 1);
        passes(history, IsolationLevel.SSER, 0);
        passes(history, IsolationLevel.SER, 0);
    }

    @Test
    void clocksAreOffByMoreThanTheSkew() {
        HistoryTable history = generator().skew(100_000_000).table();
        passes(history, IsolationLevel.SER, 0);
        passes(history, IsolationLevel.SI, 1_000);
        assertThat(status(history, IsolationLevel.SSER, 1_000)).isEqualTo(Verdict.Status.VIOLATION);
    }

    @Test
    void manySessionsWriteFewKeys() {
        HistoryTable history =
                generator().transactions(20_000).sessions(1_000).keys(20).table();
        passes(history, IsolationLevel.SSER, 0);
        passes(history, IsolationLevel.SER, 0);
    }

    private static void passes(HistoryTable history, IsolationLevel level, long skew) {
        assertThat(status(history, level, skew)).as(level.title()).isEqualTo(Verdict.Status.PASS);
    }

    private static Verdict.Status status(HistoryTable history, IsolationLevel level, long skew) {
        return new EmbeddedChecker()
                .check(
                        history,
                        new CheckRequest(level, TimeMode.HINT, skew, IndeterminateMode.MAYBE),
                        Progress.NONE,
                        Budget.starting(MOST_NANOS, Runtime.getRuntime().maxMemory()))
                .status();
    }
}
