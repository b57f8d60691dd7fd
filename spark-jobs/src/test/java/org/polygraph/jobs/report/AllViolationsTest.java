package org.polygraph.jobs.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.polygraph.jobs.application.EmbeddedChecker;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.Check;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Finding;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.jobs.evidence.Implications;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.HistoryDsl;

/** Violations beyond {@code --max-violations} are counted by kind in every output, at every kind of level. */
class AllViolationsTest {
    private static Verdict check(HistoryTable table, IsolationLevel level, int most) {
        return new EmbeddedChecker().check(table, request(level, most), Progress.NONE, Budget.unlimited());
    }

    private static CheckRequest request(IsolationLevel level, int most) {
        return new CheckRequest(level, TimeMode.NONE, 0, IndeterminateMode.MAYBE, true, most);
    }

    /** A history with three fractured reads. */
    private static HistoryTable fractured() {
        StringBuilder text = new StringBuilder("init 0");
        for (int i = 0; i < 3; i++) {
            text.append(String.format("; w(x%d,1) w(y%d,1); r(x%d,0) r(y%d,1)", i, i, i, i));
        }
        return HistoryDsl.parse(text.toString());
    }

    private static Map<String, Integer> kinds(List<Violation> explained, List<Violation> unexplained) {
        Map<String, Integer> kinds = new TreeMap<>();
        List<Violation> all = new ArrayList<>(explained);
        all.addAll(unexplained);
        all.forEach(violation -> kinds.merge(violation.anomaly().label(), 1, Integer::sum));
        return kinds;
    }

    @Test
    void areCountedAtEveryLevel() {
        for (IsolationLevel level :
                List.of(IsolationLevel.SER, IsolationLevel.SI, IsolationLevel.CC, IsolationLevel.RA)) {
            Verdict verdict = check(fractured(), level, 1);
            assertThat(verdict.violations()).as(level.label()).hasSize(1);
            assertThat(kinds(verdict.violations(), verdict.unexplained()))
                    .as(level.label())
                    .isEqualTo(Map.of("FracturedRead", 3));
        }
    }

    /** Eleven lost updates are simpler than the long fork, but one of the ten explained violations is the long fork. */
    @Test
    void everyNameIsExplained() {
        StringBuilder text = new StringBuilder("init 0");
        for (int i = 0; i < 11; i++) {
            text.append(String.format("; r(k%d,0) w(k%d,1); r(k%d,0) w(k%d,2)", i, i, i, i));
        }
        text.append("; w(x,1); w(y,1); r(x,1) r(y,0); r(y,1) r(x,0)");
        Verdict verdict = check(HistoryDsl.parse(text.toString()), IsolationLevel.SER, 10);
        assertThat(kinds(verdict.violations(), List.of())).isEqualTo(Map.of("LongFork", 1, "LostUpdate", 9));
        assertThat(kinds(List.of(), verdict.unexplained())).isEqualTo(Map.of("LostUpdate", 2));
    }

    @Test
    void areCountedForLinearizability() {
        HistoryTable table =
                HistoryDsl.parse("init 0; @1..2 w(a,1); @3..4 r(a,0); @1..2 w(b,1); @3..4 r(b,0); @1..2 r(c,7);"
                        + " @1..2 !w(d,7); @3..4 r(d,7)");
        for (int most = 1; most <= 4; most++) {
            Verdict verdict = check(table, IsolationLevel.LIN, most);
            assertThat(verdict.violations()).hasSize(most);
            assertThat(verdict.violationsFound()).isEqualTo(4);
            assertThat(kinds(verdict.violations(), verdict.unexplained()))
                    .isEqualTo(Map.of("AbortedRead", 1, "G-realtime", 2, "ThinAirRead", 1));
            assertThat(verdict.unexplained()).allMatch(v -> !v.transactions().isEmpty());
        }
    }

    @Test
    void areCountedIfAWeakerLevelImpliesThem() {
        HistoryTable table = fractured();
        Verdict weaker = check(table, IsolationLevel.RA, 1);
        Check check = new Check(table, request(IsolationLevel.SER, 1), Budget.unlimited());
        Finding.Violated implied = (Finding.Violated) new Implications(check).violation(weaker);
        assertThat(implied.found()).isEqualTo(3);
        assertThat(kinds(implied.violations(), implied.unexplained())).isEqualTo(Map.of("FracturedRead", 3));
    }

    @Test
    void areCountedInTheText() {
        for (ViolationText.Detail detail : ViolationText.Detail.values()) {
            assertThat(ViolationText.of(check(fractured(), IsolationLevel.SER, 1), detail))
                    .endsWith("  and 2 more violations without explanation (--max-violations)\n");
        }
        assertThat(ViolationText.of(check(fractured(), IsolationLevel.SER, 2), ViolationText.Detail.BRIEF))
                .endsWith("  and 2 more violations; `polygraph explain` shows 2 of all (--max-violations)\n");
        assertThat(ViolationText.of(check(fractured(), IsolationLevel.SER, 3), ViolationText.Detail.BRIEF))
                .endsWith("  and 2 more violations; `polygraph explain` shows all\n");
        assertThat(ViolationText.more(1, 10, 1_000)).startsWith("  and at least 999 more violations");
    }

    /** All pairs of the first transactions are a write skew; only the last two lose an update. */
    @Test
    void theSimplestOfManyEquallyShortCyclesIsExplained() {
        int skewed = 40;
        StringBuilder text = new StringBuilder("init 0");
        for (int i = 0; i < skewed + 2; i++) {
            text.append("; r(z,0) ");
            for (int key = 0; key < skewed; key++) {
                text.append("r(").append(key).append(",0) ");
            }
            text.append(i < skewed ? "w(" + i + ",1)" : "w(z," + i + ")");
        }
        Verdict verdict = check(HistoryDsl.parse(text.toString()), IsolationLevel.SER, 1);
        assertThat(verdict.violations().get(0).anomaly().label()).isEqualTo("LostUpdate");
        assertThat(verdict.violations().get(0).transactions()).containsExactly(skewed, skewed + 1);
    }
}
