package org.polygraph.jobs.windows;

import static org.assertj.core.api.Assertions.assertThat;

import it.unimi.dsi.fastutil.ints.Int2LongMap;
import it.unimi.dsi.fastutil.ints.Int2LongOpenHashMap;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.jobs.decision.Registers;
import org.polygraph.jobs.decision.RowHistories;
import org.polygraph.jobs.verdict.Counts;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.analysis.InitialChoice;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.format.HistoryWriter;
import org.polygraph.storage.format.InitialState;
import org.polygraph.storage.format.pieces.ReadPlan;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.HistoryDsl;
import org.polygraph.storage.testkit.HistoryGenerator;
import org.polygraph.storage.testkit.InjectedAnomaly;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.SuiteScale;
import org.polygraph.storage.testkit.TinyHistories;

/** Windows in scratch files against the embedded engine. */
class WindowCheckTest {
    private static final long SEED = 0x57a6;
    private static final WindowSettings SMALL = new WindowSettings(500, 1_000, 1_000, 7);

    /** So that thousands of transactions lie between clocks of one moment. */
    private static final long CLOCK_SKEW = 10_000_000;

    /** Those that need no times. */
    private static final List<IsolationLevel> LEVELS =
            FileWindows.LEVELS.stream().filter(level -> !level.realTime()).toList();

    @TempDir
    private Path folder;

    private final Map<WindowCheck.Ending, Integer> outcomes = new EnumMap<>(WindowCheck.Ending.class);
    /** Why outcomes are open. */
    private final Map<String, Integer> reasons = new HashMap<>();

    @Test
    void tinyHistoriesHaveTheSameVerdicts() throws IOException, HistoryException {
        TinyHistories stream = new TinyHistories(SEED);
        for (int i = 0; i < SuiteScale.of(210); i++) {
            IsolationLevel level = FileWindows.LEVELS.get(i % FileWindows.LEVELS.size());
            SplitMix random = new SplitMix(stream.seedOf(i));
            HistoryTable history = stream.at(i);
            assertDecided(
                    level,
                    history,
                    new WindowSettings(random.between(1, 6), random.between(1, 8), random.between(1, 9), 3),
                    random.between(60, 400),
                    random.chance(0.5),
                    level + " seed " + stream.seedOf(i) + " " + HistoryDsl.print(history));
        }
        System.out.println(outcomes + " of tiny histories, seed " + SEED);
        assertThat(outcomes.get(WindowCheck.Ending.ORDERED)).isPositive();
        assertThat(outcomes.get(WindowCheck.Ending.VIOLATED)).isPositive();
    }

    /** Keys begin with values that other transactions may write too: those of the header, of a file, or of both. */
    @Test
    void initialValuesOfKeysHaveTheSameVerdicts() throws IOException, HistoryException {
        TinyHistories stream = new TinyHistories(SEED + 5);
        for (int i = 0; i < SuiteScale.of(700); i++) {
            SplitMix random = new SplitMix(stream.seedOf(i));
            HistoryTable plain = stream.at(i);
            InitialState given = random.chance(0.6) ? new InitialState() : null;
            Int2LongMap ofHeader = new Int2LongOpenHashMap();
            for (int key = 0; key < plain.keys().size(); key++) {
                long value = plain.value(random.nextInt(plain.operations()));
                if (given != null && random.chance(0.4)) {
                    given.put(plain, key, value);
                }
                if (random.chance(0.4)) {
                    ofHeader.put(key, plain.value(random.nextInt(plain.operations())));
                }
            }
            boolean isOfHeader = given == null || random.chance(0.3);
            assertDecided(
                    FileWindows.LEVELS.get(i % FileWindows.LEVELS.size()),
                    isOfHeader ? plain.withInitialState(ofHeader) : plain,
                    new WindowSettings(random.between(1, 6), random.between(1, 8), random.between(1, 9), 3),
                    random.between(60, 400),
                    random.chance(0.5),
                    given,
                    "seed " + stream.seedOf(i) + " " + ofHeader + " " + given + " " + HistoryDsl.print(plain));
        }
        System.out.println(outcomes + " of initial values, seed " + (SEED + 5));
        assertThat(outcomes.get(WindowCheck.Ending.ORDERED)).isPositive();
        assertThat(outcomes.get(WindowCheck.Ending.VIOLATED)).isPositive();
    }

