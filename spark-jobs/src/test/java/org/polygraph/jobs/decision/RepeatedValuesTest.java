package org.polygraph.jobs.decision;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.polygraph.jobs.certificate.judge.BruteForce;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.SubHistory;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.table.HistorySelection;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.HistoryDsl;

/** Reads whose possible writers only read from one another. The law "repeated" has random histories. */
class RepeatedValuesTest {
    /** Each of them waits for another one to commit, whichever it read from. */
    @Test
    void readOnlyFromOneAnother() {
        for (int n : new int[] {2, 9, 40}) {
            StringBuilder text = new StringBuilder("s100: !w(x,1) | w(y,7)");
            for (int s = 0; s < n; s++) {
                text.append("; s").append(s).append(": r(x,1) w(x,1)");
            }
            for (IsolationLevel level : Checks.UNTIMED) {
                HistoryTable history = HistoryDsl.parse(text.toString());
                Verdict verdict = Checks.check(history, level);
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
                assertThat(Checks.status(founded, IsolationLevel.RC)).as(what).isEqualTo(Verdict.Status.PASS);
            }
        }
    }

    @Test
    void unknownOutcomesThatReadOnlyFromOneAnotherDidNotCommit() {
        StringBuilder text = new StringBuilder("s100: r(x,1)");
        for (int s = 0; s < 30; s++) {
            text.append("; s").append(s).append(": ?r(y,1) w(y,1) w(x,1)");
        }
        for (IsolationLevel level : Checks.UNTIMED) {
            Verdict verdict = Checks.check(HistoryDsl.parse(text.toString()), CheckRequest.of(level));
            assertThat(verdict.status()).as("%s", level).isEqualTo(Verdict.Status.VIOLATION);
            Verdict other = Checks.check(HistoryDsl.parse(text + "; s101: w(x,1)"), CheckRequest.of(level));
            assertThat(other.status()).as("%s", level).isEqualTo(Verdict.Status.PASS);
        }
    }

    /** The check without refuted reads finds more violations than it shows. */
    @Test
    void furtherReadsHaveSubHistoriesToo() {
        HistoryTable history = HistoryDsl.parse("""
                init null; \
                s0: r(0,2) r(0,1) r(0,2) r(0,1); \
                s1: r(0,null) r(0,3) r(0,null) | w(0,2) r(0,2) r(0,3) r(0,null); \
                s2: !w(0,1) | r(0,1) | w(0,1) | !r(0,3) w(0,2) w(0,2) r(0,3); \
                s3: r(0,2) r(0,null) r(0,2) r(0,2) | r(0,2) | r(0,3) r(0,2) r(0,3); \
                s4: r(0,2) r(0,3) r(0,3) | r(0,1) r(0,2) r(0,null) | !r(0,2) r(0,3) r(0,2) | r(0,null) r(0,3) | r(0,3) r(0,3) r(0,3) r(0,null) | !r(0,1) r(0,null); \
                s5: r(0,3) | w(0,2) w(0,1) r(0,2); \
                s7: r(0,3) w(0,2) | r(0,3) r(0,null) w(0,2)""");
        Verdict verdict = Checks.check(history, IsolationLevel.RC);
        assertThat(verdict.violations()).hasSize(10).allMatch(violation -> violation.minimal() != null);
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
