package org.polygraph.jobs.decision;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.polygraph.jobs.application.EmbeddedChecker;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.certificate.judge.BruteForce;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.SubHistory;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.table.HistorySelection;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.Definitions;
import org.polygraph.storage.testkit.HistoryDsl;
import org.polygraph.storage.testkit.RepeatedHistories;
import org.polygraph.storage.testkit.SatChecker;
import org.polygraph.storage.testkit.SuiteScale;

/**
 * Histories whose values repeat are decided at every level of transactions, within a second, as sat4j decides them by
 * the definitions of the levels. Every violation is shown by a part that violates the level too.
 */
class RepeatedValuesTest {
    private static final List<IsolationLevel> LEVELS =
            List.copyOf(EnumSet.complementOf(EnumSet.of(IsolationLevel.LIN)));

    private static final List<IsolationLevel> UNTIMED =
            List.of(IsolationLevel.SER, IsolationLevel.SI, IsolationLevel.CC, IsolationLevel.RA, IsolationLevel.RC);

    /** The clauses of a larger history take sat4j more than some 50 ms. */
    private static final int MOST_JUDGED = Integer.getInteger("polygraph.test.judged", 14);

    private static final long MOST_NANOS = 1_000_000_000L;

    @Test
    void areDecided() {
        long seed = Long.getLong("polygraph.test.seed", 0x4e9);
        int histories = SuiteScale.of(1_000);
        RepeatedHistories stream = new RepeatedHistories(seed);
        int[] holds = new int[LEVELS.size()];
        int[] withoutOrder = new int[LEVELS.size()];
        int[] unshown = new int[LEVELS.size()];
        int judged = 0;
        int solved = 0;
        long longest = 0;
        for (int i = 0; i < histories; i++) {
            HistoryTable history = stream.at(i);
            for (int l = 0; l < LEVELS.size(); l++) {
                IsolationLevel level = LEVELS.get(l);
                String what = level + " " + HistoryDsl.print(history) + " seed " + stream.seedOf(i);
                CheckRequest request = new CheckRequest(
                        level,
                        level.realTime() ? TimeMode.STRICT : TimeMode.HINT,
                        0,
                        IndeterminateMode.MAYBE,
                        true,
                        CheckRequest.DEFAULT_VIOLATIONS);
                long start = cpuNanos();
                Verdict verdict = check(history, request);
                long nanos = cpuNanos() - start;
                longest = Math.max(longest, nanos);
                if (nanos > MOST_NANOS / 2) {
                    System.out.println(nanos / 1_000_000 + " ms: " + what);
                }
                solved +=
                        verdict.phases().stream().anyMatch(phase -> phase.name().equals("solve")) ? 1 : 0;
                assertThat(nanos).as(what).isLessThan(MOST_NANOS);
                assertThat(verdict.status()).as(what).isNotEqualTo(Verdict.Status.UNKNOWN);
                boolean isPass = verdict.status() == Verdict.Status.PASS;
                if (history.transactions() <= MOST_JUDGED) {
                    judged++;
                    assertThat(SatChecker.accepts(history, Definitions.Level.valueOf(level.name())))
                            .as(what)
                            .isEqualTo(isPass);
                }
                holds[l] += isPass ? 1 : 0;
                withoutOrder[l] += isPass && verdict.witness() == null ? 1 : 0;
                assertThat(verdict.certificate())
                        .as(what)
                        .matches(certificate -> certificate != null && (!isPass || certificate.verified()));
                for (Violation violation : verdict.violations()) {
                    unshown[l] += isShown(violation, history, request, what) ? 0 : 1;
                }
            }
        }
        System.out.println(histories + " histories of repeated values from seed " + seed + ": " + judged
                + " verdicts as by sat4j, " + solved + " with a search; the longest check took " + longest / 1_000_000
                + " ms");
        for (int l = 0; l < LEVELS.size(); l++) {
            System.out.println("  " + LEVELS.get(l) + ": " + holds[l] + " hold, " + withoutOrder[l]
                    + " by choices alone, " + unshown[l] + " violations whose part is too large for brute force");
        }
    }