    @Test
    void historiesOfManyWindowsHaveTheSameVerdicts() throws IOException, HistoryException {
        for (int i = 0; i < SuiteScale.of(14, 7); i++) {
            IsolationLevel level = FileWindows.LEVELS.get(i % FileWindows.LEVELS.size());
            SplitMix random = new SplitMix(SplitMix.seedOf(SEED + 1, i));
            HistoryGenerator generator = HistoryGenerator.withSeed(random.nextLong())
                    .isolation(
                            level.eventsPerTransaction() == 1
                                    ? HistoryGenerator.Isolation.OPTIMISTIC
                                    : HistoryGenerator.Isolation.SNAPSHOT)
                    .sessions(random.between(3, 30))
                    .transactions(1_000)
                    .operations(1, 6)
                    .keys(random.between(20, 500))
                    .zipf(random.chance(0.5) ? 0.9 : 0)
                    .abortedShare(random.chance(0.5) ? 0 : 0.05)
                    .indeterminateShare(random.chance(0.5) ? 0 : 0.02)
                    .clockSkew(random.chance(0.5) ? 0 : 20_000);
            if (random.chance(0.3)) {
                generator.repeatedValues(1, 20, 0.3);
            }
            if (random.chance(0.4)) {
                InjectedAnomaly[] all = InjectedAnomaly.values();
                generator.inject(all[random.nextInt(all.length)], 1);
            }
            HistoryTable history = TinyHistories.of(generator, random.chance(0.2) ? random : null);
            // Windows of 4 transactions take most of the time. Each level has some, because 4 and 7 have no common
            // factor.
            for (int window : i % 4 == 0 ? new int[] {4, 50, 500, 5_000} : new int[] {50, 500, 5_000}) {
                assertDecided(
                        level,
                        history,
                        new WindowSettings(window, random.between(1, 1_000), random.between(100, 4_000), 7),
                        random.between(5_000, 50_000),
                        random.chance(0.8),
                        level + " seed " + (SEED + 1) + " #" + i + " window " + window);
            }
        }
        System.out.println(outcomes + " of histories of many windows, seed " + (SEED + 1));
        assertThat(outcomes.get(WindowCheck.Ending.ORDERED)).isPositive();
        assertThat(outcomes.get(WindowCheck.Ending.VIOLATED)).isPositive();
    }

    /** At rc, ra and cc inserts and deletes are writes. */
    @Test
    void rowsHaveTheSameVerdicts() throws IOException, HistoryException {
        List<IsolationLevel> levels = List.of(IsolationLevel.CC, IsolationLevel.RA, IsolationLevel.RC);
        for (int i = 0; i < SuiteScale.of(400); i++) {
            SplitMix random = new SplitMix(SplitMix.seedOf(SEED + 7, i));
            HistoryTable history = RowHistories.tiny(random, 6);
            assertDecided(
                    levels.get(i % levels.size()),
                    history,
                    new WindowSettings(random.between(1, 6), random.between(1, 8), random.between(1, 9), 3),
                    random.between(60, 400),
                    random.chance(0.5),
                    "seed " + (SEED + 7) + " #" + i + " " + HistoryDsl.print(history));
        }
        System.out.println(outcomes + " with inserts and deletes, seed " + (SEED + 7));
        assertThat(outcomes.get(WindowCheck.Ending.ORDERED)).isPositive();
        assertThat(outcomes.get(WindowCheck.Ending.VIOLATED)).isPositive();
    }

