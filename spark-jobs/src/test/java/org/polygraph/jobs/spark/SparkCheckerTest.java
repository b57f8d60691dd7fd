package org.polygraph.jobs.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.application.EmbeddedChecker;
import org.polygraph.jobs.application.EngineException;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.jobs.verdict.Counts;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.AgainstTheClock;
import org.polygraph.storage.testkit.HistoryDsl;
import org.polygraph.storage.testkit.HistoryGenerator;
import org.polygraph.storage.testkit.InjectedAnomaly;
import org.polygraph.storage.testkit.OracleCorpus;
import org.polygraph.storage.testkit.SuiteScale;

/** Compares the Spark engine with the embedded one: verdict and evidence are equal. */
@Tag("spark")
class SparkCheckerTest {
    private static final List<IsolationLevel> LEVELS = List.of(IsolationLevel.SER, IsolationLevel.SI);
    private static final long SEED = 0x5fa7c;
    private static final List<HistoryGenerator.Isolation> ISOLATIONS = List.of(
            HistoryGenerator.Isolation.SERIAL,
            HistoryGenerator.Isolation.OPTIMISTIC,
            HistoryGenerator.Isolation.SNAPSHOT,
            HistoryGenerator.Isolation.READ_COMMITTED);

    @TempDir
    static Path stages;

    /** Divides every history of more than 80 operations, so that even small ones have several slices and files. */
    @SuppressWarnings("NullAway.Init")
    private static SparkChecker fine;

    /** The engine with its default sizes. */
    @SuppressWarnings("NullAway.Init")
    private static SparkChecker standard;

    @BeforeAll
    static void start() {
        System.setProperty(LazySession.STAGE_FOLDER, stages.toUri().toString());
        fine = new SparkChecker("local[2]", 80);
        standard = new SparkChecker("local[2]");
        fine.session();
    }

    @AfterAll
    static void stop() {
        fine.close();
        System.clearProperty(LazySession.STAGE_FOLDER);
    }

    @AfterEach
    void nothingStaysBehind() throws IOException {
        SparkSession session = fine.session();
        assertThat(session.sparkContext().getRDDStorageInfo()).isEmpty();
        assertThat(session.sparkContext().getPersistentRDDs().isEmpty()).isTrue();
        assertThat(session.catalog().listTables().count()).isZero();
        try (Stream<Path> left = Files.list(stages)) {
            assertThat(left).isEmpty();
        }
    }

    private static Verdict.Status same(SparkChecker checker, HistoryTable table, IsolationLevel level, String name) {
        CheckRequest request = CheckRequest.of(level);
        Verdict expected = new EmbeddedChecker().check(table, request, Progress.NONE, Budget.unlimited());
        Verdict actual = checker.check(table, request, Progress.NONE, Budget.unlimited());
        assertThat(actual.status()).as("%s %s", name, level.label()).isEqualTo(expected.status());
        assertThat(actual.violations()).as("%s %s", name, level.label()).isEqualTo(expected.violations());
        assertThat(actual.residual()).as("%s %s", name, level.label()).isEqualTo(expected.residual());
        assertThat(actual.assumptions()).as("%s %s", name, level.label()).isEqualTo(expected.assumptions());
        return actual.status();
    }

    @Test
    void generatedHistories() {
        generated(SuiteScale.of(100));
    }

    @Test
    void sessionsAgainstTheClock() {
        Map<Verdict.Status, Integer> seen = new EnumMap<>(Verdict.Status.class);
        for (int i = 0; i < 8; i++) {
            // These histories often violate alone, and nearly always if they are joined to others.
            long[] seeds = new long[i % 2 == 0 ? 1 : 12];
            for (int j = 0; j < seeds.length; j++) {
                seeds[j] = SEED + 100L * i + j;
            }
            HistoryTable history = AgainstTheClock.joined(seeds);
            IsolationLevel level = i % 4 < 2 ? IsolationLevel.SSER : IsolationLevel.SSI;
            seen.merge(same(fine, history, level, "from seed " + seeds[0]), 1, Integer::sum);
        }
        assertThat(seen).containsOnlyKeys(Verdict.Status.PASS, Verdict.Status.VIOLATION);
    }

