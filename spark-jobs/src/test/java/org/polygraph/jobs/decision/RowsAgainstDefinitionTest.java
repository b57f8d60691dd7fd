package org.polygraph.jobs.decision;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.certificate.judge.BruteForce;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.SubHistory;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.table.HistorySelection;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.HistoryDsl;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.SuiteScale;

/**
 * Inserts and deletes at the levels that order writes: compares the checker, with and without rules, and the brute
 * force of verify with the definition.
 */
class RowsAgainstDefinitionTest {
    private static final List<IsolationLevel> LEVELS =
            List.of(IsolationLevel.SSER, IsolationLevel.SER, IsolationLevel.SSI, IsolationLevel.SI);

    @Test
    void agreeOnTinyHistories() {
        long seed = 0x10715;
        int histories = SuiteScale.of(5_000);
        List<Tuning> tunings = List.of(Tuning.DEFAULT, Tuning.DEFAULT.withRounds(Tuning.NO_RULES));
        Map<IsolationLevel, int[]> counts = new EnumMap<>(IsolationLevel.class);
        int solved = 0;
        int shown = 0;
        for (int i = 0; i < histories; i++) {
            SplitMix random = new SplitMix(seed + i);
            HistoryTable history = RowHistories.tiny(random, i % 4 == 0 ? 5 : 4);
            weakLevels(history, "seed " + (seed + i));
            for (IsolationLevel level : LEVELS) {
                if (level.realTime() && history.starts() == null) {
                    continue;
                }
                boolean holds = RowDefinition.holds(history, level);
                CheckRequest request = new CheckRequest(level, TimeMode.HINT, 0, IndeterminateMode.MAYBE);
                String what = level + " seed " + (seed + i) + "\n" + HistoryDsl.print(history);
                assertThat(BruteForce.judge(history, request.terms()))
                        .as("brute force at %s", what)
                        .isEqualTo(holds ? BruteForce.Answer.HOLDS : BruteForce.Answer.VIOLATED);
                for (Tuning tuning : tunings) {
                    Verdict verdict = ConditionsAgainstDefinitionTest.check(history, request, tuning, what);
                    assertThat(verdict.status())
                            .as("%s %s", verdict.reason(), what)
                            .isEqualTo(holds ? Verdict.Status.PASS : Verdict.Status.VIOLATION);
                    shown += subHistories(history, verdict, request, what);
                    solved += verdict.residual().conflicts() > 0 ? 1 : 0;
                }
                counts.computeIfAbsent(level, l -> new int[2])[holds ? 1 : 0]++;
            }
        }
        counts.forEach((level, n) -> {
            System.out.println(level + ": " + n[1] + " hold, " + n[0] + " violated, seed " + seed);
            assertThat(n[0]).isGreaterThan(histories / 20);
            assertThat(n[1]).isGreaterThan(histories / 20);
        });
        assertThat(solved).isPositive();
        assertThat(shown).isPositive();
    }

    /** rc, ra and cc take inserts and deletes as writes, and every history that keeps si keeps them. */
    private static void weakLevels(HistoryTable history, String seed) {
        boolean isSnapshot = RowDefinition.holds(history, IsolationLevel.SI);
        for (IsolationLevel level : List.of(IsolationLevel.CC, IsolationLevel.RA, IsolationLevel.RC)) {
            CheckRequest request = CheckRequest.of(level);
            String what = level + " " + seed + "\n" + HistoryDsl.print(history);
            BruteForce.Answer answer = BruteForce.judge(history.withoutRows(), request.terms());
            assertThat(ConditionsAgainstDefinitionTest.check(history, request, Tuning.DEFAULT, what)
                            .status())
                    .as(what)
                    .isEqualTo(answer == BruteForce.Answer.HOLDS ? Verdict.Status.PASS : Verdict.Status.VIOLATION);
            assertThat(answer == BruteForce.Answer.HOLDS || !isSnapshot)
                    .as(what)
                    .isTrue();
        }
    }

    /** Each sub-history violates the level, and shows that the whole history does. */
    private static int subHistories(HistoryTable whole, Verdict verdict, CheckRequest request, String what) {
        int shown = 0;
        for (Violation violation : verdict.violations()) {
            SubHistory minimal = violation.minimal();
            if (minimal != null) {
                HistoryTable part =
                        HistorySelection.of(whole, minimal.operations()).table();
                assertThat(ConditionsAgainstDefinitionTest.isShown(
                                whole, part, request, (table, of) -> !RowDefinition.holds(table, of.level())))
                        .as("%s of %s", HistoryDsl.print(part), what)
                        .isTrue();
                shown++;
            }
        }
        return shown;
    }
}