    /** Only lin judges refused compare-and-sets; they are part of the content of the history all the same. */
    @Test
    void refusedCompareAndSetsHaveTheSameVerdicts() throws IOException, HistoryException {
        for (int i = 0; i < SuiteScale.of(300); i++) {
            SplitMix random = new SplitMix(SplitMix.seedOf(SEED + 6, i));
            HistoryTable history = Registers.tiny(random);
            assertDecided(
                    LEVELS.get(i % LEVELS.size()),
                    history,
                    new WindowSettings(random.between(1, 6), random.between(1, 8), random.between(1, 9), 3),
                    random.between(60, 400),
                    random.chance(0.5),
                    "seed " + (SEED + 6) + " #" + i + " " + HistoryDsl.print(history));
        }
        System.out.println(outcomes + " with refused compare-and-sets, seed " + (SEED + 6));
        assertThat(reasons).doesNotContainKey("it has refused compare-and-sets");
        assertThat(outcomes.get(WindowCheck.Ending.ORDERED)).isPositive();
        assertThat(outcomes.get(WindowCheck.Ending.VIOLATED)).isPositive();
    }

    /** Windows look for one order of all operations, in which sessions do not count. */
    @Test
    void registersHaveTheSameVerdicts() throws IOException, HistoryException {
        for (int i = 0; i < SuiteScale.of(300); i++) {
            SplitMix random = new SplitMix(SplitMix.seedOf(SEED + 3, i));
            boolean isTiny = i % 10 != 0;
            HistoryTable history = isTiny
                    ? Registers.tiny(random)
                    : Registers.simulated(
                            random,
                            500,
                            random.between(1, 20),
                            random.between(2, 9),
                            random.chance(0.5),
                            0.01 * (i % 20) / 10);
            assertDecided(
                    IsolationLevel.LIN,
                    random.chance(0.8) ? history.withoutRefusals() : history,
                    isTiny
                            ? new WindowSettings(random.between(1, 6), random.between(1, 8), random.between(1, 9), 3)
                            : new WindowSettings(random.between(4, 300), random.between(1, 400), 1_000, 7),
                    random.between(60, 40_000),
                    true,
                    "lin seed " + (SEED + 3) + " #" + i + " " + (isTiny ? HistoryDsl.print(history) : ""));
        }
        assertThat(reasons).doesNotContainKey("windows found no order, and no sub-history that violates the level");
        System.out.println(outcomes + " of registers, seed " + (SEED + 3));
        assertThat(outcomes.get(WindowCheck.Ending.ORDERED)).isPositive();
        assertThat(outcomes.get(WindowCheck.Ending.VIOLATED)).isPositive();
    }

    /** A transaction of two operations, and an operation without its end, are refused by the check of the whole. */
    @Test
    void linIsAboutSingleOperations() throws IOException, HistoryException {
        String one = line(0, 0, 100, 200, "w", 0, 1);
        String two = one.replace("}]}", "},{\"op\":\"w\",\"key\":1,\"value\":2}]}");
        for (String wrong : new String[] {two, one.replace("\"end\":200,", "")}) {
            String file = folder.resolve("lin.jsonl").toString();
            Files.writeString(
                    Path.of(file),
                    "{\"format\":\"history\",\"version\":1}\n" + wrong + line(1, 0, 300, 400, "r", 0, 1));
            try (LocalWorkers workers = FileWindows.workers()) {
                WindowCheck check =
                        FileWindows.check(workers, file, 1 << 20, SMALL, CheckRequest.of(IsolationLevel.LIN));
                assertThat(check.run(true, InitialChoice.IMPLICIT)).isEqualTo(WindowCheck.Ending.OPEN);
                assertThat(check.reason()).isEqualTo(WindowCheck.UNREADABLE);
            }
        }
    }

    /** Without times the first order of an input that is sorted by session is that of values, or of an even pace. */
    @Test
    void withoutTimesTheFirstOrderIsNearTheRightOne() throws IOException, HistoryException {
        for (int values : new int[] {0, 50}) {
            HistoryGenerator generator = HistoryGenerator.withSeed(SEED + 2)
                    .sessions(10)
                    .transactions(4_000)
                    .operations(4, 4)
                    .keys(2_000);
            if (values > 0) {
                generator.repeatedValues(1, values, 1);
            }
            long violated = violated(TinyHistories.of(generator, null), false);
            assertThat(violated).as("values " + values).isLessThan(1_000);
        }
    }

