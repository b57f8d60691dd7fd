package org.polygraph.jobs.windows;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Checks;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.analysis.InitialChoice;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.testkit.HistoryDsl;
import org.polygraph.storage.testkit.SplitMix;

/** Histories in which a transaction takes effect far from its times. No window has to reach from one to the other. */
class RelocationTest {
    private static final long SEED = 0x4e10c;
    private static final int TRANSACTIONS = 4_000;
    private static final int KEYS = 2_000;
    private static final WindowSettings SMALL = new WindowSettings(200, 1_000, 1_000, 7);

    @TempDir
    private Path folder;

    /** A serial history of five sessions; of some transactions the times are those of the whole history. */
    @Test
    void transactionsThatLastAsLongAsTheHistory() throws IOException, HistoryException {
        assertNear(TRANSACTIONS);
    }

    /** Most of them move, but not past one another. */
    @Test
    void theyKeepTheOrderOfTheirSessions() throws IOException, HistoryException {
        assertNear(4);
    }

    /** @param sessions of transactions that last as long as the history */
    private void assertNear(int sessions) throws IOException, HistoryException {
        for (IsolationLevel level : List.of(IsolationLevel.SER, IsolationLevel.SI)) {
            SplitMix random = new SplitMix(SEED + level.ordinal());
            int[] state = new int[KEYS];
            List<String> lines = new ArrayList<>();
            for (int t = 0; t < TRANSACTIONS; t++) {
                boolean isLong = t % 101 == 50;
                if (random.chance(0.05)) {
                    lines.add(line(t % 5, 100 * t, 100 * t + 900, "!w(0," + -t + ")"));
                    continue;
                }
                StringBuilder operations = new StringBuilder();
                int key = random.nextInt(KEYS);
                for (int o = 0; o < 6; o++, key = (key + 1 + random.nextInt(9)) % KEYS) {
                    boolean isWrite = random.chance(0.5);
                    state[key] = isWrite ? 6 * t + o + 1 : state[key];
                    operations.append("%s(%d,%d) ".formatted(isWrite ? "w" : "r", key, state[key]));
                }
                lines.add(
                        isLong
                                ? line(5 + t % sessions, 0, 100 * TRANSACTIONS, operations)
                                : line(t % 5, 100 * t, 100 * t + 350, operations));
            }
            WindowCheck check = check(level, lines, WindowCheck.Ending.ORDERED);
            assertThat(check.windows().largest()).as(level + " seed " + SEED).isLessThan(3 * SMALL.window());
        }
    }

    @Test
    void aReaderOfAnOldState() throws IOException, HistoryException {
        for (IsolationLevel level : Checks.UNTIMED) {
            WindowCheck check = check(level, stale(false), WindowCheck.Ending.ORDERED);
            assertThat(check.windows().decided()).as(level.toString()).isZero();
        }
    }

    /** No order explains a reader of an old and a new value. Only transactions around its two writers are judged. */
    @Test
    void aReaderOfAnOldValueAndANewOne() throws IOException, HistoryException {
        for (IsolationLevel level : Checks.levels("SER SI PC CC SSER SSI")) {
            assertViolatedWithoutWindows(level, writers(10), "r(0,100) r(9," + (TRANSACTIONS - 1) + ")");
        }
    }

    /** In real time a read of an old value suffices, also if no transaction wrote the key for a long time. */
    @Test
    void aReaderOfAnOldValueInRealTime() throws IOException, HistoryException {
        for (IsolationLevel level : List.of(IsolationLevel.SSER, IsolationLevel.SSI, IsolationLevel.LIN)) {
            for (int keys : new int[] {2, 10}) {
                assertViolatedWithoutWindows(level, writers(keys), "r(0,100)");
            }
            List<String> two = writers(TRANSACTIONS);
            two.set(101, line(0, 10_100, 10_150, "w(100,-1)"));
            assertViolatedWithoutWindows(level, two, "r(100,100)");
        }
    }