    /** Each of them waits for another one to commit, whichever it read from. */
    @Test
    void readOnlyFromOneAnother() {
        for (int n : new int[] {2, 9, 40}) {
            StringBuilder text = new StringBuilder("s100: !w(x,1) | w(y,7)");
            for (int s = 0; s < n; s++) {
                text.append("; s").append(s).append(": r(x,1) w(x,1)");
            }
            for (IsolationLevel level : UNTIMED) {
                HistoryTable history = HistoryDsl.parse(text.toString());
                Verdict verdict = check(history, CheckRequest.of(level));
                String what = n + " at " + level;
                assertThat(verdict.status()).as(what).isEqualTo(Verdict.Status.VIOLATION);
                assertThat(verdict.violations()).as(what).hasSize(1);
                Violation violation = verdict.violations().get(0);
                assertThat(violation.anomaly()).as(what).isEqualTo(Anomaly.CIRCULAR_INFORMATION_FLOW);
                assertThat(violation.transactions()).as(what).hasSize(n);
                if (n == 9) {
                    assertThat(violation.detail())
                            .startsWith(
                                    "each read what only others of them wrote: s0#0 read 1 from key \"x\", which only"
                                            + " s1#0, s2#0, s3#0, s4#0 and 4 others wrote; ")
                            .endsWith("; and so on for the others");
                }
                assertThat(isShown(violation, history, CheckRequest.of(level), what))
                        .as(what)
                        .isTrue();
                HistoryTable founded = HistoryDsl.parse(text.toString().replace("!", ""));
                assertThat(check(founded, CheckRequest.of(IsolationLevel.RC)).status())
                        .as(what)
                        .isEqualTo(Verdict.Status.PASS);
            }
        }
    }

    @Test
    void unknownOutcomesThatReadOnlyFromOneAnotherDidNotCommit() {
        StringBuilder text = new StringBuilder("s100: r(x,1)");
        for (int s = 0; s < 30; s++) {
            text.append("; s").append(s).append(": ?r(y,1) w(y,1) w(x,1)");
        }
        for (IsolationLevel level : UNTIMED) {
            Verdict verdict = check(HistoryDsl.parse(text.toString()), CheckRequest.of(level));
            assertThat(verdict.status()).as("%s", level).isEqualTo(Verdict.Status.VIOLATION);
            Verdict other = check(HistoryDsl.parse(text + "; s101: w(x,1)"), CheckRequest.of(level));
            assertThat(other.status()).as("%s", level).isEqualTo(Verdict.Status.PASS);
        }
    }

    /** The check without refuted reads finds more violations than it shows. */
    @Test
    void furtherReadsHaveSubHistoriesToo() {
        HistoryTable history = RepeatedHistories.of(3004435517996440010L);
        Verdict verdict = check(history, CheckRequest.of(IsolationLevel.RC));
        assertThat(verdict.violations()).hasSize(10).allMatch(violation -> violation.minimal() != null);
    }

    /** CPU time of the process, because others may keep the machine busy. */
    private static long cpuNanos() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }

    private static Verdict check(HistoryTable history, CheckRequest request) {
        return new EmbeddedChecker().check(history, request, Progress.NONE, Budget.unlimited());
    }

    /** Whether brute force finds that the part violates the level; false if the part is too large for it. */
    private static boolean isShown(Violation violation, HistoryTable history, CheckRequest request, String what) {
        SubHistory part = violation.minimal();
        assertThat(part).as(what).isNotNull();
        BruteForce.Answer answer =
                BruteForce.judge(HistorySelection.of(history, part.operations()).table(), request.terms());
        assertThat(answer).as(what).isNotEqualTo(BruteForce.Answer.HOLDS);
        return answer == BruteForce.Answer.VIOLATED;
    }
}
