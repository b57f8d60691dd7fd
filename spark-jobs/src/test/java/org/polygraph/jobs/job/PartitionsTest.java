package org.polygraph.jobs.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.certificate.IndeterminateMode;
import org.polygraph.jobs.pipeline.Budget;
import org.polygraph.jobs.pipeline.CheckRequest;
import org.polygraph.jobs.pipeline.Checker;
import org.polygraph.jobs.pipeline.EmbeddedChecker;
import org.polygraph.jobs.pipeline.EndingStages;
import org.polygraph.jobs.pipeline.Progress;
import org.polygraph.jobs.pipeline.RunStages;
import org.polygraph.jobs.pipeline.Stages;
import org.polygraph.jobs.report.Untimed;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.prune.HotKeySaturation;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.columnar.HistoryTable;
import org.polygraph.storage.testkit.HistoryGenerator;
import org.polygraph.storage.testkit.InjectedAnomaly;

/** However keys and sessions are cut, verdict.json is the embedded engine's to the last byte but for time and memory. */
class PartitionsTest {
    private static final long SEED = 0x9a27;

    @TempDir
    static Path stages;

    /** Of rows: more than a key of some hundred events has. */
    private static final long HOT_BYTES = 16 << 10;

    private static final List<SparkChecker> CHECKERS = new ArrayList<>();

    @BeforeAll
    static void start() {
        System.setProperty(LazySession.STAGE_FOLDER, stages.toUri().toString());
        // Slices of keys, and columns a group of sessions.
        for (int[] cut : new int[][] {{1, 1000}, {7, 3}, {64, 1}}) {
            CHECKERS.add(new SparkChecker(
                    "local[2]", new SparkChecker.Cut(1, cut[0], 0, cut[1], cut[0] == 1 ? Long.MAX_VALUE : HOT_BYTES)));
        }
    }

    @AfterAll
    static void stop() {
        CHECKERS.forEach(SparkChecker::close);
        System.clearProperty(LazySession.STAGE_FOLDER);
    }

