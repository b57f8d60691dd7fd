package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.spark.sql.SparkSession;
import org.polygraph.jobs.report.Untimed;
import org.polygraph.jobs.spark.FaultPlugin;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryWriter;
import org.polygraph.storage.generate.Workload;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;

/**
 * Questions whose checks run all jobs of the Spark engine, folders for the faults, and settings.
 *
 * <p>With {@code -Dpolygraph.faults.transactions=N} histories have so many transactions of 8 operations, 50 sessions
 * and 0.8 keys a transaction, of which one has a twentieth of the operations, instead of 8,000. With {@code
 * -Dpolygraph.faults.jobs=REGEX} faults occur only in jobs whose {@code QUESTION, job} contains a match. At 10 million
 * operations, in 12 GB of memory:
 *
 * <pre>
 * ./polygraph --version
 * mvn -q -pl spark-jobs -am test -Dsurefire.failIfNoSpecifiedTests=false -Dtest.excluded=none -Dtest.heap=5g \
 *     -Dpolygraph.faults.transactions=1250000 \
 *     -Dtest='WorkerLossIT#killedInEachJob,FaultsTest#driversKilledInEachJobAreResumed'
 * </pre>
 */
final class Faults {
    private static final long SEED = 0xfa17;
    private static final int USUAL = 2_500;
    static final int TRANSACTIONS = Integer.getInteger("polygraph.faults.transactions", USUAL);

    /** Whether the history is a large one. */
    static final boolean IS_LARGE = TRANSACTIONS > USUAL;

    private static final Pattern HARMED = Pattern.compile(System.getProperty("polygraph.faults.jobs", ".*"));

    private static final int WINDOW = IS_LARGE ? Math.min(131_072, TRANSACTIONS / 8) : 500;

    /** Heap of a driver in a process of its own. */
    static final String HEAP = IS_LARGE ? "-Xmx5g" : "-Xmx1g";

    /** A level, the kind of its history, and the jobs that run for it on Spark, in order. */
    enum Question {
        SER(
                "survey the input",
                "read the input",
                "sort transactions",
                "deal operations to keys",
                "check reads",
                "find values at borders",
                "repair windows",
                "replay sessions",
                "replay keys",
                "deal the order to sessions",
                "write the certificate"),
        SI("sort transactions", "find values at borders", "repair windows", "replay keys"),
        SSER("sort transactions", "repair windows", "replay sessions", "write the certificate"),
        RC("deal operations to keys", "repair windows", "replay keys");

        /** The jobs in which faults shall occur. */
        final List<String> jobs;

        Question(String... jobs) {
            this.jobs = Arrays.stream(jobs)
                    .filter(job -> HARMED.matcher(name() + ", " + job).find())
                    .toList();
        }

        /** The questions to ask: with large histories, only those with jobs in which faults shall occur. */
        static List<Question> asked() {
            return Arrays.stream(values())
                    .filter(each -> !IS_LARGE || !each.jobs.isEmpty())
                    .toList();
        }

        String level() {
            return name().toLowerCase(Locale.ROOT);
        }

        private String file() {
            return this == SSER ? "timed.jsonl" : "history.parquet";
        }

        private HistoryTable history() throws HistoryException {
            Workload generator = new Workload()
                    .seed(SEED)
                    .sessions(20)
                    .transactions(USUAL)
                    .operations(8)
                    .keys(800)
                    .distribution(Workload.Distribution.ZIPF)
                    .zipf(0.9);
            if (IS_LARGE) {
                generator
                        .sessions(50)
                        .transactions(TRANSACTIONS)
                        .keys(TRANSACTIONS * 4 / 5)
                        .distribution(Workload.Distribution.HOTSPOT)
                        .hot(1.25 / TRANSACTIONS, 0.05);
            }
            return generator.timed(this == SSER).table();
        }
    }

    final Path orders;
    final Path stages;
    private final Path folder;
    private final List<Question> questions;
    private final Map<String, String> settings = new TreeMap<>();
    private final Map<Question, String> expected = new EnumMap<>(Question.class);

