package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.report.Untimed;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryWriter;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.Workloads;

/** Processes are killed during a check, and the same command runs again. */
class ResumeTest {
    private static final long SEED = 0x2e5e;

    @TempDir
    Path folder;

    private String history() throws IOException {
        HistoryTable table = Workloads.of(
                        SEED,
                        "sessions 20 timed false transactions 60000 operations 8 keys 6000 distribution ZIPF zipf 0.9")
                .table();
        String path = folder.resolve("history.parquet").toString();
        HistoryWriter.write(table, path, HistoryFormat.PARQUET);
        return path;
    }

    private static List<String> words(String history, Path out, String... more) {
        return words("ser", history, out, more);
    }

    private static List<String> words(String level, String history, Path out, String... more) {
        List<String> words = new ArrayList<>(List.of("check", "-l", level, "-q", "-o", out.toString()));
        words.addAll(List.of(more));
        words.add(history);
        return words;
    }

    private static Path run(Path out) throws IOException {
        return Faults.run(out);
    }

    private static String verdict(Path out) throws IOException {
        return Untimed.json(Files.readString(run(out).resolve("verdict.json")));
    }

    @Test
    @Timeout(240)
    void aKilledCheckContinues() throws IOException, InterruptedException {
        String history = history();
        Path whole = folder.resolve("whole");
        assertThat(InProcess.run(words(history, whole)).exitCode()).isZero();
        Path resumed = folder.resolve("resumed");
        kill(words(history, resumed, "--resume"), resumed, "order");
        InProcess again = InProcess.run(words(history, resumed, "--resume"));
        assertThat(again.exitCode()).as(again.err()).isZero();
        assertThat(again.err()).contains("order.checkpoint: a checkpoint of an earlier process");
        assertThat(verdict(resumed)).isEqualTo(verdict(whole));
        assertThat(run(resumed).resolve("stages")).doesNotExist();
        assertThat(run(resumed).resolve("_SUCCESS")).exists();
        // The check starts anew and ignores the checkpoint.
        Path out = folder.resolve("anew");
        kill(words(history, out, "--resume"), out, "order");
        InProcess anew = InProcess.run(words(history, out, "--overwrite"));
        assertThat(anew.err()).doesNotContain("earlier try");
        assertThat(verdict(out)).isEqualTo(verdict(whole));
    }

    /** Kills the process after the checkpoint of an order that keeps real time, or of orders of keys. */
    @Test
    @Tag("process")
    @Timeout(240)
    void checksWithTimesContinueToo() throws IOException, InterruptedException {
        HistoryTable table = Workloads.of(
                        SEED, "sessions 20 transactions 30000 operations 8 keys 6000 distribution ZIPF zipf 0.9")
                .table();
        String timed = folder.resolve("timed.parquet").toString();
        HistoryWriter.write(table, timed, HistoryFormat.PARQUET);
        String registers = folder.resolve("registers.jsonl").toString();
        HistoryWriter.write(
                Workloads.of(SEED, "sessions 8 transactions 200000 operations 1 keys 900")
                        .table(),
                registers,
                HistoryFormat.JSONL);
        for (String level : List.of("sser", "ssi", "lin")) {
            String history = level.equals("lin") ? registers : timed;
            String stage = level.equals("lin") ? "orders" : "order";
            Path whole = folder.resolve("whole-" + level);
            assertThat(InProcess.run(words(level, history, whole)).exitCode()).isZero();
            Path out = folder.resolve(level);
            kill(words(level, history, out, "--resume"), out, stage);
            InProcess again = InProcess.run(words(level, history, out, "--resume"));
            assertThat(again.exitCode()).as(again.err()).isZero();
            assertThat(again.err()).contains(stage + ".checkpoint: a checkpoint of an earlier process");
            assertThat(verdict(out)).isEqualTo(verdict(whole));
            assertThat(run(out).resolve("stages")).doesNotExist();
        }
    }

    /** Starts a process and kills it when a checkpoint was kept. If the process is too fast, it ends by itself. */
    private void kill(List<String> words, Path out, String stage) throws IOException, InterruptedException {
        Path log = folder.resolve("log");
        Process process =
                Command.start(folder, java.util.Map.of(), log, folder.resolve("err"), Command.main(List.of(), words));
        try {
            while (process.isAlive() && !isKept(out, stage)) {
                Thread.sleep(2);
            }
            assertThat(process.isAlive())
                    .as("killed after " + stage + ": " + Files.readString(log))
                    .isTrue();
        } finally {
            process.destroyForcibly();
            process.waitFor(30, TimeUnit.SECONDS);
        }
    }

    private static boolean isKept(Path out, String stage) throws IOException {
        if (!Files.isDirectory(out)) {
            return false;
        }
        try (Stream<Path> runs = Files.list(out)) {
            return runs.anyMatch(run -> Files.exists(run.resolve("stages").resolve(stage + ".checkpoint")));
        }
    }
}