    private static List<HistoryTable> histories() {
        List<HistoryTable> histories = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            HistoryGenerator generator = HistoryGenerator.withSeed(SEED + i)
                    .sessions(5 + i)
                    .transactions(i < 4 ? 150 : 1_500)
                    .operations(1, 8)
                    .keys(70 + 20 * i)
                    .isolation(i % 3 == 1 ? HistoryGenerator.Isolation.SNAPSHOT : HistoryGenerator.Isolation.SERIAL);
            if (i % 2 == 1) {
                generator.repeatedValues(1, 4, 0.7);
            }
            if (i % 2 == 0 && i > 0) {
                generator.inject(i == 2 ? InjectedAnomaly.LOST_UPDATE : InjectedAnomaly.WRITE_SKEW, 1);
            }
            if (i == 3) {
                generator.indeterminateShare(0.1);
            }
            if (i > 3) {
                generator.zipf(0.9);
            }
            histories.add(generator.generate());
        }
        return histories;
    }

    @Test
    void verdictsAreTheSameBytes() {
        Map<Verdict.Status, Integer> seen = new EnumMap<>(Verdict.Status.class);
        int number = 0;
        for (HistoryTable table : histories()) {
            for (IsolationLevel level : number > 0
                    ? List.of(IsolationLevel.SER, IsolationLevel.SI)
                    : List.of(IsolationLevel.SER, IsolationLevel.SI, IsolationLevel.RA)) {
                CheckRequest request = new CheckRequest(level, TimeMode.NONE, 0, IndeterminateMode.MAYBE);
                Verdict expected = new EmbeddedChecker().check(table, request, Progress.NONE, Budget.unlimited());
                seen.merge(expected.status(), 1, Integer::sum);
                for (SparkChecker checker : CHECKERS) {
                    Verdict actual = checker.check(table, request, Progress.NONE, Budget.unlimited());
                    assertThat(Untimed.json(actual))
                            .as("history %d at %s, seed %d, %s", number, level, SEED, checker.cut())
                            .isEqualTo(Untimed.json(expected));
                }
            }
            number++;
        }
        assertThat(seen.get(Verdict.Status.PASS)).isGreaterThan(3);
        assertThat(seen.get(Verdict.Status.VIOLATION)).isGreaterThan(2);
    }

    /** A key that a third of all operations touch is gone through by ranges; nothing else about it is different. */
    @Test
    void aHotKeyIsCutToo() {
        int seen = 0;
        for (int i = 0; i < 2; i++) {
            HistoryGenerator generator = HistoryGenerator.withSeed(SEED + 100 + i)
                    .sessions(7)
                    .transactions(1_200)
                    .operations(1, 6)
                    .keys(600)
                    .hotspot(1.0 / 600, 0.3)
                    .isolation(i == 0 ? HistoryGenerator.Isolation.SERIAL : HistoryGenerator.Isolation.SNAPSHOT);
            if (i == 1) {
                generator.inject(InjectedAnomaly.LOST_UPDATE, 1);
            }
            HistoryTable table = generator.generate();
            IndexedHistory history = IndexedHistory.of(table, IndexedHistory.Indeterminate.MAYBE);
            for (int k = 0; k < history.versions().keys(); k++) {
                seen += HotKeySaturation.splits(history.versions(), k) ? 1 : 0;
            }
            for (IsolationLevel level : List.of(IsolationLevel.SER, IsolationLevel.SI)) {
                assertSame(table, new CheckRequest(level, TimeMode.NONE, 0, IndeterminateMode.MAYBE));
            }
        }
        assertThat(seen).isPositive();
    }

    /** Real time, the hint and the guess have their rules on the driver, beside columns and slices. */
    @Test
    void soAreThoseOfWhatStaysOnTheDriver() {
        HistoryTable few = HistoryGenerator.withSeed(SEED)
                .sessions(25)
                .transactions(1_000)
                .operations(8)
                .keys(150)
                .repeatedValues(1, 5, 1.0)
                .isolation(HistoryGenerator.Isolation.SERIAL)
                .generate();
        assertSame(few, CheckRequest.of(IsolationLevel.SER));
        for (int i : new int[] {2, 3}) {
            HistoryTable table = histories().get(i);
            assertSame(table, new CheckRequest(IsolationLevel.SI, TimeMode.HINT, 0, IndeterminateMode.MAYBE));
            assertSame(table, new CheckRequest(IsolationLevel.SSER, TimeMode.STRICT, 0, IndeterminateMode.MAYBE));
        }
    }

    private static void assertSame(HistoryTable table, CheckRequest request) {
        Verdict expected = new EmbeddedChecker().check(table, request, Progress.NONE, Budget.unlimited());
        Verdict actual = CHECKERS.get(1).check(table, request, Progress.NONE, Budget.unlimited());
        assertThat(Untimed.json(actual))
                .as("%d transactions at %s, seed %d", table.transactions(), request.level(), SEED)
                .isEqualTo(Untimed.json(expected));
    }

    /** After any stage the same engine goes on, or the other one, and answers as if nothing had happened. */
    @Test
    void killedDriversGoOn(@TempDir Path kept) throws IOException {
        SparkChecker spark = CHECKERS.get(1);
        Checker embedded = new EmbeddedChecker();
        int resumed = 0;
        for (int i : new int[] {1, 4}) {
            HistoryTable table = histories().get(i);
            CheckRequest request = new CheckRequest(IsolationLevel.SI, TimeMode.NONE, 0, IndeterminateMode.MAYBE);
            String expected = Untimed.json(embedded.check(table, request, Progress.NONE, Budget.unlimited()));
            for (int after = 1; ; after++) {
                Path folder = kept.resolve(i + "-" + after);
                Checker then = after % 3 == 0 ? embedded : spark;
                try {
                    spark.check(table, request, Progress.NONE, Budget.unlimited(), ending(folder, after));
                    break;
                } catch (EndingStages.Killed e) {
                    resumed++;
                }
                Verdict verdict = then.check(
                        table, request, Progress.NONE, Budget.unlimited(), ending(folder, Integer.MAX_VALUE));
                assertThat(Untimed.json(verdict))
                        .as("history %d after %d", i, after)
                        .isEqualTo(expected);
            }
        }
        assertThat(resumed).isGreaterThan(5);
        try (Stream<Path> left = Files.list(stages)) {
            assertThat(left).isEmpty();
        }
    }

    private static Stages ending(Path folder, int after) throws IOException {
        return new EndingStages(new RunStages(Location.of(folder.toString()), message -> {}), after);
    }
}
