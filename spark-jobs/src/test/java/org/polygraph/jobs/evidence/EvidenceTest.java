package org.polygraph.jobs.evidence;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.polygraph.jobs.application.EmbeddedChecker;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Checks;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.jobs.report.Untimed;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.SubHistory;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.HistoryDsl;

/** Histories that are made hard to explain must have evidence. The time limit only prevents endless tests. */
class EvidenceTest {
    private static final Duration NO_HANG = Duration.ofSeconds(60);

    private static Violation violation(String text, IsolationLevel level) {
        HistoryTable table = HistoryDsl.parse(text);
        Verdict verdict = Assertions.assertTimeoutPreemptively(NO_HANG, () -> Checks.check(table, level));
        assertThat(verdict.status()).as(text).isEqualTo(Verdict.Status.VIOLATION);
        return verdict.violations().get(0);
    }

    @Test
    void longCyclesAreShownWhole() {
        StringBuilder ring = new StringBuilder("init 0");
        for (int i = 0; i < 90; i++) {
            ring.append("; s%d: r(%d,1) w(%d,1)".formatted(i, (i + 89) % 90, i));
        }
        for (IsolationLevel level : List.of(IsolationLevel.SER, IsolationLevel.SI)) {
            Violation found = violation(ring.toString(), level);
            assertThat(found.cycle()).hasSize(90);
            assertThat(found.anomaly()).isEqualTo(Anomaly.CIRCULAR_INFORMATION_FLOW);
        }
    }

    @Test
    void reasonsMayBeLongPaths() {
        StringBuilder text = new StringBuilder("init 0; s0: w(x,1) w(0,1)");
        for (int i = 1; i < 90; i++) {
            text.append("; s%d: r(%d,1) w(%d,1)".formatted(i, i - 1, i));
        }
        text.append("; s90: r(89,1) w(x,2) w(y,1); s91: r(x,1) r(y,1)");
        for (IsolationLevel level : List.of(IsolationLevel.SER, IsolationLevel.SI)) {
            Violation found = violation(text.toString(), level);
            assertThat(found.cycle()).hasSize(2);
            assertThat(found.cycle()).anyMatch(d -> d.why().length() > 500);
        }
    }

    @Test
    void staleReadsOfFewValuesAreExplained() {
        StringBuilder text = new StringBuilder("init 0; s0: w(x,1)");
        for (int i = 1; i < 4000; i++) {
            text.append(" | w(x,").append(1 + i % 2).append(')');
        }
        text.append(" | w(x,3) | r(x,1)");
        Violation found = violation(text.toString(), IsolationLevel.SER);
        assertThat(found.cycle()).isNotEmpty();
        assertThat(found.detail()).contains("2000 possible writers");
    }

    @Test
    void aCycleIsFoundBelowMuchThatMerelyWaits() {
        StringBuilder text = new StringBuilder("init 0");
        for (int s = 0; s < 20; s++) {
            text.append("; s").append(s).append(": r(g,1)");
            for (int i = 0; i < 300; i++) {
                int key = (i * 7 + s) % 50;
                text.append(" | w(k%d_%d,%d)".formatted(s, key, 1 + i));
            }
        }
        text.append("; s20: r(b,1) w(a,1) | w(g,1); s21: r(a,1) w(b,1)");
        assertThat(violation(text.toString(), IsolationLevel.SER).cycle()).hasSize(2);
    }

    /**
     * Many impossible reads of one transaction hide nothing either. The index reports each of them only if the earlier
     * ones are left out.
     */
    @Test
    void aTransactionThatContradictsItselfOftenHidesNothing() {
        StringBuilder text = new StringBuilder("init 0; s0: r(x,0) w(x,1); s1: r(x,0) w(x,2); s2:");
        for (int i = 0; i < 100; i++) {
            text.append(" r(k%d,0) r(k%d,1) w(own,%d) r(own,0)".formatted(i, i, i));
        }
        for (int i = 0; i < 100; i++) {
            text.append("; s").append(3 + i).append(": w(k").append(i).append(",1)");
        }
        HistoryTable table = HistoryDsl.parse(text.toString());
        for (IsolationLevel level : IsolationLevel.values()) {
            if (level == IsolationLevel.LIN) {
                continue;
            }
            Verdict verdict = Checks.check(table, level);
            assertThat(verdict.violations().stream().map(v -> v.anomaly()))
                    .as("%s", level)
                    .hasSize(level.isAxiom() ? 1 : 2)
                    .contains(
                            level == IsolationLevel.RC || level == IsolationLevel.PL2
                                    ? Anomaly.NOT_MY_LAST_WRITE
                                    : Anomaly.NON_REPEATABLE_READ);
            assertThat(verdict.violations().stream().anyMatch(v -> v.anomaly() == Anomaly.LOST_UPDATE))
                    .as("%s", level)
                    .isEqualTo(!level.isAxiom());
        }
    }

    /**
     * Further violations take a second check beside the first one, so they are not searched if memory suffices for one
     * only.
     */
    @Test
    void whatMoreThereIsDoesNotCostTheVerdict() {
        HistoryTable table = HistoryDsl.parse("init 0; s0: r(a,9); s1: r(x,0) w(x,1); s2: r(x,0) w(x,2)");
        CheckRequest request = CheckRequest.of(IsolationLevel.SER);
        Verdict little =
                new EmbeddedChecker().check(table, request, Progress.NONE, Budget.starting(Long.MAX_VALUE, 100L << 20));
        assertThat(little.violations()).extracting(Violation::anomaly).containsExactly(Anomaly.THIN_AIR_READ);
        Verdict enough =
                new EmbeddedChecker().check(table, request, Progress.NONE, Budget.starting(Long.MAX_VALUE, 1L << 30));
        assertThat(enough.violations())
                .extracting(Violation::anomaly)
                .containsExactlyInAnyOrder(Anomaly.THIN_AIR_READ, Anomaly.LOST_UPDATE);
    }

    /**
     * Hundreds of trials that need search run beside threads that take twice the CPU: a slow machine reports the same
     * evidence.
     */
    @Test
    void evidenceDoesNotDependOnTheMachine() throws InterruptedException {
        HistoryTable table = SubHistoryCheckerTest.search(8);
        CheckRequest request = CheckRequest.of(IsolationLevel.SER);
        String alone = shown(table, request);
        AtomicBoolean ended = new AtomicBoolean();
        List<Thread> others = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            Thread other = new Thread(() -> {
                while (!ended.get()) {
                    Thread.onSpinWait();
                }
            });
            other.start();
            others.add(other);
        }
        try {
            assertThat(shown(table, request)).isEqualTo(alone);
        } finally {
            ended.set(true);
            for (Thread other : others) {
                other.join();
            }
        }
    }

    private static String shown(HistoryTable table, CheckRequest request) {
        Verdict verdict = Checks.check(table, request);
        SubHistory minimal = Objects.requireNonNull(verdict.violations().get(0).minimal());
        assertThat(minimal.minimal()).isTrue();
        return Untimed.json(verdict);
    }
}
