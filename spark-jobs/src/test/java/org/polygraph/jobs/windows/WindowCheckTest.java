package org.polygraph.jobs.windows;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Checks;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.analysis.InitialChoice;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryWriter;
import org.polygraph.storage.format.pieces.ReadPlan;
import org.polygraph.storage.generate.Workload;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.HistoryDsl;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.Workloads;

/** Named cases of windows in scratch files. The laws "windows-..." compare them with the embedded engine. */
class WindowCheckTest {
    private static final long SEED = 0x57a6;
    private static final WindowSettings SMALL = new WindowSettings(500, 1_000, 1_000, 7);

    /** So that thousands of transactions lie between clocks of one moment. */
    private static final long CLOCK_SKEW = 10_000_000;

    @TempDir
    private Path folder;

    /** A transaction of two operations, and an operation without its end, are left to the check of the whole. */
    @Test
    void linIsAboutSingleOperations() throws IOException, HistoryException {
        for (String wrong : List.of("@100..200 w(0,1) w(1,2)", "@100.. w(0,1)")) {
            String history = "s0: " + wrong + "; s1: @300..400 r(0,1)";
            assertThat(check(history, IsolationLevel.LIN, WindowCheck.Ending.OPEN)
                            .reason())
                    .isEqualTo(WindowCheck.UNREADABLE);
        }
    }

    /** Without times the first order of an input that is sorted by session is that of values, or of an even pace. */
    @Test
    void withoutTimesTheFirstOrderIsNearTheRightOne() throws IOException, HistoryException {
        for (int values : new int[] {0, 50}) {
            Workload generator = Workloads.of(SEED + 2, "sessions 10 transactions 4000 operations 4 4 keys 2000");
            if (values > 0) {
                generator.values(values);
            }
            long violated = violated(generator.table(), false);
            assertThat(violated).as("values " + values).isLessThan(1_000);
        }
    }

    /** Two writers in the wrong order and a reader far behind: only the writers have to change places. */
    @Test
    void aWindowHasTheFewestPlacesThatHaveToChange() throws IOException, HistoryException {
        String history = exchanged(1) + "; s3: @300000..300100 r(0,1)";
        WindowCheck check = check(history, IsolationLevel.SER, WindowCheck.Ending.ORDERED);
        assertThat(check.windows().decided()).isEqualTo(1);
        assertThat(check.windows().largest()).isLessThan(200);
    }

    /** The read far behind two writers in the wrong order does not keep the window around it from being repaired. */
    @Test
    void aWindowIsRepairedBesideAReadThatItCannotExplain() throws IOException, HistoryException {
        String history =
                exchanged(2) + "; s3: @150000..150100 r(0,1); s4: @150000..150900 w(1,1); s5: @150000..150800 r(1,1)";
        WindowCheck check = check(history, IsolationLevel.SER, WindowCheck.Ending.ORDERED);
        assertThat(check.windows().decided()).isEqualTo(2);
        assertThat(check.windows().grown()).isZero();
    }

    /** Two writers of key 0 whose times show the wrong order, and then writers of keys from another one on. */
    private static String exchanged(int key) {
        StringBuilder history = new StringBuilder("s0: @100..1000 w(0,1); s1: @300..900 w(0,2)");
        for (int i = 0; i < 2_000; i++) {
            history.append(line(2, 2_000 + 100 * i, "w", key + i % 7, i));
        }
        return history.toString();
    }

    /** Readers of a replica are behind the border of the window of their writer, and have to move into this window. */
    @Test
    void readersThatLagMoveIntoWindows() throws IOException, HistoryException {
        SplitMix random = new SplitMix(SEED + 3);
        int[][] states = new int[4_000][];
        int[] state = new int[20];
        StringBuilder lines = new StringBuilder("init 0");
        for (int i = 0; i < states.length; i++) {
            states[i] = state.clone();
            int key = random.nextInt(state.length);
            boolean isReader = i % 5 == 4;
            int value = isReader ? states[Math.max(0, i - 100)][key] : i + 1;
            state[key] = isReader ? state[key] : value;
            lines.append(line(i % 5, 100 * i, isReader ? "r" : "w", key, value));
        }
        WindowCheck check = check(lines, IsolationLevel.SER, WindowCheck.Ending.ORDERED);
        assertThat(check.windows().grown()).isZero();
        assertThat(check.windows().decided()).isLessThan(4 * states.length / SMALL.window());
    }

    @Test
    void aWindowThatDoesNotFitInMemoryLeavesTheHistoryOpen() throws IOException, HistoryException {
        StringBuilder lines = new StringBuilder("init null");
        for (int i = 0; i < 4_000; i++) {
            lines.append(line(0, 100 * i, "w", i < 2 ? 0 : 1, i));
        }
        lines.append("; s1: @400100..400150 r(1,3999) | @400200..400250 r(0,0)");
        assertThat(open(lines, 500_000, 5_000))
                .endsWith("has to be decided at once, which took more than a worker's memory, or long");
    }

