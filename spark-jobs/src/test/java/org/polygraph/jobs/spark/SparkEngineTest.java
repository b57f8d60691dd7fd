package org.polygraph.jobs.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.sql.Encoders;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.application.EmbeddedChecker;
import org.polygraph.jobs.application.Engine;
import org.polygraph.jobs.application.EngineException;
import org.polygraph.jobs.application.WindowedChecker;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Checks;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.jobs.estimate.Estimate;
import org.polygraph.jobs.report.Untimed;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryWriter;
import org.polygraph.storage.generate.PlantedAnomaly;
import org.polygraph.storage.generate.Workload;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.SuiteScale;

/**
 * Compares the Spark engine with windows in one process, whose verdicts are the same to the last byte except for time
 * and memory, and with the embedded engine, whose status is the same.
 */
@Tag("spark")
class SparkEngineTest {
    private static final long SEED = 0x5fa7c;
    private static final List<IsolationLevel> LEVELS = Checks.levels("SER SI SSER CC SSI RC");
    private static final List<Workload.Level> STORES = List.of(Workload.Level.values());

    @TempDir
    static Path stages;

    @TempDir
    static Path histories;

    @SuppressWarnings("NullAway.Init")
    private static SparkEngine spark;

    @BeforeAll
    static void start() {
        System.setProperty(LazySession.SCRATCH_FOLDER, stages.toUri().toString());
        spark = new SparkEngine("local[2]");
        spark.session();
    }

    @AfterAll
    static void stop() {
        spark.close();
        System.clearProperty(LazySession.SCRATCH_FOLDER);
    }

    @AfterEach
    void nothingStaysBehind() throws IOException {
        try (Stream<Path> left = Files.list(stages)) {
            assertThat(left).isEmpty();
        }
    }

    private static @Nullable Verdict decided(Engine engine, Path history, CheckRequest request)
            throws HistoryException, IOException {
        Verdict.Builder verdict = new WindowedChecker(engine, Estimate.WINDOW)
                .decide(history.toString(), HistoryFormat.AUTO, request, null, null, Progress.NONE, Budget.unlimited())
                .verdict();
        return verdict == null ? null : verdict.build();
    }

    private static HistoryTable generated(int i) {
        Workload generator = new Workload()
                .seed(SEED + i)
                .sessions(5 + i % 5)
                .transactions(100 + 40 * (i % 7))
                .operations(1, 6)
                .keys(20 + i % 30)
                .level(STORES.get(i / 6 % STORES.size()));
        if (i % 4 == 1) {
            generator.indeterminate(0.05);
        }
        if (i % 5 == 0) {
            generator.values(4).repeats(0.3);
        }
        if (i % 2 == 0) {
            generator.plant(PlantedAnomaly.values()[i / 2 % PlantedAnomaly.values().length], 50);
        }
        return generator.table();
    }

    @Test
    void verdictsAreThoseOfOneProcess() throws IOException, HistoryException {
        Map<Verdict.Status, Integer> seen = new EnumMap<>(Verdict.Status.class);
        int whole = 0;
        for (int i = 0; i < SuiteScale.of(30); i++) {
            HistoryTable table = generated(i);
            Path file = histories.resolve(i + ".jsonl");
            HistoryWriter.write(table, file.toString(), HistoryFormat.JSONL);
            CheckRequest request = CheckRequest.of(LEVELS.get(i % LEVELS.size()));
            String name = "seed " + (SEED + i) + " " + request.level();
            Verdict expected = decided(Engine.LOCAL, file, request);
            Verdict actual = decided(spark, file, request);
            if (expected == null) {
                assertThat(actual).as(name).isNull();
                whole++;
                continue;
            }
            assertThat(actual).as(name).isNotNull();
            assertThat(Untimed.json(actual)).as(name).isEqualTo(Untimed.json(expected));
            Verdict.Status status = new EmbeddedChecker()
                    .check(table, request, Progress.NONE, Budget.unlimited())
                    .status();
            assertThat(actual.status()).as(name).isEqualTo(status);
            seen.merge(status, 1, Integer::sum);
        }
        assertThat(seen).containsKeys(Verdict.Status.PASS, Verdict.Status.VIOLATION);
        assertThat(whole).isLessThan(10);
    }

    @Test
    void linearizabilityIsDecidedByTasks() throws IOException, HistoryException {
        for (boolean lies : new boolean[] {false, true}) {
            Workload registers =
                    new Workload().seed(SEED).transactions(300).operations(1).keys(20);
            HistoryTable table = (lies ? registers.plant(PlantedAnomaly.STALE_READ, 150) : registers).table();
            Path file = histories.resolve("lin.jsonl");
            HistoryWriter.write(table, file.toString(), HistoryFormat.JSONL);
            Verdict verdict = decided(spark, file, CheckRequest.of(IsolationLevel.LIN));
            assertThat(Objects.requireNonNull(verdict).status())
                    .isEqualTo(lies ? Verdict.Status.VIOLATION : Verdict.Status.PASS);
        }
    }

    @Test
    void aBudgetThatHasEndedIsABudgetException() throws IOException {
        Path file = histories.resolve("late.jsonl");
        HistoryWriter.write(generated(1), file.toString(), HistoryFormat.JSONL);
        Budget budget = Budget.unlimited();
        budget.cancel();
        assertThatThrownBy(() -> new WindowedChecker(spark, Estimate.WINDOW)
                        .decide(
                                file.toString(),
                                HistoryFormat.AUTO,
                                CheckRequest.of(IsolationLevel.SER),
                                null,
                                null,
                                Progress.NONE,
                                budget))
                .isInstanceOf(BudgetException.class);
    }

    @Test
    @Timeout(60)
    void aJobIsCancelledWhenTheBudgetEnds() {
        Jobs jobs = new Jobs(spark.session().sparkContext(), Budget.starting(1_000_000_000L, Long.MAX_VALUE));
        MapFunction<Long, Long> sleeps = x -> {
            Thread.sleep(600_000);
            return x;
        };
        assertThatThrownBy(() -> jobs.run("sleep", () -> spark.session()
                        .range(4)
                        .map(sleeps, Encoders.LONG())
                        .collectAsList()))
                .isInstanceOf(BudgetException.class);
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
                                + " spark.local.dir \\(.+\\), or give others, then run the command again:"
                                + " a check with --out continues from its checkpoints");
        assertThatThrownBy(() -> failing(new OutOfMemoryError("Java heap space")))
                .isInstanceOf(OutOfMemoryError.class);
    }

    private static void failing(Throwable failure) {
        MapFunction<Long, Long> fails = x -> {
            if (failure instanceof Error error) {
                throw error;
            }
            throw (Exception) failure;
        };
        Jobs jobs = new Jobs(spark.session().sparkContext(), Budget.unlimited());
        jobs.run(
                "fail",
                () -> spark.session().range(4).map(fails, Encoders.LONG()).collectAsList());
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
        assertThatThrownBy(() -> new SparkEngine("localhost"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("found --master 'localhost'; expected local[*], local[N], spark://HOST:PORT, yarn or"
                        + " k8s://URL");
    }

    @Test
    void theProfileIsInForce() {
        assertThat(spark.session().conf().get("spark.kryo.registrationRequired"))
                .isEqualTo("true");
        assertThat(spark.session().sparkContext().uiWebUrl().isEmpty()).isTrue();
    }
}
