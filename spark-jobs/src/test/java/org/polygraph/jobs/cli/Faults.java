package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.spark.sql.SparkSession;
import org.polygraph.jobs.job.FaultPlugin;
import org.polygraph.jobs.report.Untimed;
import org.polygraph.storage.columnar.HistoryTable;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryWriter;
import org.polygraph.storage.testkit.HistoryGenerator;

/** A history whose check goes through every job of the Spark engine, folders for what goes wrong on the way, and settings. */
final class Faults {
    private static final long SEED = 0xfa17;

    /** What a check of {@link #history} runs on Spark, in order. */
    static final List<String> JOBS = List.of(
            "index keys",
            "close the graph by columns",
            "put writers of a hot key in order",
            "force edges of a hot key",
            "force edges, round 1",
            "force edges, round 2",
            "rank events by columns",
            "check keys against the first order",
            "check keys against the solver's order");

    final Path orders;
    final Path stages;
    final Path history;
    private final Path folder;
    private final String level;
    private final Map<String, String> settings = new TreeMap<>();
    private String expected = "";

    Faults(Path folder, String level) throws IOException {
        this.folder = folder;
        this.level = level;
        orders = Files.createDirectory(folder.resolve("orders"));
        stages = Files.createDirectory(folder.resolve("stages"));
        history = folder.resolve("history.parquet");
        HistoryTable table = HistoryGenerator.withSeed(SEED)
                .sessions(20)
                .transactions(8_000)
                .operations(8)
                .keys(800)
                .zipf(0.9)
                .isolation(HistoryGenerator.Isolation.SERIAL)
                .generate();
        HistoryWriter.write(table, history.toString(), HistoryFormat.PARQUET);
        set("spark.plugins", FaultPlugin.class.getName());
        set(FaultPlugin.FOLDER, orders.toString());
        set("spark.polygraph.stage.dir", stages.toUri().toString());
        // Columns go to files, keys to four slices and the hottest key to ranges, however small the history.
        set("spark.polygraph.clocks.heap", "0");
        set("spark.polygraph.slice.operations", "16000");
        set("spark.polygraph.hot.key.bytes", "200k");
        set("spark.sql.shuffle.partitions", "4");
        set("spark.driver.host", "127.0.0.1");
        set("spark.driver.bindAddress", "127.0.0.1");
    }

    void set(String key, String value) {
        settings.put(key, value);
    }

    Map<String, String> settings() {
        return settings;
    }

    /** A session of this JVM has these settings from now on; and none has been left by other tests. */
    void begin() throws IOException {
        stopSession();
        settings.forEach(System::setProperty);
        Path whole = folder.resolve("whole");
        InProcess embedded = check(whole, "--engine", "embedded");
        assertThat(embedded.exitCode()).as(embedded.err()).isZero();
        expected = verdict(whole);
    }

    void end() {
        stopSession();
        settings.keySet().forEach(System::clearProperty);
    }

    private static void stopSession() {
        if (SparkSession.getDefaultSession().nonEmpty()) {
            SparkSession.getDefaultSession().get().stop();
        }
    }

    /** The words of a check of the history, that goes on from finished stages. */
    List<String> words(Path out, String... engine) {
        List<String> words = new ArrayList<>(List.of(
                "check", "-l", level, "--resume", "--time", "none", "--progress", "none", "-o", out.toString()));
        words.addAll(List.of(engine));
        words.add(history.toString());
        return words;
    }

    InProcess check(Path out, String... engine) {
        return InProcess.run(words(out, engine));
    }

    Path out(String name) {
        return folder.resolve("out-" + name.replace(' ', '-'));
    }

    /** The verdict is that of the embedded engine, and nothing else has been left than it. */
    void assertAsIfNothingHadHappened(Path out, InProcess check) throws IOException {
        assertThat(check.exitCode()).as(check.err()).isZero();
        assertThat(verdict(out)).isEqualTo(expected);
        assertNothingStays();
        assertThat(run(out).resolve("stages")).doesNotExist();
        try (Stream<Path> all = Files.walk(out)) {
            assertThat(all.filter(file -> file.toString().endsWith(".tmp"))).isEmpty();
        }
    }

    void assertNothingStays() throws IOException {
        try (Stream<Path> left = Files.list(stages)) {
            assertThat(left).isEmpty();
        }
    }

    private static String verdict(Path out) throws IOException {
        return Untimed.json(Files.readString(run(out).resolve("verdict.json")));
    }

    static Path run(Path out) throws IOException {
        try (Stream<Path> runs = Files.list(out)) {
            return runs.findFirst().orElseThrow();
        }
    }
}