    private static void generated(int histories) {
        Random random = new Random(SEED);
        InjectedAnomaly[] anomalies = InjectedAnomaly.values();
        Map<Verdict.Status, Integer> seen = new EnumMap<>(Verdict.Status.class);
        for (int i = 0; i < histories; i++) {
            HistoryGenerator generator = HistoryGenerator.withSeed(SEED + i)
                    .sessions(4 + random.nextInt(4))
                    .transactions(10 + random.nextInt(60))
                    .operations(1, 6)
                    .keys(2 + random.nextInt(20))
                    .isolation(ISOLATIONS.get(i % ISOLATIONS.size()));
            if (i % 3 == 0) {
                generator.abortedShare(0.1);
            }
            if (i % 4 == 1) {
                generator.indeterminateShare(0.1);
            }
            if (i % 5 == 0) {
                generator.repeatedValues(i % 2, 4, 0.6);
            }
            if (i % 2 == 0) {
                generator.inject(anomalies[i / 2 % anomalies.length], 1 + i % 3);
            }
            seen.merge(same(fine, generator.generate(), LEVELS.get(i / 4 % 2), "seed " + (SEED + i)), 1, Integer::sum);
        }
        assertThat(seen.get(Verdict.Status.PASS)).isGreaterThan(histories / 5);
        assertThat(seen.get(Verdict.Status.VIOLATION)).isGreaterThan(histories / 5);
    }

    /** RC, RA and CC of histories that keep all, some or none of them. */
    @Test
    void weakLevels() {
        Random random = new Random(SEED);
        InjectedAnomaly[] anomalies = InjectedAnomaly.values();
        Map<Verdict.Status, Integer> seen = new EnumMap<>(Verdict.Status.class);
        for (int i = 0; i < 24; i++) {
            HistoryGenerator generator = HistoryGenerator.withSeed(SEED + i)
                    .sessions(4)
                    .transactions(10 + random.nextInt(60))
                    .operations(1, 6)
                    .keys(2 + random.nextInt(8))
                    .isolation(ISOLATIONS.get(i % ISOLATIONS.size()));
            if (i % 2 == 0) {
                generator.inject(anomalies[i / 2 % anomalies.length], 1);
            }
            HistoryTable table = generator.generate();
            for (IsolationLevel level : List.of(IsolationLevel.RC, IsolationLevel.RA, IsolationLevel.CC)) {
                seen.merge(same(fine, table, level, "seed " + (SEED + i)), 1, Integer::sum);
            }
        }
        assertThat(seen.get(Verdict.Status.PASS)).isGreaterThan(5);
        assertThat(seen.get(Verdict.Status.VIOLATION)).isGreaterThan(5);
    }

    /** Each write follows a read of its key, so neither engine needs a closure. */
    @Test
    void readModifyWrite() {
        for (String history : List.of(
                "init 0; r(0,0) w(0,1) | r(0,1) w(0,2) r(1,0) w(1,3); r(1,3) w(1,4)",
                "init 0; r(0,0) w(0,1); r(0,0) w(0,2)",
                "init 0; r(0,0) w(0,1) r(1,0); r(1,0) w(1,2) r(0,0)")) {
            HistoryTable table = HistoryDsl.parse(history);
            for (IsolationLevel level : LEVELS) {
                same(fine, table, level, history);
            }
        }
    }

    @Test
    void linearizability() throws IOException, HistoryException {
        String begin = "{\"session\":0,\"index\":%d,\"start\":%d,\"end\":%d,\"status\":\"committed\","
                + "\"ops\":[{\"op\":\"%s\",\"key\":7,%s}]}\n";
        String right = begin.formatted(0, 10, 20, "w", "\"value\":1")
                + begin.formatted(1, 30, 40, "cas", "\"expected\":1,\"value\":2,\"ok\":true")
                + begin.formatted(2, 50, 60, "cas", "\"expected\":1,\"value\":3,\"ok\":false");
        String wrong = right + begin.formatted(3, 70, 80, "r", "\"value\":1");
        for (String history : List.of(right, wrong)) {
            Path file = stages.resolveSibling("lin-" + history.length() + ".jsonl");
            Files.writeString(file, history);
            HistoryTable table = HistoryReader.read(file.toString(), HistoryFormat.JSONL);
            Files.delete(file);
            assertThat(same(fine, table, IsolationLevel.LIN, history))
                    .isEqualTo(history.equals(right) ? Verdict.Status.PASS : Verdict.Status.VIOLATION);
        }
    }