    /** Two writers in the wrong order and a reader far behind: only the writers have to change places. */
    @Test
    void aWindowHasTheFewestPlacesThatHaveToChange() throws IOException, HistoryException {
        StringBuilder lines = new StringBuilder("{\"format\":\"history\",\"version\":1}\n");
        lines.append(line(0, 0, 100, 1_000, "w", 0, 1)).append(line(1, 0, 300, 900, "w", 0, 2));
        for (int i = 0; i < 2_000; i++) {
            lines.append(line(2, i, 2_000 + 100 * i, 2_050 + 100 * i, "w", 1 + i % 7, i));
        }
        lines.append(line(3, 0, 300_000, 300_100, "r", 0, 1));
        String file = folder.resolve("far.jsonl").toString();
        Files.writeString(Path.of(file), lines);
        try (LocalWorkers workers = FileWindows.workers()) {
            WindowCheck check = FileWindows.check(workers, file, 1 << 20, SMALL, CheckRequest.of(IsolationLevel.SER));
            assertThat(check.run(true, InitialChoice.IMPLICIT)).isEqualTo(WindowCheck.Ending.ORDERED);
            assertThat(check.windows().decided()).isEqualTo(1);
            assertThat(check.windows().largest()).isLessThan(200);
        }
    }

    /** The read far behind two writers in the wrong order does not keep the window around it from being repaired. */
    @Test
    void aWindowIsRepairedBesideAReadThatItCannotExplain() throws IOException, HistoryException {
        StringBuilder lines = new StringBuilder("{\"format\":\"history\",\"version\":1}\n");
        lines.append(line(0, 0, 100, 1_000, "w", 0, 1)).append(line(1, 0, 300, 900, "w", 0, 2));
        for (int i = 0; i < 2_000; i++) {
            lines.append(line(2, i, 2_000 + 100 * i, 2_050 + 100 * i, "w", 2 + i % 7, i));
        }
        lines.append(line(3, 0, 150_000, 150_100, "r", 0, 1));
        lines.append(line(4, 0, 150_000, 150_900, "w", 1, 1)).append(line(5, 0, 150_000, 150_800, "r", 1, 1));
        String file = folder.resolve("beside.jsonl").toString();
        Files.writeString(Path.of(file), lines);
        try (LocalWorkers workers = FileWindows.workers()) {
            WindowCheck check = FileWindows.check(workers, file, 1 << 20, SMALL, CheckRequest.of(IsolationLevel.SER));
            assertThat(check.run(true, InitialChoice.IMPLICIT)).isEqualTo(WindowCheck.Ending.ORDERED);
            assertThat(check.windows().decided()).isEqualTo(2);
            assertThat(check.windows().grown()).isZero();
        }
    }

    /** Readers of a replica are behind the border of the window of their writer, and have to move into this window. */
    @Test
    void readersThatLagMoveIntoWindows() throws IOException, HistoryException {
        SplitMix random = new SplitMix(SEED + 3);
        int[][] states = new int[4_000][];
        int[] state = new int[20];
        StringBuilder lines = new StringBuilder("{\"format\":\"history\",\"version\":1,\"initial\":{\"value\":0}}\n");
        for (int i = 0; i < states.length; i++) {
            states[i] = state.clone();
            int key = random.nextInt(state.length);
            boolean isReader = i % 5 == 4;
            int value = isReader ? states[Math.max(0, i - 100)][key] : i + 1;
            state[key] = isReader ? state[key] : value;
            lines.append(line(i % 5, i / 5, 100 * i, 100 * i + 50, isReader ? "r" : "w", key, value));
        }
        String file = folder.resolve("lag.jsonl").toString();
        Files.writeString(Path.of(file), lines);
        try (LocalWorkers workers = FileWindows.workers()) {
            WindowCheck check = FileWindows.check(workers, file, 1 << 20, SMALL, CheckRequest.of(IsolationLevel.SER));
            assertThat(check.run(true, InitialChoice.IMPLICIT)).isEqualTo(WindowCheck.Ending.ORDERED);
            assertThat(check.windows().grown()).isZero();
            assertThat(check.windows().decided()).isLessThan(4 * states.length / SMALL.window());
        }
    }

