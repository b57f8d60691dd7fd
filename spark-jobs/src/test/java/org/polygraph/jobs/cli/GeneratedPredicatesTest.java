package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.storage.testkit.SuiteScale;

/** The store with predicates keeps its level for every workload. */
class GeneratedPredicatesTest {
    private static final int TRANSACTIONS = SuiteScale.of(200, 150);

    private static final Pattern SIZE = Pattern.compile("\\d+ txns  \\d+ ops");

    @TempDir
    private Path folder;

    @Test
    void serializableStoreHolds() {
        holds("ser", "sser,ser,ssi,si");
        holds("ser", "sser,ser,ssi,si", "--inserts", "0.3", "--deletes", "0.3");
        holds("ser", "sser,ser,ssi,si", "--aborted", "0.1", "--indeterminate", "0.1", "--values", "9");
        holds("ser", "ser,si", "--no-time", "--reads", "0.8");
    }

    @Test
    void snapshotStoreHoldsAtSi() throws Exception {
        holds("si", "ssi,si");
        assertThat(Files.readString(folder.resolve("h.jsonl"))).contains("\"pr\"", "\"pw\"", "\"where\"");
        holds("si", "ssi,si", "--inserts", "0.3", "--deletes", "0.3");
        assertThat(Files.readString(folder.resolve("h.jsonl"))).contains("\"pd\"");
        holds("si", "ssi,si", "--aborted", "0.1", "--indeterminate", "0.1", "--seed", "3");
        assertThat(Files.readString(folder.resolve("h.jsonl"))).contains("\"aborted\"", "\"indeterminate\"");
        InProcess check = run("check", "-q", "-l", "ser", "-o", path("runs"), path("h.jsonl"));
        assertThat(check.exitCode()).isEqualTo(3);
        InProcess verified =
                run("verify", "-q", Faults.run(Path.of(path("runs"))).toString(), path("h.jsonl"));
        assertThat(size(verified)).isEqualTo(size(check));
    }

    /** The size of the history as it was recorded. */
    private static String size(InProcess answer) {
        return SIZE.matcher(answer.out()).results().findFirst().orElseThrow().group();
    }

    @Test
    void aSeedGivesOneHistory() throws Exception {
        holds("si", "si");
        String lines = Files.readString(folder.resolve("h.jsonl"));
        holds("si", "si");
        assertThat(Files.readString(folder.resolve("h.jsonl"))).isEqualTo(lines);
    }

    /** Conditions and rows are too many pairs to be reads of the history, so the evidence names those that matter. */
    @Test
    void aViolationAmongManyPairsIsVerified() throws Exception {
        int rows = 1_000;
        StringBuilder state = new StringBuilder();
        StringBuilder writes = new StringBuilder();
        for (int key = 1; key <= rows; key++) {
            state.append(key == 1 ? "" : ",").append("[" + key + "," + key + "]");
            writes.append(key == 1 ? "" : ",")
                    .append("{\"op\":\"w\",\"key\":" + key + ",\"value\":" + (5_000 + key) + "}");
        }
        StringBuilder lines = new StringBuilder(
                "{\"format\":\"history\",\"version\":1,\"initial\":{\"value\":null,\"state\":[" + state + "]}}\n");
        lines.append(line(0, 0, writes.toString()));
        for (int i = 1; i <= 1_100; i++) {
            lines.append(line(0, i, query(-i, rows)));
        }
        String pinned = ",{\"op\":\"r\",\"key\":3,\"value\":5003}";
        lines.append(line(1, 0, query(16_000, 16_000) + pinned + ",{\"op\":\"w\",\"key\":1,\"value\":17000}"));
        lines.append(line(2, 0, query(17_000, 17_000) + pinned + ",{\"op\":\"w\",\"key\":2,\"value\":16000}"));
        Files.writeString(Path.of(path("h.jsonl")), lines);
        InProcess check = run("check", "-q", "-l", "ser", "-o", path("runs"), path("h.jsonl"));
        assertThat(check.word()).as(check.toString()).isEqualTo("VIOLATION");
        InProcess verified = run("verify", Faults.run(Path.of(path("runs"))).toString(), path("h.jsonl"));
        assertThat(verified.word()).as(verified.toString()).isEqualTo("VERIFIED");
    }

    private static String query(int lo, int hi) {
        return "{\"op\":\"pr\",\"lo\":" + lo + ",\"hi\":" + hi + ",\"rows\":[]}";
    }

    private static String line(int session, int index, String operations) {
        return "{\"session\":" + session + ",\"index\":" + index + ",\"status\":\"committed\",\"ops\":[" + operations
                + "]}\n";
    }

    private void holds(String level, String levels, String... more) {
        String[] words = {
            "generate",
            "-q",
            "--overwrite",
            "-l",
            level,
            "--transactions",
            Integer.toString(TRANSACTIONS),
            "--keys",
            "60",
            "--operations",
            "4",
            "--predicates",
            "0.5",
            "--selectivity",
            "8",
            "-o",
            path("h.jsonl")
        };
        String[] all = new String[words.length + more.length];
        System.arraycopy(words, 0, all, 0, words.length);
        System.arraycopy(more, 0, all, words.length, more.length);
        InProcess made = run(all);
        assertThat(made.exitCode()).as(made.toString()).isZero();
        assertThat(made.out()).contains(TRANSACTIONS + 1 + " txns  " + (60 + 4 * TRANSACTIONS) + " ops");
        InProcess checked = run("check", "-q", "-l", levels, path("h.jsonl"));
        assertThat(checked.exitCode()).as(checked.toString()).isZero();
        InProcess stats = run("stats", path("h.jsonl"));
        assertThat(stats.out()).containsPattern("predicates    \\d+: \\d+ pr, \\d+ pw and pd");
        assertThat(run("estimate", path("h.jsonl")).out())
                .contains("so one process decides it as a whole", "--engine auto takes embedded for si");
        // Keys and operations that express predicates are not counted.
        assertThat(stats.out()).contains("keys          60, 60 of them written");
        assertThat(checked.out()).contains("  " + stats.out().replaceAll("(?s).*operations +(\\d+):.*", "$1") + " ops");
    }

    private String path(String name) {
        return folder.resolve(name).toString();
    }

    private static InProcess run(String... words) {
        return InProcess.run(words);
    }
}
