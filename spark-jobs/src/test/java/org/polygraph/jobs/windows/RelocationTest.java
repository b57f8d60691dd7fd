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
                    String aborted = line(t % 5, t / 5, 100 * t, 100 * t + 900, List.of(operation("w", 0, -t)));
                    lines.add(aborted.replace("committed", "aborted"));
                    continue;
                }
                List<String> operations = new ArrayList<>();
                int key = random.nextInt(KEYS);
                for (int o = 0; o < 6; o++, key = (key + 1 + random.nextInt(9)) % KEYS) {
                    if (random.chance(0.5)) {
                        state[key] = 6 * t + o + 1;
                        operations.add(operation("w", key, state[key]));
                    } else {
                        operations.add(operation("r", key, state[key]));
                    }
                }
                lines.add(
                        isLong
                                ? line(5 + t % sessions, t, 0, 100 * TRANSACTIONS, operations)
                                : line(t % 5, t / 5, 100 * t, 100 * t + 350, operations));
            }
            WindowCheck check = check(level, lines);
            assertThat(check.windows().largest()).as(level + " seed " + SEED).isLessThan(3 * SMALL.window());
        }
    }

    @Test
    void aReaderOfAnOldState() throws IOException, HistoryException {
        for (IsolationLevel level : Checks.UNTIMED) {
            WindowCheck check = check(level, stale(false));
            assertThat(check.windows().decided()).as(level.toString()).isZero();
        }
    }

    /** No order explains a reader of an old and a new value. Only transactions around its two writers are judged. */
    @Test
    void aReaderOfAnOldValueAndANewOne() throws IOException, HistoryException {
        for (IsolationLevel level : List.of(
                IsolationLevel.SER,
                IsolationLevel.SI,
                IsolationLevel.PC,
                IsolationLevel.CC,
                IsolationLevel.SSER,
                IsolationLevel.SSI)) {
            assertViolatedWithoutWindows(
                    level, writers(10), List.of(operation("r", 0, 100), operation("r", 9, TRANSACTIONS - 1)));
        }
    }

    /** In real time a read of an old value suffices, also if no transaction wrote the key for a long time. */
    @Test
    void aReaderOfAnOldValueInRealTime() throws IOException, HistoryException {
        for (IsolationLevel level : List.of(IsolationLevel.SSER, IsolationLevel.SSI, IsolationLevel.LIN)) {
            for (int keys : new int[] {2, 10}) {
                assertViolatedWithoutWindows(level, writers(keys), List.of(operation("r", 0, 100)));
            }
            List<String> two = writers(TRANSACTIONS);
            two.set(101, line(0, 101, 10_100, 10_150, List.of(operation("w", 100, -1))));
            assertViolatedWithoutWindows(level, two, List.of(operation("r", 100, 100)));
        }
    }

    /**
     * A writer that overlaps its reader follows it in the first order, and one that overlaps another writer precedes
     * it. The reader is far from the last write before it, which proves nothing.
     */
    @Test
    void aReaderOfANewValueInRealTime() throws IOException, HistoryException {
        List<String> lines = new ArrayList<>();
        int overlapping = 0;
        for (int t = 0; t < TRANSACTIONS; t++) {
            int now = 100 * t;
            if (t >= KEYS && t % 100 == 0) {
                lines.add(line(1, overlapping++, now - 80, now + 20, List.of(operation("r", t % KEYS, t))));
            } else if (t < KEYS && t % 100 == 50) {
                lines.add(line(1, overlapping++, now - 80, now + 20, List.of(operation("w", KEYS + t, -1 - t))));
                lines.add(line(2, t, now - 120, now + 50, List.of(operation("w", KEYS + t, 1 + t))));
            } else if (t % 100 == 50) {
                lines.add(line(1, overlapping++, now - 80, now - 60, List.of(operation("r", t, 1 + t - KEYS))));
            }
            lines.add(line(0, t, now, now + 50, List.of(operation("w", t % KEYS, t))));
        }
        for (IsolationLevel level : List.of(IsolationLevel.SSER, IsolationLevel.SSI, IsolationLevel.LIN)) {
            try (LocalWorkers workers = FileWindows.workers()) {
                WindowCheck check =
                        FileWindows.check(workers, file(lines), 1 << 16, SMALL, CheckRequest.of(level), part -> {
                            throw new AssertionError("a sub-history without a violation was judged");
                        });
                assertThat(check.run(true, InitialChoice.IMPLICIT))
                        .as(level.toString())
                        .isEqualTo(WindowCheck.Ending.ORDERED);
            }
        }
    }

    private void assertViolatedWithoutWindows(IsolationLevel level, List<String> lines, List<String> reads)
            throws IOException, HistoryException {
        int now = 100 * TRANSACTIONS;
        lines.add(line(9, 0, now, now + 50, reads));
        try (LocalWorkers workers = FileWindows.workers()) {
            WindowCheck check = FileWindows.check(workers, file(lines), 1 << 16, SMALL, CheckRequest.of(level));
            assertThat(check.run(true, InitialChoice.IMPLICIT))
                    .as(level.toString())
                    .isEqualTo(WindowCheck.Ending.VIOLATED);
            assertThat(check.windows().decided()).as(level.toString()).isZero();
        }
    }

    /** The two sessions depend on each other only once, which those next to what the reader read do not show. */
    @Test
    void aReaderOfAnOldValueAndANewOneOfAnotherSession() throws IOException, HistoryException {
        for (IsolationLevel level : List.of(IsolationLevel.SER, IsolationLevel.SI, IsolationLevel.CC)) {
            List<String> lines = new ArrayList<>();
            for (int t = 0; t < TRANSACTIONS; t++) {
                int session = t % 2;
                List<String> operations = new ArrayList<>(List.of(operation("w", 20 + t % 20, t)));
                if (t == TRANSACTIONS - 61) {
                    operations.add(operation("r", 20 + (t - 1) % 20, t - 1));
                }
                lines.add(line(session, t / 2, 100 * t, 100 * t + 50, operations));
            }
            int last = TRANSACTIONS - 1;
            assertViolatedWithoutWindows(
                    level, lines, List.of(operation("r", 20, 100), operation("r", 20 + last % 20, last)));
        }
    }

    /** What the earlier transaction of its session read was written behind the state that it reads. */
    @Test
    void aReaderDoesNotPassItsSession() throws IOException, HistoryException {
        try (LocalWorkers workers = FileWindows.workers()) {
            WindowCheck check =
                    FileWindows.check(workers, file(stale(true)), 1 << 16, SMALL, CheckRequest.of(IsolationLevel.SER));
            assertThat(check.run(true, InitialChoice.IMPLICIT)).isEqualTo(WindowCheck.Ending.VIOLATED);
        }
    }

    /** One session writes keys in turn; at the end a reader reads three of them as they were at the beginning. */
    private static List<String> stale(boolean hasReadBefore) {
        List<String> lines = writers(10);
        int now = 100 * TRANSACTIONS;
        if (hasReadBefore) {
            lines.add(line(1, 0, now / 2, now / 2 + 10, List.of(operation("r", 9, TRANSACTIONS / 2 - 1))));
        }
        lines.add(line(
                1, 1, now, now + 50, List.of(operation("r", 0, 100), operation("r", 1, 101), operation("r", 2, 102))));
        return lines;
    }

    /** Transactions of one session that write keys in turn. */
    private static List<String> writers(int keys) {
        List<String> lines = new ArrayList<>();
        for (int t = 0; t < TRANSACTIONS; t++) {
            lines.add(line(0, t, 100 * t, 100 * t + 50, List.of(operation("w", t % keys, t))));
        }
        return lines;
    }

    private WindowCheck check(IsolationLevel level, List<String> lines) throws IOException, HistoryException {
        try (LocalWorkers workers = FileWindows.workers()) {
            WindowCheck check = FileWindows.check(workers, file(lines), 1 << 16, SMALL, CheckRequest.of(level));
            assertThat(check.run(true, InitialChoice.IMPLICIT))
                    .as(level.toString())
                    .isEqualTo(WindowCheck.Ending.ORDERED);
            return check;
        }
    }

    private String file(List<String> lines) throws IOException {
        Path file = folder.resolve("history.jsonl");
        Files.writeString(
                file,
                "{\"format\":\"history\",\"version\":1,\"initial\":{\"value\":0}}\n" + String.join("\n", lines) + "\n");
        return file.toString();
    }

    private static String line(int session, int index, int start, int end, List<String> operations) {
        return String.format(
                "{\"session\":%d,\"index\":%d,\"start\":%d,\"end\":%d,\"status\":\"committed\",\"ops\":[%s]}",
                session, index, start, end, String.join(",", operations));
    }

    private static String operation(String kind, int key, int value) {
        return String.format("{\"op\":\"%s\",\"key\":%d,\"value\":%d}", kind, key, value);
    }
}
