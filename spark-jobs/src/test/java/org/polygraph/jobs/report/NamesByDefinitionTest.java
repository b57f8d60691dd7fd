package org.polygraph.jobs.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.cli.InProcess;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.analysis.HistoryLint;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.HistoryDsl;

/** Names that depend on times, on rows or on the order of operations, and advice that depends on an aborted writer. */
class NamesByDefinitionTest {
    @TempDir
    private Path folder;

    private static Violation first(String history, IsolationLevel level) {
        return AnomalyTableTest.check(HistoryDsl.parse(history), level)
                .violations()
                .get(0);
    }

    private static String name(String history, IsolationLevel level) {
        return first(history, level).anomaly().label();
    }

    @Test
    void aReadCannotSeeAnAbortedWriteThatBeganLater() {
        Violation later = first("init 0; s0: @1..2 r(x,1); s1: @3..4 !w(x,1)", IsolationLevel.SER);
        assertThat(later.anomaly().label()).isEqualTo("ThinAirRead");
        assertThat(later.detail()).contains("s1#0, which is aborted, wrote it, but began after the read had ended");
        assertThat(name("init 0; s0: @1..3 r(x,1); s1: @2..4 !w(x,1)", IsolationLevel.SER))
                .isEqualTo("AbortedRead");
    }

    @Test
    void atReadCommittedTheReadThatMissedTheWriteCameLater() {
        String history = "init 0; s0: w(x,1); s1: r(x,0) r(x,1) r(x,0)";
        assertThat(name(history, IsolationLevel.RC)).isEqualTo("NonMonotonicRead");
        assertThat(name(history, IsolationLevel.RA)).isEqualTo("NonRepeatableRead");
    }

    @Test
    void aListThatShowsAnOwnLaterAppendIsAFutureRead() {
        String history = "init null; s0: r(x,[3 1 2]) a(x,1); s1: a(x,3); s2: a(x,2)";
        for (IsolationLevel level : List.of(IsolationLevel.SER, IsolationLevel.SI, IsolationLevel.RC)) {
            assertThat(name(history, level)).as(level.label()).isEqualTo("FutureRead");
        }
    }

    @Test
    void aRowThatIsMissingFromAResultIsNoThinAirRead() throws IOException {
        Path file = Files.writeString(
                folder.resolve("missing.jsonl"),
                "{\"format\":\"history\",\"version\":1,\"initial\":{\"value\":null,\"state\":[[\"a\",4]]}}\n"
                        + "{\"session\":1,\"index\":0,\"status\":\"committed\",\"ops\":"
                        + "[{\"op\":\"pr\",\"lo\":4,\"hi\":9,\"rows\":[]}]}\n");
        InProcess run = InProcess.run("check", "-l", "ser", file.toString());
        assertThat(run.out()).contains("Phantom").contains("found no row \"a\" between 4 and 9");
        assertThat(run.err()).doesNotContain("--after");
        Path read = Files.writeString(
                folder.resolve("read.jsonl"),
                "{\"format\":\"history\",\"version\":1,\"initial\":{\"value\":null,\"state\":[[\"a\",4]]}}\n"
                        + "{\"session\":1,\"index\":0,\"status\":\"committed\",\"ops\":"
                        + "[{\"op\":\"r\",\"key\":\"a\",\"value\":null},{\"op\":\"i\",\"key\":\"b\",\"value\":1}]}\n");
        assertThat(InProcess.run("check", "-l", "ser", read.toString()).out())
                .contains("Phantom")
                .contains("its row exists from the beginning and no transaction deleted it");
    }

    @Test
    void lintDoesNotSuggestEarlierPartsForAnAbortedValue() {
        HistoryTable table = HistoryDsl.parse("init 0; s0: !w(x,1); s1: r(x,1) r(y,2)");
        List<String> messages = HistoryLint.check(table).stream()
                .map(HistoryLint.Finding::message)
                .toList();
        assertThat(messages)
                .anyMatch(message -> message.contains("key \"x\", which only an aborted transaction wrote")
                        && message.contains("record it as indeterminate")
                        && !message.contains("--after"))
                .anyMatch(message -> message.contains("value 2 of key \"y\"") && message.contains("--after"));
    }

    /** Real time alone refutes nothing that the level without it refutes too, so the name is of the simpler violation. */
    @Test
    void aSubHistoryThatNeedsNoTimeIsNotOfRealTime() throws IOException {
        String rows = "{\"format\":\"history\",\"version\":1}\n" + line(0, 0, 1, 4, "i", 7)
                + line(0, 1, 5, 9, "i", 8)
                + line(1, 0, 2, 3, "r", null)
                + line(1, 1, 20, 21, "r", null);
        Path file = Files.writeString(folder.resolve("rows.jsonl"), rows);
        Path out = folder.resolve("out");
        InProcess run = InProcess.run("check", "-l", "sser", "-o", out.toString(), file.toString());
        assertThat(run.exitCode()).isEqualTo(3);
        try (var found = Files.walk(out)) {
            for (Path part :
                    found.filter(path -> path.endsWith("history.jsonl")).toList()) {
                boolean violatesSer =
                        InProcess.run("check", "-l", "ser", part.toString()).exitCode() == 3;
                String again =
                        InProcess.run("check", "-l", "sser", part.toString()).out();
                assertThat(again.startsWith("VIOLATION")).as(again).isTrue();
                assertThat(again.contains("G-realtime") && violatesSer)
                        .as(again)
                        .isFalse();
            }
        }
    }

    private static String line(int session, int index, int start, int end, String op, Integer value) {
        return "{\"session\":" + session + ",\"index\":" + index + ",\"start\":" + start + ",\"end\":" + end
                + ",\"status\":\"committed\",\"ops\":[{\"op\":\"" + op + "\",\"key\":\"k\",\"value\":" + value
                + "}]}\n";
    }
}
