package org.polygraph.jobs.weak;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.polygraph.jobs.application.EmbeddedChecker;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.jobs.verdict.Counts;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.SubHistory;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.table.HistorySelection;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.Definitions;
import org.polygraph.storage.testkit.HistoryDsl;
import org.polygraph.storage.testkit.SuiteScale;
import org.polygraph.storage.testkit.TinyHistories;

/** Compares RC, RA and CC, from raw operations to verdict, with their definitions. */
class AxiomsAgainstBruteForceTest {
    private static final List<IsolationLevel> LEVELS = List.of(IsolationLevel.CC, IsolationLevel.RA, IsolationLevel.RC);

    @Test
    void agrees() {
        run(0xacc, SuiteScale.of(10_000));
    }

    private static void run(long seed, int histories) {
        TinyHistories stream = new TinyHistories(seed);
        int[] accepted = new int[LEVELS.size()];
        int judged = 0;
        int violations = 0;
        int shrunk = 0;
        int recorded = 0;
        int withoutOrder = 0;
        for (int i = 0; i < histories; i++) {
            HistoryTable history = stream.at(i);
            if (Counts.of(history).transactionsCommitted() == 0) {
                continue;
            }
            for (int l = 0; l < LEVELS.size(); l++) {
                IsolationLevel level = LEVELS.get(l);
                boolean truth = Definitions.accepts(history, level.name());
                Verdict verdict = check(history, level);
                assertThat(verdict.status())
                        .as("%s %s seed %d", HistoryDsl.print(history), level, stream.seedOf(i))
                        .isEqualTo(truth ? Verdict.Status.PASS : Verdict.Status.VIOLATION);
                assertThat(verdict.certificate())
                        .as("%s %s seed %d", HistoryDsl.print(history), level, stream.seedOf(i))
                        .matches(certificate -> certificate != null && certificate.verified());
                withoutOrder += truth && verdict.witness() == null ? 1 : 0;
                for (Violation violation : verdict.violations()) {
                    violations++;
                    shrunk += isShownBySmallerHistory(violation, history, level) ? 1 : 0;
                }
                judged++;
                accepted[l] += truth ? 1 : 0;
                recorded += isAsRecorded(verdict) ? 1 : 0;
            }
        }
        System.out.println(histories + " histories from seed " + seed + ": " + judged + " verdicts, accepted at CC "
                + accepted[0] + ", RA " + accepted[1] + ", RC " + accepted[2] + "; of " + violations + " violations "
                + shrunk
                + " are shown by a part; " + recorded + " accepted as recorded, " + withoutOrder + " by choices alone");
        assertThat(withoutOrder).isLessThan(judged / 500);
        assertThat(recorded).isGreaterThan(histories / 10);
        assertThat(shrunk).isGreaterThan(violations / 10 * 9);
    }

    /** Whether the answer was the order of the file, or nearly that. */
    private static boolean isAsRecorded(Verdict verdict) {
        return verdict.phases().stream().anyMatch(phase -> phase.name().equals("guess") && phase.items() > 0);
    }

    /** Whether the violation has a sub-history, which then violates the level by its definition. */
    private static boolean isShownBySmallerHistory(Violation violation, HistoryTable history, IsolationLevel level) {
        SubHistory part = violation.minimal();
        if (part == null) {
            return false;
        }
        HistoryTable alone = HistorySelection.of(history, part.operations()).table();
        assertThat(Definitions.accepts(alone, level.name()))
                .as("%s %s of %s", violation.anomaly(), HistoryDsl.print(alone), HistoryDsl.print(history))
                .isFalse();
        return true;
    }

    private static Verdict check(HistoryTable history, IsolationLevel level) {
        return new EmbeddedChecker().check(history, CheckRequest.of(level), Progress.NONE, Budget.unlimited());
    }
}