    /** There are fewer keys than slices. */
    @Test
    void transactionsWithoutOperations() {
        try (SparkChecker finest = new SparkChecker("local[2]", 1)) {
            for (IsolationLevel level : LEVELS) {
                assertThat(same(finest, HistoryDsl.parse("init 0; () | (); ()"), level, "nothing"))
                        .isEqualTo(Verdict.Status.PASS);
            }
        }
        fine.session();
    }

    /** Zipf keys and blind writes leave reads to the solver, so that its order is checked again. */
    @Test
    void historiesThatNeedTheSolver() {
        int solved = 0;
        for (int i = 0; i < 3; i++) {
            HistoryTable table = HistoryGenerator.withSeed(SEED + i)
                    .sessions(16)
                    .transactions(3_000)
                    .operations(6)
                    .keys(400)
                    .zipf(0.9)
                    .repeatedValues(1, 50, i == 2 ? 0.5 : 0)
                    .isolation(HistoryGenerator.Isolation.SERIAL)
                    .generate();
            for (IsolationLevel level : LEVELS) {
                Verdict verdict = standard.check(table, CheckRequest.of(level), Progress.NONE, Budget.unlimited());
                assertThat(verdict.status()).isEqualTo(Verdict.Status.PASS);
                solved += verdict.phases().stream().anyMatch(p -> p.name().equals("solve")) ? 1 : 0;
            }
        }
        assertThat(solved).isPositive();
    }

    @Test
    void shippedExamples() throws IOException, HistoryException {
        Path examples = Path.of(System.getProperty("polygraph.root", ".."), "spark-jobs", "examples");
        List<Path> files = new ArrayList<>();
        try (Stream<Path> all = Files.list(examples)) {
            all.filter(p -> p.toString().endsWith(".jsonl")).sorted().forEach(files::add);
        }
        assertThat(files).isNotEmpty();
        for (Path file : files) {
            HistoryTable table = HistoryReader.read(file.toString(), HistoryFormat.AUTO);
            assertThat(standard.problem(table) != null).as(file.toString()).isEqualTo(table.hasRows());
            if (Counts.of(table).transactionsCommitted() > 0 && !table.hasRows()) {
                for (IsolationLevel level : LEVELS) {
                    same(standard, table, level, file.toString());
                }
            }
        }
    }

    @Test
    void aFewLargeHistoriesOfTheCorpus() throws IOException, HistoryException {
        corpus("cobra/chengRW-4000", "cobra/anomaly-cock-G2", "dbcop/RH-10k/history.bincode.gz", "plume/galera.txt");
    }

    @Test
    @Tag("full")
    void allLargeHistoriesOfTheCorpus() throws IOException, HistoryException {
        List<String> paths = new ArrayList<>();
        Path root = corpusFolder();
        for (String folder : List.of("cobra", "dbcop", "plume", "real")) {
            try (Stream<Path> all = Files.list(root.resolve(folder))) {
                all.sorted().forEach(path -> {
                    Path history = path.resolve("history.bincode.gz");
                    if (Files.exists(history)) {
                        paths.add(root.relativize(history).toString());
                    } else if (folder.equals("cobra") || path.toString().matches(".*\\.(txt|jsonl\\.gz|jsonl\\.zst)")) {
                        paths.add(root.relativize(path).toString());
                    }
                });
            }
        }
        // Dense repeated values are left to the solver, which both engines share.
        paths.removeIf(path -> path.contains("HD-10k"));
        assertThat(corpus(paths.toArray(new String[0]))).isGreaterThan(30);
    }

    private static Path corpusFolder() {
        Path folder = OracleCorpus.folder().orElse(null);
        Assumptions.assumeTrue(folder != null, "skipped: there is no corpus beside the repository");
        return folder;
    }

    /**
     * @return how many were of over 1,000 transactions and decided by the embedded engine within 20 s, and so compared
     */
    private static int corpus(String... paths) throws IOException {
        Path root = corpusFolder();
        int compared = 0;
        for (String path : paths) {
            HistoryTable table;
            try {
                table = HistoryReader.read(root.resolve(path).toString(), HistoryFormat.AUTO);
            } catch (HistoryException e) {
                continue; // predicates and lists
            }
            if (table.transactions() <= 1_000) {
                continue;
            }
            for (IsolationLevel level : LEVELS) {
                Budget budget =
                        Budget.starting(20_000_000_000L, Runtime.getRuntime().maxMemory());
                CheckRequest request = CheckRequest.of(level);
                Verdict expected = new EmbeddedChecker().check(table, request, Progress.NONE, budget);
                if (expected.status() != Verdict.Status.UNKNOWN) {
                    Verdict actual = standard.check(table, request, Progress.NONE, Budget.unlimited());
                    assertThat(actual.status()).as("%s %s", path, level).isEqualTo(expected.status());
                    assertThat(actual.violations()).as("%s %s", path, level).isEqualTo(expected.violations());
                    compared++;
                }
            }
        }
        return compared;
    }

