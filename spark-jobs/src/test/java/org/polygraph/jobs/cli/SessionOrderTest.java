package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
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

    @TempDir
    private Path folder;

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

    private Path write() throws IOException {
        return Files.writeString(
                folder.resolve("history.jsonl"),
                "{\"format\":\"history\",\"version\":1,\"initial\":{\"value\":0}}\n"
                        + "{\"session\":7,\"index\":0,\"status\":\"committed\",\"ops\":[{\"op\":\"w\",\"key\":\"a\",\"value\":1}]}\n"
                        + "{\"session\":7,\"index\":1,\"status\":\"committed\",\"ops\":[{\"op\":\"r\",\"key\":\"a\",\"value\":0}]}\n"
                        + "{\"session\":8,\"index\":0,\"status\":\"committed\",\"ops\":[{\"op\":\"r\",\"key\":\"a\",\"value\":1},{\"op\":\"w\",\"key\":\"a\",\"value\":2}]}\n");
    }

    @Test
    void aRunWithoutSessionOrderIsAnotherRunThatVerifies() throws IOException {
        String file = write().toString();
        String out = folder.resolve("out").toString();
        assertThat(InProcess.run("check", "-l", "si", "-o", out, file).exitCode())
                .isEqualTo(3);
        for (String level : new String[] {"ser", "si", "cc"}) {
            InProcess without =
                    InProcess.run("check", "-l", level, "--session-order", "none", "--json", "-o", out, file);
            assertThat(without.exitCode()).as(without.out() + without.err()).isZero();
            assertThat(without.out()).contains("\"session_order\":\"none\",\"needs_session_order\":false");
        }
        try (var runs = Files.newDirectoryStream(Path.of(out), "run=*")) {
            int count = 0;
            for (Path run : runs) {
                InProcess verified = InProcess.run("verify", run.toString(), file);
                assertThat(verified.exitCode())
                        .as(verified.out() + verified.err())
                        .isZero();
                count++;
            }
            assertThat(count).isEqualTo(4);
        }
    }
}