    @Test
    void aWindowThatDoesNotFitInMemoryLeavesTheHistoryOpen() throws IOException, HistoryException {
        StringBuilder lines = new StringBuilder("{\"format\":\"history\",\"version\":1}\n");
        for (int i = 0; i < 4_000; i++) {
            lines.append(line(0, i, 100 * i, 100 * i + 50, "w", i < 2 ? 0 : 1, i));
        }
        lines.append(line(1, 0, 400_100, 400_150, "r", 1, 3_999));
        lines.append(line(1, 1, 400_200, 400_250, "r", 0, 0));
        String file = folder.resolve("large.jsonl").toString();
        Files.writeString(Path.of(file), lines);
        CheckRequest request = CheckRequest.of(IsolationLevel.SER);
        try (LocalWorkers workers = new LocalWorkers(1, Budget.starting(Long.MAX_VALUE, 500_000), Progress.NONE)) {
            WindowCheck check = FileWindows.check(workers, file, 5_000, SMALL, request);
            assertThat(check.run(true, InitialChoice.IMPLICIT)).isEqualTo(WindowCheck.Ending.OPEN);
            assertThat(check.reason())
                    .endsWith("has to be decided at once, which took more than a worker's memory, or long");
        }
    }

    /** Few values in an arbitrary order are hard for the solver, which has no rules here: the whole has them. */
    @Test
    void windowsThatTakeLongLeaveTheHistoryOpen() throws IOException, HistoryException {
        HistoryGenerator generator = HistoryGenerator.withSeed(SEED + 8)
                .sessions(10)
                .transactions(3_000)
                .operations(8, 8)
                .keys(100)
                .repeatedValues(1, 3, 1);
        String file = folder.resolve("few.jsonl").toString();
        HistoryWriter.write(TinyHistories.of(generator, null), file, HistoryFormat.JSONL);
        try (LocalWorkers workers = FileWindows.workers()) {
            WindowCheck check = FileWindows.check(workers, file, 50_000, SMALL, CheckRequest.of(IsolationLevel.SER));
            assertThat(check.run(false, InitialChoice.IMPLICIT)).isEqualTo(WindowCheck.Ending.OPEN);
            assertThat(check.reason()).endsWith("more than a worker's memory, or long");
        }
    }

    @Test
    void aPieceThatDoesNotFitInMemoryLeavesTheHistoryOpen() throws IOException, HistoryException {
        StringBuilder lines = new StringBuilder("{\"format\":\"history\",\"version\":1}\n");
        for (int i = 0; i < 4_000; i++) {
            lines.append(line(0, i, 100 * i, 100 * i + 50, "w", 0, i));
        }
        String file = folder.resolve("piece.jsonl").toString();
        Files.writeString(Path.of(file), lines);
        try (LocalWorkers workers = new LocalWorkers(1, Budget.starting(Long.MAX_VALUE, 100_000), Progress.NONE)) {
            WindowCheck check = FileWindows.check(workers, file, 1 << 20, SMALL, CheckRequest.of(IsolationLevel.SER));
            assertThat(check.run(true, InitialChoice.IMPLICIT)).isEqualTo(WindowCheck.Ending.OPEN);
            assertThat(check.reason()).isEqualTo(Survey.TOO_LARGE);
        }
    }

    @Test
    void clocksOfSessionsAreCorrected() throws IOException, HistoryException {
        HistoryGenerator generator = HistoryGenerator.withSeed(SEED + 4)
                .sessions(10)
                .transactions(4_000)
                .operations(4, 4)
                .keys(200);
        long exact = violated(TinyHistories.of(generator, null), true);
        HistoryTable wrong = TinyHistories.of(generator.clockSkew(CLOCK_SKEW), null);
        assertThat(violated(wrong, true)).isLessThan(2 * exact + 100);
    }

