package org.polygraph.jobs.windows;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.application.Engine;
import org.polygraph.jobs.application.WindowedChecker;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.ListShapes;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.jobs.verdict.Counts;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.analysis.InitialChoice;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.WholeHistoryException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.SuiteScale;

/**
 * Compares lists in windows of files with the definition of each level, and with the embedded engine, which has the
 * whole history.
 */
class ListWindowsTest {
    private static final long SEED = 0x1157a;
    private static final List<IsolationLevel> LEVELS =
            List.of(IsolationLevel.SER, IsolationLevel.SI, IsolationLevel.SSER, IsolationLevel.SSI);

    private static final String HEADER = "{\"format\":\"history\",\"version\":1}\n";
    private static final String UNKNOWN_LIST =
            PieceRows.unsupported(new WholeHistoryException(ListOrders.UNKNOWN_READ));
    private static final Set<String> REASONS = Set.of(
            ListOrders.CONTRADICTION,
            UNKNOWN_LIST,
            "a transaction of unknown outcome contradicts itself",
            "the first order does not respect real time",
            "the times of the history show no real time",
            "starts contradict the order of a session");

    @TempDir
    private Path folder;

    private final Map<WindowCheck.Ending, Integer> outcomes = new EnumMap<>(WindowCheck.Ending.class);
    /** Why outcomes are open. */
    private final Map<String, Integer> reasons = new HashMap<>();

    @Test
    void tinyListsHaveTheVerdictsOfTheDefinitions() throws IOException, HistoryException {
        for (int i = 0; i < SuiteScale.of(400); i++) {
            long seed = SplitMix.seedOf(SEED, i);
            ListShapes shape = ListShapes.of(seed);
            if (shape.isVacuous()) {
                continue;
            }
            SplitMix random = new SplitMix(seed);
            IsolationLevel level = LEVELS.get(i % (shape.isTimed() ? 4 : 2));
            assertDecided(
                    level,
                    shape.json(),
                    shape.holds(level),
                    new WindowSettings(random.between(1, 4), random.between(1, 8), random.between(1, 9), 3),
                    random.between(60, 400),
                    random.chance(0.5),
                    level + " seed " + seed + "\n" + shape.json());
        }
        System.out.println(outcomes + " of tiny lists, " + reasons + ", seed " + SEED);
        assertDecidedMost();
    }

    /** A PASS of si is one of rc, ra and cc; other histories are left to the whole. */
    @Test
    void listsThatKeepSiKeepRcRaAndCc() throws IOException, HistoryException {
        List<IsolationLevel> levels = List.of(IsolationLevel.CC, IsolationLevel.RA, IsolationLevel.RC);
        int passes = 0;
        for (int i = 0; i < SuiteScale.of(400); i++) {
            long seed = SplitMix.seedOf(SEED + 2, i);
            ListShapes shape = ListShapes.of(seed);
            IsolationLevel level = levels.get(i % levels.size());
            WindowedChecker.Early early = new WindowedChecker(Engine.LOCAL, 4)
                    .decide(
                            write(shape.json()),
                            HistoryFormat.AUTO,
                            CheckRequest.of(level),
                            null,
                            null,
                            Progress.NONE,
                            Budget.unlimited());
            if (early.verdict() != null) {
                passes++;
                assertThat(early.verdict().status()).as(level + " seed " + seed).isEqualTo(Verdict.Status.PASS);
                assertThat(shape.holds(level)).as(level + " seed " + seed).isTrue();
            }
        }
        System.out.println(passes + " lists keep si, seed " + (SEED + 2));
        assertThat(passes).isPositive();
    }

    @Test
    void listsOfManyWindowsHaveTheVerdictsOfTheWhole() throws IOException, HistoryException {
        for (int i = 0; i < SuiteScale.of(30, 4); i++) {
            SplitMix random = new SplitMix(SplitMix.seedOf(SEED + 1, i));
            IsolationLevel level = LEVELS.get(i % LEVELS.size());
            ListHistories histories = new ListHistories(
                    random,
                    random.between(100, 800),
                    random.between(2, 15),
                    random.between(3, 60),
                    level.eventsPerTransaction() == 1);
            histories.outcomes(random.chance(0.5) ? 0 : 0.05, random.chance(0.5) ? 0 : 0.03);
            if (!level.realTime()) {
                histories.skew(random.chance(0.5) ? 0 : 3_000);
                if (random.chance(0.2)) {
                    histories.withoutTimes();
                }
            }
            if (random.chance(0.3)) {
                histories.texts();
            }
            if (random.chance(0.5)) {
                histories.faults(random.chance(0.5) ? 0 : 0.02, random.chance(0.5) ? 0 : 0.005);
            }
            String json = histories.json();
            Boolean holds = null;
            // Windows of 4 transactions take most of the time. Each level has some, because 3 and 4 have no common
            // factor.
            for (int window : i % 3 == 0 ? new int[] {4, 30, 300} : new int[] {30, 300}) {
                holds = assertDecided(
                        level,
                        json,
                        holds,
                        new WindowSettings(window, random.between(1, 1_000), random.between(100, 4_000), 7),
                        random.between(5_000, 50_000),
                        random.chance(0.8),
                        level + " seed " + (SEED + 1) + " #" + i + " window " + window);
            }
        }
        System.out.println(outcomes + " of lists in many windows, " + reasons + ", seed " + (SEED + 1));
        assertDecidedMost();
    }

    private void assertDecidedMost() {
        assertThat(outcomes.get(WindowCheck.Ending.ORDERED)).isPositive();
        assertThat(outcomes.get(WindowCheck.Ending.VIOLATED)).isPositive();
        assertThat(reasons.keySet())
                .allMatch(
                        reason -> REASONS.contains(reason) || reason.endsWith(" are not in their order in the input"));
    }

