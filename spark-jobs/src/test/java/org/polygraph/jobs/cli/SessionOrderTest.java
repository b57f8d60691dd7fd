package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.polygraph.jobs.application.EmbeddedChecker;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.HistoryDsl;
import org.polygraph.storage.testkit.SuiteScale;
import org.polygraph.storage.testkit.TinyHistories;

/** Without session order a history has the verdict of the same transactions in sessions of their own. */
class SessionOrderTest {
    private static final long SEED = 5312;
    private static final Pattern NEXT = Pattern.compile(" \\| ");

    /** The text of a history in which each transaction is the only one of its session. */
    private static String inOwnSessions(String history) {
        Matcher next = NEXT.matcher(history);
        int[] session = {100};
        return next.replaceAll(found -> "; s" + session[0]++ + ": ");
    }

    private static Verdict.Status status(HistoryTable table, CheckRequest request) {
        return new EmbeddedChecker()
                .check(table, request, Progress.NONE, Budget.unlimited())
                .status();
    }

    @Test
    void agreesWithSessionsOfTheirOwn() {
        TinyHistories histories = new TinyHistories(SEED);
        int compared = 0;
        int differ = 0;
        for (long i = 0; i < SuiteScale.of(3_000); i++) {
            HistoryTable table = histories.at(i);
            String text = HistoryDsl.print(table);
            HistoryTable own = HistoryDsl.parse(inOwnSessions(text));
            assertThat(own.sessions()).isEqualTo(table.transactions());
            for (IsolationLevel level : IsolationLevel.values()) {
                if (level == IsolationLevel.LIN || (level.realTime() && table.starts() == null)) {
                    continue;
                }
                TimeMode time = level.realTime() ? TimeMode.STRICT : TimeMode.HINT;
                CheckRequest request = new CheckRequest(level, time, 0, IndeterminateMode.MAYBE);
                Verdict.Status found = status(table, request.withoutSessionOrder());
                assertThat(found)
                        .as("seed " + SEED + " #" + i + " " + level + ": " + text)
                        .isEqualTo(status(own, request));
                compared++;
                differ += found != status(table, request) ? 1 : 0;
            }
        }
        System.out.println(compared + " verdicts without session order from seed " + SEED + ", of which " + differ
                + " are others than with it");
        assertThat(differ).isGreaterThan(compared / 100);
    }
}