    @Test
    void aBudgetThatHasEndedIsUnknown() {
        Budget budget = Budget.unlimited();
        budget.cancel();
        HistoryTable table = HistoryDsl.parse("init 0; w(0,1); r(0,1)");
        Verdict verdict = fine.check(table, CheckRequest.of(IsolationLevel.SER), Progress.NONE, budget);
        assertThat(verdict.status()).isEqualTo(Verdict.Status.UNKNOWN);
        assertThat(verdict.reason()).isEqualTo("cancelled during index");
    }

    @Test
    @Timeout(60)
    void aJobIsCancelledWhenTheBudgetEnds() {
        Jobs jobs = new Jobs(fine.session().sparkContext(), Budget.starting(1_000_000_000L, Long.MAX_VALUE));
        MapFunction<Long, Long> sleeps = x -> {
            Thread.sleep(600_000);
            return x;
        };
        Object result = jobs.run(
                "sleep",
                () -> fine.session().range(4).map(sleeps, Encoders.LONG()).collectAsList());
        assertThat(result).isNull();
    }

    @Test
    void failuresOfTasksAreSorted() {
        assertThatThrownBy(() -> failing(new IllegalArgumentException("a bug")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("Spark could not fail: a bug");
        assertThatThrownBy(() -> failing(new FileNotFoundException("part-00000.parquet is gone")))
                .isInstanceOf(EngineException.class)
                .hasMessage(
                        "Spark could not fail: part-00000.parquet is gone; expected executors and their files to last;"
                                + " see their logs, then run the command again: a check with --out continues from its checkpoints");
        assertThatThrownBy(() -> failing(new IOException("No space left on device")))
                .isInstanceOf(EngineException.class)
                .hasMessageMatching(
                        "Spark could not fail: No space left on device; expected disks with room; make room in"
                                + " spark.local.dir \\(.+\\) and spark.polygraph.stage.dir, or give others, then run the command again:"
                                + " a check with --out continues from its checkpoints");
        assertThatThrownBy(() -> failing(new OutOfMemoryError("Java heap space")))
                .isInstanceOf(OutOfMemoryError.class);
        same(fine, HistoryDsl.parse("init 0; w(0,1); r(0,1)"), IsolationLevel.SER, "after failures");
    }

    private static void failing(Throwable failure) {
        MapFunction<Long, Long> fails = x -> {
            if (failure instanceof Error error) {
                throw error;
            }
            throw (Exception) failure;
        };
        Jobs jobs = new Jobs(fine.session().sparkContext(), Budget.unlimited());
        jobs.run(
                "fail",
                () -> fine.session().range(4).map(fails, Encoders.LONG()).collectAsList());
    }

    @Test
    void mastersHaveProfiles() {
        assertThat(SparkSessions.profile("local").name()).isEqualTo("local");
        assertThat(SparkSessions.profile("local[*]").name()).isEqualTo("local");
        assertThat(SparkSessions.profile("local[4]").name()).isEqualTo("local");
        assertThat(SparkSessions.profile("local[4,2]").name()).isEqualTo("local");
        assertThat(SparkSessions.profile("spark://host:7077").name()).isEqualTo("standalone");
        assertThat(SparkSessions.profile("yarn").name()).isEqualTo("yarn");
        assertThat(SparkSessions.profile("k8s://https://host:6443").name()).isEqualTo("kubernetes");
        assertThatThrownBy(() -> new SparkChecker("localhost"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("found --master 'localhost'; expected local[*], local[N], spark://HOST:PORT, yarn or"
                        + " k8s://URL");
    }

    @Test
    void theProfileIsInForce() {
        assertThat(fine.session().conf().get("spark.kryo.registrationRequired")).isEqualTo("true");
        assertThat(fine.session().sparkContext().uiWebUrl().isEmpty()).isTrue();
    }
}