    /** The reader of the whole says what is wrong, or the embedded engine decides with its evidence. */
    @Test
    void whatListsShowNoOrderIsDecidedAsAWhole() throws IOException, HistoryException {
        String append1 = line(0, 0, "committed", "append", 1, "1");
        String append2 = line(0, 1, "committed", "append", 1, "2");
        String both = append1 + append2 + line(1, 0, "committed", "r", 1, "[1,2]");
        assertOpen(both + line(2, 0, "committed", "r", 1, "[2]"), ListOrders.CONTRADICTION);
        assertOpen(both + line(2, 0, "committed", "r", 1, "[1,2,1]"), ListOrders.CONTRADICTION);
        assertOpen(both + line(2, 0, "committed", "append", 1, "1"), WindowCheck.UNREADABLE);
        assertOpen(both + line(2, 0, "aborted", "append", 1, "1"), WindowCheck.UNREADABLE);
        assertOpen(both + line(2, 0, "committed", "w", 1, "3"), WindowCheck.UNREADABLE);
        String unknown = line(2, 0, "unknown", "r", 1, "[2]");
        String read = unknown.replace("[{", "[{\"op\":\"append\",\"key\":2,\"value\":5},{")
                + line(3, 0, "committed", "r", 2, "[5]");
        assertOpen(both + read, UNKNOWN_LIST);
        assertOpen(both + read.replace("[2]", "[1,2,3]"), UNKNOWN_LIST);
        assertOpen(
                HEADER.replace("1}", "1,\"initial\":{\"value\":0}}") + both + line(2, 0, "committed", "r", 1, "null"),
                "a list was read as null, and the initial value is another one");
        assertThat(run(both, IsolationLevel.RC, 100).reason())
                .isEqualTo("it has lists, and a PASS of si decides rc, ra and cc");
    }

    /** Lists of several pieces, of aborted transactions, and of unknown outcomes that are read. */
    @Test
    void listsThatShowAnOrderAreDecidedByWindows() throws IOException, HistoryException {
        String both = line(0, 0, "committed", "append", 1, "1")
                + line(0, 1, "unknown", "append", 1, "2")
                + line(1, 0, "committed", "r", 1, "[1,2]");
        for (String more : List.of(
                "",
                line(2, 0, "aborted", "r", 1, "[1,7]"),
                line(2, 0, "unknown", "r", 1, "[1]"),
                line(2, 0, "unknown", "r", 1, "[1,2,3]"),
                line(2, 0, "unknown", "r", 1, "[2]"),
                line(2, 0, "committed", "r", 1, "null"),
                line(2, 0, "committed", "append", 1, "3"),
                line(2, 0, "committed", "w", 2, "1"))) {
            for (int pieceBytes : new int[] {50, 1_000}) {
                assertThat(run(both + more, IsolationLevel.SER, pieceBytes).reason())
                        .as(more)
                        .isEmpty();
            }
        }
    }

    private void assertOpen(String lines, String reason) throws IOException, HistoryException {
        for (int pieceBytes : new int[] {50, 1_000}) {
            assertThat(run(lines, IsolationLevel.SER, pieceBytes).reason())
                    .as(lines)
                    .isEqualTo(reason);
        }
    }

    private WindowCheck run(String lines, IsolationLevel level, int pieceBytes) throws IOException, HistoryException {
        String file = write(lines.startsWith("{\"format") ? lines : HEADER + lines);
        try (LocalWorkers workers = FileWindows.workers()) {
            WindowCheck check = FileWindows.check(
                    workers, file, pieceBytes, new WindowSettings(4, 4, 4, 7), CheckRequest.of(level));
            check.run(true, InitialChoice.IMPLICIT);
            return check;
        }
    }

    private static String line(int session, int index, String status, String op, int key, String value) {
        return String.format(
                "{\"session\":%d,\"index\":%d,\"status\":\"%s\",\"ops\":[{\"op\":\"%s\",\"key\":%d,\"value\":%s}]}%n",
                session, index, status, op, key, value);
    }

    private String write(String json) throws IOException {
        Path file = folder.resolve("lists.jsonl");
        Files.writeString(file, json);
        return file.toString();
    }

    /**
     * Decides a history.
     *
     * @param known whether it keeps the level; null if the embedded engine has to find out
     */
    private boolean assertDecided(
            IsolationLevel level,
            String json,
            Boolean known,
            WindowSettings settings,
            long pieceBytes,
            boolean usesTimes,
            String what)
            throws IOException, HistoryException {
        String file = write(json);
        HistoryTable read = HistoryReader.read(file, HistoryFormat.AUTO);
        CheckRequest request = CheckRequest.of(level);
        boolean holds = known == null ? FileWindows.whole(read, request) == Verdict.Status.PASS : known;
        try (LocalWorkers workers = FileWindows.workers()) {
            WindowCheck check = FileWindows.check(workers, file, pieceBytes, settings, request);
            WindowCheck.Ending outcome = check.run(usesTimes, InitialChoice.IMPLICIT);
            outcomes.merge(outcome, 1, Integer::sum);
            if (outcome == WindowCheck.Ending.OPEN) {
                reasons.merge(check.reason(), 1, Integer::sum);
                return holds;
            }
            assertThat(outcome == WindowCheck.Ending.ORDERED).as(what).isEqualTo(holds);
            assertThat(check.counts()).as(what).isEqualTo(Counts.of(read));
            if (holds) {
                FileWindows.assertCertified(check, request.terms(), folder, read, what);
            }
        }
        return holds;
    }
}
