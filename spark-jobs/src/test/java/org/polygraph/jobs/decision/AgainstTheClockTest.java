package org.polygraph.jobs.decision;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.polygraph.jobs.application.EmbeddedChecker;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.jobs.certificate.replay.Replay;
import org.polygraph.jobs.verdict.Certificate;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.graph.RealTime;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.SubHistory;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.partitioner.prune.Rules;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistorySelection;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.AgainstTheClock;
import org.polygraph.storage.testkit.BruteForceChecker;
import org.polygraph.storage.testkit.HistoryDsl;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.SuiteScale;

/**
 * Compares strict levels with all orders, for sessions that run against the clock and open outcomes: a start that binds
 * only if its transaction commits must be obeyed if it commits, and must not bind otherwise.
 */
class AgainstTheClockTest {
    private static final List<IsolationLevel> LEVELS = List.of(IsolationLevel.SSER, IsolationLevel.SSI);
    private static final List<Tuning> TUNINGS = List.of(
            Tuning.DEFAULT,
            Tuning.DEFAULT.withRows(Rules.RealTimeRows.CHAINS),
            Tuning.DEFAULT.withRounds(1),
            Tuning.DEFAULT.withRounds(Tuning.NO_RULES));

    private int judged;
    private int open;
    private int chosen;
    private int passes;
    private int proofs;

    @Test
    void agreesWithAllOrders() {
        run(0xc10c4, SuiteScale.of(4_000));
    }

    /** Joins many histories, which are independent for the solver: the whole keeps a level iff each of them does. */
    @Test
    void agreesInParts() {
        int open = 0;
        for (IsolationLevel level : LEVELS) {
            List<long[]> bySeeds = seeds(0xc10c6, level, 600);
            long[] holding = bySeeds.get(0);
            long[] violating = bySeeds.get(1);
            for (int i = 0; i + 30 <= holding.length; i += 30) {
                long[] some = Arrays.copyOfRange(holding, i, i + 30);
                open += openStarts(AgainstTheClock.of(some));
                for (boolean holds : new boolean[] {true, false}) {
                    if (!holds) {
                        some[i % 29] = violating[i % violating.length];
                    }
                    HistoryTable history = AgainstTheClock.of(some);
                    for (Tuning tuning : TUNINGS) {
                        assertThat(new EmbeddedChecker(tuning)
                                        .check(history, CheckRequest.of(level), Progress.NONE, Budget.unlimited())
                                        .status())
                                .as("%s %s %d %s", tuning, level, i, HistoryDsl.print(history))
                                .isEqualTo(holds ? Verdict.Status.PASS : Verdict.Status.VIOLATION);
                    }
                }
            }
        }
        assertThat(open).isGreaterThan(20);
    }

    /** Seeds of histories that keep the level, and of those that violate it. */
    private static List<long[]> seeds(long seed, IsolationLevel level, int histories) {
        LongStream.Builder holding = LongStream.builder();
        LongStream.Builder violating = LongStream.builder();
        for (int i = 0; i < histories; i++) {
            long own = SplitMix.seedOf(seed, i);
            switch (BruteForceChecker.judge(AgainstTheClock.of(own), BruteForceChecker.Level.valueOf(level.name()))) {
                case ACCEPTED -> holding.add(own);
                case REJECTED -> violating.add(own);
                case INVALID -> {}
            }
        }
        return List.of(holding.build().toArray(), violating.build().toArray());
    }

    private static int openStarts(HistoryTable history) {
        IndexedHistory index = IndexedHistory.of(history, IndexedHistory.Indeterminate.MAYBE);
        RealTime time = RealTime.of(history, index.commitStatus(), 0);
        return time == null ? 0 : time.openStarts().length;
    }

    private void run(long seed, int histories) {
        for (int i = 0; i < histories; i++) {
            HistoryTable history = AgainstTheClock.of(SplitMix.seedOf(seed, i));
            if (history.starts() == null) {
                continue;
            }
            for (IsolationLevel level : LEVELS) {
                BruteForceChecker.Verdict truth =
                        BruteForceChecker.judge(history, BruteForceChecker.Level.valueOf(level.name()));
                if (truth != BruteForceChecker.Verdict.INVALID) {
                    String what = HistoryDsl.print(history) + " " + level + " seed " + seed + " " + i;
                    judge(history, level, truth == BruteForceChecker.Verdict.ACCEPTED, what);
                }
            }
        }
        System.out.println(histories + " histories from seed " + seed + ": " + judged + " verdicts, " + passes
                + " passes, "
                + open + " with open starts, " + chosen + " of these passed with one of them committed, " + proofs
                + " refutations proved");
        assertThat(open).isGreaterThan(histories / 20);
        assertThat(chosen).isPositive();
        assertThat(passes).isBetween(judged / 10, judged / 10 * 9);
    }

    private void judge(HistoryTable history, IsolationLevel level, boolean holds, String what) {
        CheckRequest request = new CheckRequest(level, TimeMode.STRICT, 0, IndeterminateMode.MAYBE);
        IndexedHistory index = IndexedHistory.of(history, IndexedHistory.Indeterminate.MAYBE);
        RealTime time = RealTime.of(history, index.commitStatus(), 0);
        int[] starts = time == null ? new int[0] : time.openStarts();
        judged++;
        open += starts.length > 0 ? 1 : 0;
        passes += holds ? 1 : 0;
        for (Tuning tuning : TUNINGS) {
            Verdict verdict = new EmbeddedChecker(tuning).check(history, request, Progress.NONE, Budget.unlimited());
            assertThat(verdict.status())
                    .as("%s %s", tuning, what)
                    .isEqualTo(holds ? Verdict.Status.PASS : Verdict.Status.VIOLATION);
            if (holds) {
                Witness witness = Objects.requireNonNull(verdict.witness(), what);
                assertThat(Replay.of(witness).discrepancy()).as(what).isNull();
                for (int t : starts) {
                    if (witness.counted()[t]) {
                        assertThat(history.status(t)).as(what).isEqualTo(TransactionStatus.INDETERMINATE);
                        chosen++;
                        break;
                    }
                }
            } else {
                violates(history, level, verdict, what);
            }
        }
    }

    private void violates(HistoryTable history, IsolationLevel level, Verdict verdict, String what) {
        assertThat(verdict.violations()).as(what).isNotEmpty();
        Certificate certificate = Objects.requireNonNull(verdict.certificate(), what);
        if (certificate.kind().equals("proof")) {
            assertThat(certificate.verified()).as(what).isTrue();
            proofs++;
        }
        for (Violation violation : verdict.violations()) {
            SubHistory part = Objects.requireNonNull(violation.minimal(), what);
            // Times alone may contradict a session if a transaction has no operations. Here all have some.
            HistoryTable shown = HistorySelection.of(history, part.operations()).table();
            assertThat(BruteForceChecker.judge(shown, BruteForceChecker.Level.valueOf(level.name())))
                    .as("%s shown by %s", what, HistoryDsl.print(shown))
                    .isIn(BruteForceChecker.Verdict.REJECTED, BruteForceChecker.Verdict.INVALID);
        }
    }
}
