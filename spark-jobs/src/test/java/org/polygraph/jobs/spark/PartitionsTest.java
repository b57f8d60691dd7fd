package org.polygraph.jobs.spark;

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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.application.Checker;
import org.polygraph.jobs.application.CheckpointFiles;
import org.polygraph.jobs.application.EmbeddedChecker;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Checkpoints;
import org.polygraph.jobs.decision.EndingCheckpoints;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.jobs.decision.Registers;
import org.polygraph.jobs.report.Untimed;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.closure.WindowPlan;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.partitioner.sliced.HotKeySaturation;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.ClientTimes;
import org.polygraph.storage.testkit.HistoryGenerator;
import org.polygraph.storage.testkit.InjectedAnomaly;
import org.polygraph.storage.testkit.SplitMix;

/**
 * However keys and sessions are divided, verdict.json equals that of the embedded engine, except for time and memory.
 */
@Tag("spark")
class PartitionsTest {
    private static final long SEED = 0x9a27;

    @TempDir
    static Path stages;

    /** Bytes of rows: more than those of a key with some hundred events. */
    private static final long HOT_BYTES = 16 << 10;

    private static final List<SparkChecker> CHECKERS = new ArrayList<>();

    @BeforeAll
    static void start() {
        System.setProperty(LazySession.STAGE_FOLDER, stages.toUri().toString());
        // Slices of keys, sessions of a column, events of a window of time (there are 150 to 3,000), and how many
        // slices a key
        // must outweigh to be sliced by value: no key, almost all, some. Each such key takes two tasks in every phase,
        // so the
        // histories have few keys.
        for (int[] cut : new int[][] {{1, 1000, 1000000, 1}, {7, 3, 40, 0}, {29, 1, 5, 1}}) {
            long hotBytes = cut[0] == 1 ? Long.MAX_VALUE : HOT_BYTES;
            CHECKERS.add(new SparkChecker(
                    "local[2]",
                    new SparkChecker.TaskSizes(
                            1,
                            cut[0],
                            cut[3],
                            0,
                            cut[1],
                            hotBytes,
                            new WindowPlan.Granularity(cut[2], 0),
                            Long.MAX_VALUE)));
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
                    .keys(24 + 6 * i)
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
                            .as("history %d at %s, seed %d, %s", number, level, SEED, checker.sizes())
                            .isEqualTo(Untimed.json(expected));
                }
            }
            number++;
        }
        assertThat(seen.get(Verdict.Status.PASS)).isGreaterThan(3);
        assertThat(seen.get(Verdict.Status.VIOLATION)).isGreaterThan(2);
    }

    /** Slices of writers process a key that a third of all operations access. The result is the same. */
    @Test
    void aHotKeyIsCutToo() {
        int seen = 0;
        for (int i = 0; i < 2; i++) {
            HistoryGenerator generator = HistoryGenerator.withSeed(SEED + 100 + i)
                    .sessions(7)
                    .transactions(1_200)
                    .operations(1, 6)
                    .keys(70)
                    .hotspot(1.0 / 70, 0.3)
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
                CheckRequest request = new CheckRequest(level, TimeMode.NONE, 0, IndeterminateMode.MAYBE);
                Verdict expected = new EmbeddedChecker().check(table, request, Progress.NONE, Budget.unlimited());
                for (SparkChecker checker : CHECKERS) {
                    assertSame(expected, checker, table, request);
                }
            }
        }
        assertThat(seen).isPositive();
    }

    /** The rules of the guess are on the driver, beside columns and slices. */
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
        CheckRequest request = CheckRequest.of(IsolationLevel.SER);
        Verdict expected = new EmbeddedChecker().check(few, request, Progress.NONE, Budget.unlimited());
        assertSame(expected, CHECKERS.get(1), few, request);
    }

    /** Real time as part of the level, and as a hint, which repeated values make the check try: by windows. */
    @Test
    void verdictsWithTimesAreTheSameBytes() {
        verdictsWithTimes(false);
    }

    @Test
    @Tag("full")
    void verdictsWithTimesAreTheSameBytesHoweverSmallTheSlices() {
        verdictsWithTimes(true);
    }

    /** @param all 29 slices at each level; else for two histories at SSER, as they take most of the time */
    private static void verdictsWithTimes(boolean all) {
        Map<Verdict.Status, Integer> seen = new EnumMap<>(Verdict.Status.class);
        for (int i : new int[] {1, 2, 5, 6, 7}) {
            HistoryGenerator generator = HistoryGenerator.withSeed(SEED + 100 + i)
                    .sessions(4 + 3 * i)
                    .transactions(i == 7 ? 1_500 : 200)
                    .operations(1, 8)
                    .keys(20 + 6 * i)
                    .withTimestamps()
                    .isolation(i % 3 == 1 ? HistoryGenerator.Isolation.SNAPSHOT : HistoryGenerator.Isolation.SERIAL);
            if (i % 2 == 1) {
                generator.repeatedValues(1, 4, 0.7);
            }
            if (i == 2) {
                generator.inject(InjectedAnomaly.WRITE_SKEW, 1);
            }
            if (i > 3) {
                generator.indeterminateShare(0.1);
            }
            HistoryTable table = generator.generate();
            if (i == 7) {
                ClientTimes.set(table, ClientTimes.Kind.SKEWED, 0.05, new SplitMix(SEED));
            }
            if (i == 6) {
                // One transaction spans the whole history, and one has an unknown end.
                table.starts()[3] = table.starts()[0];
                table.ends()[3] = table.ends()[table.transactions() - 1];
                table.ends()[10] = HistoryTable.NO_TIME;
            }
            for (IsolationLevel level : List.of(IsolationLevel.SSER, IsolationLevel.SSI, IsolationLevel.SER)) {
                TimeMode mode = level.realTime() ? TimeMode.STRICT : TimeMode.HINT;
                CheckRequest request = new CheckRequest(level, mode, i == 5 ? 20 : 0, IndeterminateMode.MAYBE);
                Verdict expected = new EmbeddedChecker().check(table, request, Progress.NONE, Budget.unlimited());
                seen.merge(expected.status(), 1, Integer::sum);
                int cuts = all || level == IsolationLevel.SSER && i < 3 ? CHECKERS.size() : CHECKERS.size() - 1;
                for (SparkChecker checker : CHECKERS.subList(0, cuts)) {
                    assertSame(expected, checker, table, request);
                }
            }
        }
        assertThat(seen.get(Verdict.Status.PASS)).isGreaterThan(3);
        assertThat(seen.get(Verdict.Status.VIOLATION)).isGreaterThan(2);
    }

    /**
     * If all transactions overlap, the rows of a window do not fit in a task. Then the order is made without rules, and
     * the verdict is the same.
     */
    @Test
    void aCrowdedWindowIsDoneWithout() {
        SparkChecker.TaskSizes standard = CHECKERS.get(0).sizes();
        SparkChecker.TaskSizes little =
                new SparkChecker.TaskSizes(1, 1, 1, 0, 1000, Long.MAX_VALUE, standard.windows(), 1);
        int done = 0;
        try (SparkChecker checker = new SparkChecker("local[2]", little)) {
            for (int i = 0; i < 4; i++) {
                HistoryGenerator generator = HistoryGenerator.withSeed(SEED + 200 + i)
                        .sessions(40)
                        .transactions(1_500)
                        .operations(1, 6)
                        .keys(400)
                        .withTimestamps()
                        .isolation(
                                i % 2 == 1 ? HistoryGenerator.Isolation.SNAPSHOT : HistoryGenerator.Isolation.SERIAL);
                if (i > 1) {
                    generator.inject(InjectedAnomaly.LOST_UPDATE, 1);
                }
                HistoryTable table = generator.generate();
                IsolationLevel level = i % 2 == 1 ? IsolationLevel.SSI : IsolationLevel.SSER;
                CheckRequest request = new CheckRequest(level, TimeMode.STRICT, 0, IndeterminateMode.MAYBE);
                Verdict expected = new EmbeddedChecker().check(table, request, Progress.NONE, Budget.unlimited());
                Verdict actual = checker.check(table, request, Progress.NONE, Budget.unlimited());
                assertThat(actual.status()).as("history %d", i).isEqualTo(expected.status());
                assertThat(actual.violations().stream().map(Violation::anomaly).toList())
                        .as("history %d", i)
                        .isEqualTo(expected.violations().stream()
                                .map(Violation::anomaly)
                                .toList());
                done += actual.phases().stream().noneMatch(p -> p.name().equals("saturation")) ? 1 : 0;
            }
        }
        assertThat(done).isEqualTo(4);
    }

    private static void assertSame(Verdict expected, SparkChecker checker, HistoryTable table, CheckRequest request) {
        Verdict actual = checker.check(table, request, Progress.NONE, Budget.unlimited());
        assertThat(Untimed.json(actual))
                .as("%d transactions at %s, seed %d, %s", table.transactions(), request.level(), SEED, checker.sizes())
                .isEqualTo(Untimed.json(expected));
    }

    /** After any checkpoint, the same engine or the other one continues, and the answer is the same. */
    @Test
    void killedDriversGoOn(@TempDir Path kept) throws IOException {
        HistoryGenerator timed = HistoryGenerator.withSeed(SEED)
                .sessions(9)
                .transactions(1_500)
                .operations(1, 8)
                .keys(40)
                .zipf(0.9)
                .withTimestamps()
                .isolation(HistoryGenerator.Isolation.SERIAL);
        HistoryTable registers = Registers.simulated(new SplitMix(SEED), 500, 30, 6, true, 0);
        int resumed = goOn(histories().get(1), IsolationLevel.SI, kept)
                + goOn(histories().get(4), IsolationLevel.SI, kept);
        assertThat(resumed).isGreaterThan(5);
        assertThat(goOn(timed.generate(), IsolationLevel.SSER, kept)).isGreaterThan(2);
        assertThat(goOn(timed.repeatedValues(1, 4, 0.7).generate(), IsolationLevel.SSI, kept))
                .isGreaterThan(2);
        assertThat(goOn(registers, IsolationLevel.LIN, kept)).isOne();
        try (Stream<Path> left = Files.list(stages)) {
            assertThat(left).isEmpty();
        }
    }

    /** @return the number of checkpoints */
    private static int goOn(HistoryTable table, IsolationLevel level, Path kept) throws IOException {
        Checker spark = CHECKERS.get(1);
        Checker embedded = new EmbeddedChecker();
        TimeMode mode = level.realTime() ? TimeMode.STRICT : TimeMode.NONE;
        CheckRequest request = new CheckRequest(level, mode, 0, IndeterminateMode.MAYBE);
        String expected = Untimed.json(embedded.check(table, request, Progress.NONE, Budget.unlimited()));
        for (int after = 1; ; after++) {
            // The combinations spark - spark, embedded - spark and spark - embedded, in turn.
            Checker first = after % 3 == 1 ? embedded : spark;
            Checker then = after % 3 == 2 ? embedded : spark;
            Path folder = Files.createTempDirectory(kept, level + "-" + after);
            try {
                first.check(table, request, Progress.NONE, Budget.unlimited(), ending(folder, after));
                return after - 1;
            } catch (EndingCheckpoints.Killed e) {
                // The check runs again.
            }
            Verdict verdict =
                    then.check(table, request, Progress.NONE, Budget.unlimited(), ending(folder, Integer.MAX_VALUE));
            assertThat(Untimed.json(verdict)).as("%s after %d", level, after).isEqualTo(expected);
        }
    }

    private static Checkpoints ending(Path folder, int after) throws IOException {
        return new EndingCheckpoints(new CheckpointFiles(Location.of(folder.toString()), message -> {}), after);
    }
}