    /** Times near the limits of 64 bits, of which the sums of some overflow. */
    @Test
    void timesMayBeOfAnySize() throws IOException, HistoryException {
        String late = Long.toString(Long.MAX_VALUE - 10);
        String early = Long.toString(Long.MIN_VALUE + 10);
        StringBuilder lines = new StringBuilder("{\"format\":\"history\",\"version\":1}\n");
        for (int i = 0; i < 6; i++) {
            lines.append(line(0, i, 100, 200, "w", i, i).replace("100", late).replace("200", late));
            lines.append(line(1, i, 100, 200, "r", i, i).replace("100", early).replace("200", early));
        }
        String file = folder.resolve("extreme.jsonl").toString();
        Files.writeString(Path.of(file), lines);
        try (LocalWorkers workers = FileWindows.workers()) {
            WindowCheck check = FileWindows.check(workers, file, 1 << 20, SMALL, CheckRequest.of(IsolationLevel.SER));
            assertThat(check.run(true, InitialChoice.IMPLICIT)).isEqualTo(WindowCheck.Ending.ORDERED);
        }
    }

    /** Violated reads in the first order. */
    private long violated(HistoryTable history, boolean usesTimes) throws IOException, HistoryException {
        String file = folder.resolve("skewed.jsonl").toString();
        HistoryWriter.write(history, file, HistoryFormat.JSONL);
        ReadPlan plan = FileWindows.plan(file, 50_000);
        try (LocalWorkers workers = FileWindows.workers()) {
            WindowStore store = WindowStore.of(
                    workers,
                    plan,
                    usesTimes,
                    new WindowSettings(500, 1_000, 10_000, 7),
                    CheckRequest.of(IsolationLevel.SER).terms());
            store.ingest(null);
            return store.check(false).stream()
                    .flatMapToLong(result -> Arrays.stream(result.counts()))
                    .sum();
        }
    }

    /** One value has more writers than the search names: the third read reads from the last of them, as rc allows. */
    @Test
    void aTransactionMayReadTwoValuesAtRc() throws IOException, HistoryException {
        StringBuilder lines = new StringBuilder("{\"format\":\"history\",\"version\":1}\n");
        for (int i = 0; i < 258; i++) {
            lines.append(line(0, i, 100 * i, 100 * i + 50, "w", 0, i == 256 ? 2 : 1));
        }
        lines.append(
                "{\"session\":1,\"index\":0,\"start\":0,\"end\":30000,\"status\":\"committed\",\"ops\":["
                        + "{\"op\":\"r\",\"key\":0,\"value\":1},{\"op\":\"r\",\"key\":0,\"value\":2},{\"op\":\"r\",\"key\":0,\"value\":1}]}\n");
        String file = folder.resolve("monotonic.jsonl").toString();
        Files.writeString(Path.of(file), lines);
        CheckRequest request = CheckRequest.of(IsolationLevel.RC);
        assertThat(FileWindows.whole(HistoryReader.read(file, HistoryFormat.AUTO), request))
                .isEqualTo(Verdict.Status.PASS);
        try (LocalWorkers workers = FileWindows.workers()) {
            WindowCheck check = FileWindows.check(workers, file, 1 << 20, SMALL, request);
            assertThat(check.run(true, InitialChoice.IMPLICIT)).isEqualTo(WindowCheck.Ending.OPEN);
        }
    }

    /** After an unknown outcome the session has a transaction without a start, so its starts need not ascend. */
    @Test
    void startsThatDoNotAscendAreReadWhole() throws IOException, HistoryException {
        String unknown = line(0, 0, 100, 200, "w", 0, 1).replace("committed", "unknown");
        String untimed = line(0, 1, 300, 400, "w", 0, 2).replace("\"start\":300,", "");
        String file = folder.resolve("starts.jsonl").toString();
        Files.writeString(
                Path.of(file),
                "{\"format\":\"history\",\"version\":1}\n" + unknown + untimed + line(1, 0, 500, 600, "r", 0, 2));
        try (LocalWorkers workers = FileWindows.workers()) {
            WindowCheck check = FileWindows.check(workers, file, 1 << 20, SMALL, CheckRequest.of(IsolationLevel.SSER));
            assertThat(check.run(true, InitialChoice.IMPLICIT)).isEqualTo(WindowCheck.Ending.OPEN);
            assertThat(check.reason()).isEqualTo("starts contradict the order of a session");
        }
    }