    /**
     * A writer that overlaps its reader follows it in the first order, and one that overlaps another writer precedes
     * it. The reader is far from the last write before it, which proves nothing.
     */
    @Test
    void aReaderOfANewValueInRealTime() throws IOException, HistoryException {
        List<String> lines = new ArrayList<>();
        for (int t = 0; t < TRANSACTIONS; t++) {
            int now = 100 * t;
            if (t >= KEYS && t % 100 == 0) {
                lines.add(line(1, now - 80, now + 20, "r(" + t % KEYS + "," + t + ")"));
            } else if (t < KEYS && t % 100 == 50) {
                lines.add(line(1, now - 80, now + 20, "w(" + (KEYS + t) + "," + (-1 - t) + ")"));
                lines.add(line(2, now - 120, now + 50, "w(" + (KEYS + t) + "," + (1 + t) + ")"));
            } else if (t % 100 == 50) {
                lines.add(line(1, now - 80, now - 60, "r(" + t + "," + (1 + t - KEYS) + ")"));
            }
            lines.add(line(0, now, now + 50, "w(" + t % KEYS + "," + t + ")"));
        }
        for (IsolationLevel level : List.of(IsolationLevel.SSER, IsolationLevel.SSI, IsolationLevel.LIN)) {
            String file =
                    Files.writeString(folder.resolve("new.jsonl"), text(lines)).toString();
            try (LocalWorkers workers = FileWindows.workers()) {
                WindowCheck check =
                        FileWindows.check(workers, file, 1 << 16, SMALL, CheckRequest.of(level), null, part -> {
                            throw new AssertionError("a sub-history without a violation was judged");
                        });
                assertThat(check.run(true, InitialChoice.IMPLICIT))
                        .as(level.toString())
                        .isEqualTo(WindowCheck.Ending.ORDERED);
            }
        }
    }

    private void assertViolatedWithoutWindows(IsolationLevel level, List<String> lines, String reads)
            throws IOException, HistoryException {
        lines.add(line(9, 100 * TRANSACTIONS, 100 * TRANSACTIONS + 50, reads));
        WindowCheck check = check(level, lines, WindowCheck.Ending.VIOLATED);
        assertThat(check.windows().decided()).as(level.toString()).isZero();
    }

    /** The two sessions depend on each other only once, which those next to what the reader read do not show. */
    @Test
    void aReaderOfAnOldValueAndANewOneOfAnotherSession() throws IOException, HistoryException {
        for (IsolationLevel level : List.of(IsolationLevel.SER, IsolationLevel.SI, IsolationLevel.CC)) {
            List<String> lines = new ArrayList<>();
            for (int t = 0; t < TRANSACTIONS; t++) {
                String read = t == TRANSACTIONS - 61 ? " r(" + (20 + (t - 1) % 20) + "," + (t - 1) + ")" : "";
                lines.add(line(t % 2, 100 * t, 100 * t + 50, "w(" + (20 + t % 20) + "," + t + ")" + read));
            }
            int last = TRANSACTIONS - 1;
            assertViolatedWithoutWindows(level, lines, "r(20,100) r(" + (20 + last % 20) + "," + last + ")");
        }
    }

    /** What the earlier transaction of its session read was written behind the state that it reads. */
    @Test
    void aReaderDoesNotPassItsSession() throws IOException, HistoryException {
        check(IsolationLevel.SER, stale(true), WindowCheck.Ending.VIOLATED);
    }

    /** One session writes keys in turn; at the end a reader reads three of them as they were at the beginning. */
    private static List<String> stale(boolean hasReadBefore) {
        List<String> lines = writers(10);
        int now = 100 * TRANSACTIONS;
        if (hasReadBefore) {
            lines.add(line(1, now / 2, now / 2 + 10, "r(9," + (TRANSACTIONS / 2 - 1) + ")"));
        }
        lines.add(line(1, now, now + 50, "r(0,100) r(1,101) r(2,102)"));
        return lines;
    }

    /** Transactions of one session that write keys in turn. */
    private static List<String> writers(int keys) {
        List<String> lines = new ArrayList<>();
        for (int t = 0; t < TRANSACTIONS; t++) {
            lines.add(line(0, 100 * t, 100 * t + 50, "w(" + t % keys + "," + t + ")"));
        }
        return lines;
    }

    private WindowCheck check(IsolationLevel level, List<String> lines, WindowCheck.Ending ending)
            throws IOException, HistoryException {
        return FileWindows.ended(
                FileWindows.workers(), folder, text(lines), 1 << 16, SMALL, CheckRequest.of(level), ending);
    }

    private static String text(List<String> lines) {
        return HistoryDsl.lines("init 0; " + String.join("; ", lines));
    }

    private static String line(int session, int start, int end, CharSequence operations) {
        return "s" + session + ": @" + start + ".." + end + " " + operations;
    }
}