    /** @param questions that will be asked */
    Faults(Path folder, List<Question> questions) throws IOException {
        this.folder = folder;
        this.questions = questions;
        orders = Files.createDirectory(folder.resolve("orders"));
        stages = Files.createDirectory(folder.resolve("stages"));
        for (Question each : questions) {
            if (!Files.exists(history(each))) {
                HistoryFormat format = each.file().endsWith("jsonl") ? HistoryFormat.JSONL : HistoryFormat.PARQUET;
                try {
                    HistoryWriter.write(each.history(), history(each).toString(), format);
                } catch (HistoryException e) {
                    throw new AssertionError(e);
                }
            }
        }
        set("spark.plugins", FaultPlugin.class.getName());
        set(FaultPlugin.FOLDER, orders.toString());
        set("spark.polygraph.stage.dir", stages.toUri().toString());
        set("spark.driver.host", "127.0.0.1");
        set("spark.driver.bindAddress", "127.0.0.1");
    }

    Path history(Question question) {
        return folder.resolve(question.file());
    }

    void set(String key, String value) {
        settings.put(key, value);
    }

    Map<String, String> settings() {
        return settings;
    }

    /** Sessions of this JVM have these settings from now on. No session of other tests may be left. */
    void begin() throws IOException {
        stopSession();
        settings.forEach(System::setProperty);
        for (Question each : questions) {
            Path whole = folder.resolve("whole-" + each);
            InProcess embedded = check(each, whole, "--engine", "embedded");
            assertThat(embedded.exitCode()).as(embedded.err()).isZero();
            expected.put(each, verdict(whole));
            if (IS_LARGE) {
                InProcess verified = InProcess.run("verify", whole.toString());
                assertThat(verified.out()).as(verified.toString()).startsWith("VERIFIED");
                // Without windows the verdict is the same.
                List<String> words = words(each, folder.resolve("without-windows-" + each), "--engine", "embedded");
                words.set(words.indexOf("--window") + 1, "0");
                InProcess without = InProcess.run(words);
                assertThat(without.word()).as(without.toString()).isEqualTo(embedded.word());
            }
        }
    }

    void end() {
        stopSession();
        settings.keySet().forEach(System::clearProperty);
    }

    static void stopSession() {
        if (SparkSession.getDefaultSession().nonEmpty()) {
            SparkSession.getDefaultSession().get().stop();
        }
    }

    /** The words of a check that continues from kept checkpoints. */
    List<String> words(Question question, Path out, String... engine) {
        List<String> words = new ArrayList<>(
                List.of("check", "-l", question.level(), "--resume", "--progress", "none", "-o", out.toString()));
        // However small the history is, it has several windows.
        words.addAll(List.of("--window", Integer.toString(WINDOW)));
        if (question != Question.SSER) {
            words.addAll(List.of("--time", "none"));
        }
        words.addAll(List.of(engine));
        words.add(history(question).toString());
        return words;
    }

    InProcess check(Question question, Path out, String... engine) {
        return InProcess.run(words(question, out, engine));
    }

    Path out(String name) {
        return folder.resolve("out-" + name.replace(' ', '-'));
    }

    /** The verdict is that of windows in one process, and no other file is left. */
    void assertAsIfNothingHadHappened(Question question, Path out, InProcess check) throws IOException {
        assertThat(check.exitCode()).as(check.err()).isZero();
        assertThat(verdict(out)).isEqualTo(expected.get(question));
        assertThat(certificate(out)).isEqualTo(certificate(folder.resolve("whole-" + question)));
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

    /** The files of the certificate with their bytes. */
    private static Map<String, String> certificate(Path out) throws IOException {
        Map<String, String> files = new TreeMap<>();
        Path certificate = run(out).resolve("certificate");
        if (Files.exists(certificate)) {
            try (Stream<Path> all = Files.walk(certificate)) {
                for (Path file : all.filter(Files::isRegularFile).toList()) {
                    byte[] bytes = Files.readAllBytes(file);
                    files.put(certificate.relativize(file).toString(), bytes.length + " " + Arrays.hashCode(bytes));
                }
            }
        }
        return files;
    }

    static Path run(Path out) throws IOException {
        try (DirectoryStream<Path> runs = Files.newDirectoryStream(out, "run=*")) {
            return runs.iterator().next();
        }
    }
}