    /** Why workers of so much memory leave a history open. */
    private String open(CharSequence history, long memory, long pieceBytes) throws IOException, HistoryException {
        LocalWorkers workers = new LocalWorkers(1, Budget.starting(Long.MAX_VALUE, memory), Progress.NONE);
        CheckRequest request = CheckRequest.of(IsolationLevel.SER);
        String lines = HistoryDsl.lines(history.toString());
        return FileWindows.ended(workers, folder, lines, pieceBytes, SMALL, request, WindowCheck.Ending.OPEN)
                .reason();
    }

    /** Few values in an arbitrary order are hard for the solver, which has no rules here: the whole has them. */
    @Test
    void windowsThatTakeLongLeaveTheHistoryOpen() throws IOException, HistoryException {
        Workload generator = Workloads.of(SEED + 8, "sessions 10 transactions 3000 operations 8 8 keys 100 values 3");
        String file = folder.resolve("few.jsonl").toString();
        HistoryWriter.write(generator.table(), file, HistoryFormat.JSONL);
        try (LocalWorkers workers = FileWindows.workers()) {
            WindowCheck check = FileWindows.check(
                    workers, file, 50_000, SMALL, CheckRequest.of(IsolationLevel.SER), null, part -> false);
            assertThat(check.run(false, InitialChoice.IMPLICIT)).isEqualTo(WindowCheck.Ending.OPEN);
            assertThat(check.reason()).endsWith("more than a worker's memory, or long");
        }
    }

    @Test
    void aPieceThatDoesNotFitInMemoryLeavesTheHistoryOpen() throws IOException, HistoryException {
        StringBuilder lines = new StringBuilder("init null");
        for (int i = 0; i < 4_000; i++) {
            lines.append(line(0, 100 * i, "w", 0, i));
        }
        assertThat(open(lines, 100_000, 1 << 20)).isEqualTo(Survey.TOO_LARGE);
    }

    @Test
    void clocksOfSessionsAreCorrected() throws IOException, HistoryException {
        Workload generator = Workloads.of(SEED + 4, "sessions 10 transactions 4000 operations 4 4 keys 200");
        long exact = violated(generator.table(), true);
        HistoryTable wrong = generator.skew(CLOCK_SKEW).table();
        assertThat(violated(wrong, true)).isLessThan(2 * exact + 100);
    }

    /** Times near the limits of 64 bits, of which the sums of some overflow. */
    @Test
    void timesMayBeOfAnySize() throws IOException, HistoryException {
        long late = Long.MAX_VALUE - 10;
        long early = Long.MIN_VALUE + 10;
        StringBuilder lines = new StringBuilder("init null");
        for (int i = 0; i < 6; i++) {
            lines.append(
                    "; s0: @%d..%d w(%d,%d); s1: @%d..%d r(%d,%d)".formatted(late, late, i, i, early, early, i, i));
        }
        check(lines, IsolationLevel.SER, WindowCheck.Ending.ORDERED);
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
        StringBuilder lines = new StringBuilder("init null");
        for (int i = 0; i < 258; i++) {
            lines.append(line(0, 100 * i, "w", 0, i == 256 ? 2 : 1));
        }
        lines.append("; s1: @0..30000 r(0,1) r(0,2) r(0,1)");
        assertThat(Checks.status(HistoryDsl.parse(lines.toString()), IsolationLevel.RC))
                .isEqualTo(Verdict.Status.PASS);
        check(lines, IsolationLevel.RC, WindowCheck.Ending.OPEN);
    }

    /** After an unknown outcome the session has a transaction without a start, so its starts need not ascend. */
    @Test
    void startsThatDoNotAscendAreReadWhole() throws IOException, HistoryException {
        String history = "s0: @100..200 ?w(0,1) | @..400 w(0,2); s1: @500..600 r(0,2)";
        assertThat(check(history, IsolationLevel.SSER, WindowCheck.Ending.OPEN).reason())
                .isEqualTo("starts contradict the order of a session");
    }

    private WindowCheck check(CharSequence history, IsolationLevel level, WindowCheck.Ending ending)
            throws IOException, HistoryException {
        String lines = HistoryDsl.lines(history.toString());
        return FileWindows.ended(FileWindows.workers(), folder, lines, 1 << 20, SMALL, CheckRequest.of(level), ending);
    }

    /** A transaction of one operation that lasts 50 ns. */
    private static String line(int session, int start, String op, int key, int value) {
        return "; s%d: @%d..%d %s(%d,%d)".formatted(session, start, start + 50, op, key, value);
    }
}