    private static String line(int session, int index, int start, int end, String op, int key, int value) {
        return String.format(
                "{\"session\":%d,\"index\":%d,\"start\":%d,\"end\":%d,\"status\":\"committed\",\"ops\":[{\"op\":\"%s\",\"key\":%d,\"value\":%d}]}%n",
                session, index, start, end, op, key, value);
    }

    /** Decides a history with times at a level, or one without them at the level without real time. */
    private void assertDecided(
            IsolationLevel wanted,
            HistoryTable history,
            WindowSettings settings,
            long pieceBytes,
            boolean usesTimes,
            String what)
            throws IOException, HistoryException {
        assertDecided(wanted, history, settings, pieceBytes, usesTimes, null, what);
    }

    /** The same of a history that begins with given values. */
    private void assertDecided(
            IsolationLevel wanted,
            HistoryTable history,
            WindowSettings settings,
            long pieceBytes,
            boolean usesTimes,
            @Nullable InitialState given,
            String what)
            throws IOException, HistoryException {
        String file = folder.resolve("history.jsonl").toString();
        HistoryWriter.write(history, file, HistoryFormat.JSONL);
        HistoryTable plain = HistoryReader.read(file, HistoryFormat.AUTO);
        HistoryTable read = given == null ? plain : given.applied(plain);
        if (Counts.of(read).transactionsCommitted() == 0) {
            return;
        }
        IsolationLevel level = !wanted.realTime() || read.starts() != null
                ? wanted
                : wanted == IsolationLevel.SSER ? IsolationLevel.SER : IsolationLevel.SI;
        CheckRequest request = CheckRequest.of(level);
        boolean holds = FileWindows.whole(read, request) == Verdict.Status.PASS;
        WindowCheck.Ending outcome;
        WindowCheck check;
        try (LocalWorkers workers = FileWindows.workers()) {
            check = FileWindows.check(
                    workers,
                    file,
                    pieceBytes,
                    settings,
                    request,
                    given,
                    part -> FileWindows.whole(part, request) == Verdict.Status.VIOLATION);
            outcome = check.run(usesTimes, InitialChoice.IMPLICIT);
            if (outcome == WindowCheck.Ending.ORDERED) {
                FileWindows.assertCertified(check, request.terms(), folder, read, what);
            }
        }
        outcomes.merge(outcome, 1, Integer::sum);
        if (outcome == WindowCheck.Ending.OPEN) {
            System.out.println(check.reason() + ": " + what);
            reasons.merge(check.reason(), 1, Integer::sum);
            assertThat(level.isAxiom() || check.reason().equals("a transaction of unknown outcome contradicts itself"))
                    .as(check.reason() + ": " + what)
                    .isTrue();
        } else {
            assertThat(outcome == WindowCheck.Ending.ORDERED).as(what).isEqualTo(holds);
            assertThat(check.counts()).as(what).isEqualTo(withKeys(Counts.of(read), used(read)));
        }
    }

    /** Windows do not count keys that only refused compare-and-sets name. */
    private static long used(HistoryTable history) {
        Set<Integer> refused = new HashSet<>();
        Set<Integer> others = new HashSet<>();
        for (int o = 0; o < history.operations(); o++) {
            (history.values().isOther(history.value(o)) ? refused : others).add(history.key(o));
        }
        refused.removeAll(others);
        return history.keys().size() - (history.values().hasOthers() ? refused.size() : 0);
    }

    private static Counts withKeys(Counts counts, long keys) {
        return new Counts(
                counts.sessions(),
                counts.transactionsCommitted(),
                counts.transactionsAborted(),
                counts.transactionsIndeterminate(),
                counts.reads(),
                counts.writes(),
                keys);
    }
}
