package org.polygraph.jobs.application;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.jobs.certificate.judge.BruteForce;
import org.polygraph.jobs.certificate.judge.SubHistoryProof;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.ConditionHistories;
import org.polygraph.jobs.decision.Registers;
import org.polygraph.jobs.verdict.PartViolations;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.SubHistory;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistorySelection;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.HistoryDsl;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.SuiteScale;
import org.polygraph.storage.testkit.TinyHistories;

/**
 * Tiny histories in 2 to 5 parts against {@link BruteForce}: after each part the verdict is that of everything so far.
 * It is UNKNOWN only if a read of the last part has no writer yet, or if an earlier part is withheld, which it names.
 * Scale 106 is about 100,000 histories.
 */
class ChainsAgainstBruteForceTest {
    private static final long SEED = 0xc4a1;

    @TempDir
    private Path folder;

    private final Map<Verdict.Status, Integer> seen = new EnumMap<>(Verdict.Status.class);
    private int open;
    private int withheld;
    private int onSeams;
    private int standing;
    private int added;
    private int complete;
    private int undecided;
    private int unseparated;
    private int separated;

    @Test
    void verdictsAreThoseOfBruteForce() throws Exception {
        int most = SuiteScale.of(500);
        long from = Long.getLong("polygraph.test.from", 0);
        TinyHistories histories = new TinyHistories(SEED);
        IsolationLevel[] levels = IsolationLevel.values();
        int decided = 0;
        for (long i = from; i < from + most; i++) {
            IsolationLevel level = levels[(int) (i % levels.length)];
            SplitMix random = new SplitMix(histories.seedOf(i));
            HistoryTable history = level == IsolationLevel.LIN
                    ? Registers.tiny(random)
                    : random.chance(0.5) ? histories.at(i) : RollingTest.blindWrites(histories.seedOf(i));
            boolean isTimed = history.starts() != null && history.ends() != null;
            if (!level.realTime() || isTimed) {
                int parts = random.between(2, 5);
                check(history, List.of(level), RollingTest.parts(history, parts, random), random, "#" + i);
                decided++;
            }
        }
        System.out.println(decided + " histories in parts against brute force, seed " + SEED + " from " + from + ": "
                + seen + ", " + onSeams + " on seams, " + standing + " violations of earlier parts; UNKNOWN: " + open
                + " because a writer may follow, " + withheld
                + " because a part is gone");
        assertThat(seen.get(Verdict.Status.PASS)).isPositive();
        assertThat(seen.get(Verdict.Status.VIOLATION)).isPositive();
        assertThat(onSeams).isPositive();
        assertThat(standing).isPositive();
        assertThat(withheld).isPositive();
    }

    private void check(HistoryTable history, List<IsolationLevel> given, int[] partOf, SplitMix random, String number)
            throws Exception {
        List<IsolationLevel> levels = given.stream().distinct().toList();
        Path runs = Files.createDirectory(folder.resolve("runs"));
        int least = random.nextInt(3);
        boolean withholds = random.chance(0.25);
        int from = 0;
        Map<IsolationLevel, Location> last = new EnumMap<>(IsolationLevel.class);
        Set<IsolationLevel> violated = EnumSet.noneOf(IsolationLevel.class);
        for (int p = 0; p <= Arrays.stream(partOf).max().orElse(0); p++) {
            Path part = folder.resolve("part-" + p + ".jsonl");
            if (!RollingTest.write(history, partOf, from, p, part)) {
                continue;
            }
            Path whole = folder.resolve("whole.jsonl");
            RollingTest.write(history, partOf, 0, p, whole);
            HistoryTable table = HistoryReader.read(whole.toString(), HistoryFormat.AUTO);
            if (IntStream.range(0, table.transactions())
                    .noneMatch(t -> table.status(t) == TransactionStatus.COMMITTED)) {
                // A chain begins with a part that can be judged, so this one is written with the next.
                continue;
            }
            from = p + 1;
            IsolationCheck.Messages messages = new IsolationCheck.Messages();
            CheckSettings settings = RollingTest.settings(levels, runs);
            for (Answer answer : new CheckRun(settings, Checker.EMBEDDED, messages, least).answers(part.toString())) {
                IsolationLevel level = answer.level();
                if (history.initialState() != null
                        && messages.lines.toString().contains("parts of one history share their header")) {
                    // The part was written with the initial values of its own keys only.
                    delete();
                    return;
                }
                BruteForce.Answer expected = judged(table, LeftOut.NOTHING, level);
                String name = number + " " + HistoryDsl.print(history) + " parts " + Arrays.toString(partOf) + " to "
                        + p + " least " + least + " " + level + " " + answer.status() + " " + messages.lines;
                String reason = answer.found() == null ? "" : answer.found().reason();
                if (answer.status() == Verdict.Status.UNKNOWN) {
                    boolean isOpen = reason.contains("the writer may follow in the next part");
                    assertThat(isOpen || (withholds && reason.contains(" is gone")))
                            .as(name + reason)
                            .isTrue();
                    assertThat(isOpen && expected == BruteForce.Answer.HOLDS)
                            .as(name + reason)
                            .isFalse();
                    open += isOpen ? 1 : 0;
                    withheld += isOpen ? 0 : 1;
                } else {
                    assertThat(answer.status())
                            .as(name)
                            .isEqualTo(
                                    expected == BruteForce.Answer.HOLDS
                                            ? Verdict.Status.PASS
                                            : Verdict.Status.VIOLATION);
                    assertThat(expected).as(name).isNotEqualTo(BruteForce.Answer.TOO_LARGE);
                }
                if (answer.status() == Verdict.Status.VIOLATION
                        && answer.found().inPart() != null) {
                    separates(
                            answer.found(),
                            last.get(level),
                            Location.of(answer.run().name()),
                            table,
                            level,
                            name);
                    assertThat(answer.found().inPart().standing().isEmpty() || violated.contains(level))
                            .as(name + reason)
                            .isTrue();
                }
                if (answer.status() == Verdict.Status.VIOLATION) {
                    violated.add(level);
                } else if (answer.status() == Verdict.Status.PASS) {
                    violated.remove(level);
                }
                if (answer.status() == Verdict.Status.VIOLATION || answer.status() == Verdict.Status.PASS) {
                    Location run = Location.of(answer.run().name());
                    last.put(level, run);
                    if (!withholds && random.chance(0.1)) {
                        RollingTest.verify(run, Chain.of(run), part, name);
                    }
                }
                seen.merge(answer.status(), 1, Integer::sum);
                onSeams += Files.exists(Path.of(answer.run().name(), "seam", "base.txt")) ? 1 : 0;
            }
            if (withholds && random.chance(0.5)) {
                Files.delete(part);
            }
        }
        delete();
    }

    /**
     * The last part adds a violation iff everything so far violates the level without the reads that the violations of
     * earlier parts need, those that stand; and without those of all violations it keeps the level.
     *
     * @param before the run of the parts before; null if there is none
     */
    private void separates(
            Verdict verdict, Location before, Location run, HistoryTable whole, IsolationLevel level, String name)
            throws Exception {
        PartViolations found = Objects.requireNonNull(verdict.inPart());
        String what = name + " " + found.text();
        StandingViolations earlier = before == null ? null : StandingViolations.of(before, () -> false);
        LeftOut leftOut = LeftOut.NOTHING;
        for (StandingViolations.Kept each : earlier == null ? List.<StandingViolations.Kept>of() : earlier.all()) {
            boolean stands = found.standing().contains(each.named());
            leftOut = stands ? leftOut.and(earlier.sub(each)) : leftOut;
        }
        StandingViolations kept = StandingViolations.of(run, () -> false);
        boolean isPlain = (earlier == null || earlier.areAllShown())
                && whole.isPlain()
                && level != IsolationLevel.LIN
                && kept != null;
        if (found.isUndecided() && isPlain) {
            assertThat(found.text()).as(what).containsAnyOf("the writer may follow in the next part", " is gone");
        } else if (isPlain) {
            BruteForce.Answer beyond = judged(whole, leftOut, level);
            assertThat(beyond)
                    .as(what)
                    .isEqualTo(
                            found.added().isEmpty() && found.isComplete()
                                    ? BruteForce.Answer.HOLDS
                                    : BruteForce.Answer.VIOLATED);
            if (found.isComplete()) {
                complete++;
                assertThat(judged(whole, kept.leftOut(), level)).as(what).isEqualTo(BruteForce.Answer.HOLDS);
            }
        } else if (kept == null) {
            separatesAllParts(verdict, found, whole, level, what);
        }
        added += found.standing().isEmpty() ? 0 : found.added().size();
        standing += found.standing().size();
        undecided += found.isUndecided() ? 1 : 0;
    }

    /** The same for histories of which no run keeps the reads: all parts are read. */
    private void separatesAllParts(
            Verdict verdict, PartViolations found, HistoryTable whole, IsolationLevel level, String what)
            throws HistoryException {
        HistoryTable table = Objects.requireNonNull(verdict.table());
        int fresh = found.added().size();
        List<Violation> all = verdict.violations();
        boolean[] isOfLast = OpenReads.filesOf(table, verdict.path());
        LeftOut earlier = LeftOut.NOTHING;
        LeftOut leftOut = LeftOut.NOTHING;
        for (int i = 0; i < fresh + found.standing().size() && i < all.size(); i++) {
            SubHistory minimal = all.get(i).minimal();
            if (minimal == null) {
                return;
            }
            HistoryTable sub = HistorySelection.of(table, minimal.operations()).table();
            leftOut = leftOut.and(table, minimal.operations());
            if (i >= fresh) {
                earlier = earlier.and(table, minimal.operations());
                assertThat(all.get(i).transactions()).as(what).noneMatch(t -> t >= 0 && isOfLast[table.fileOf(t)]);
                boolean isPlain = table.hasRows() && level.eventsPerTransaction() == 1;
                assertThat(isShown(table, sub, level)
                                || (isPlain && isShown(table.withoutRows(), sub.withoutRows(), level)))
                        .as(what)
                        .isTrue();
            }
        }
        if (all.size() < fresh + found.standing().size()) {
            return;
        }
        if (found.isUndecided()) {
            assertThat(found.text()).as(what).containsAnyOf(" may follow in the next part", " the next part may write");
            unseparated++;
            return;
        }
        separated++;
        assertThat(judged(whole, earlier, level))
                .as(what)
                .isEqualTo(fresh == 0 ? BruteForce.Answer.HOLDS : BruteForce.Answer.VIOLATED);
        if (found.isComplete()) {
            complete++;
            assertThat(judged(whole, leftOut, level)).as(what).isEqualTo(BruteForce.Answer.HOLDS);
        }
    }

    private static boolean isShown(HistoryTable table, HistoryTable sub, IsolationLevel level) {
        Terms terms = RollingTest.request(level).terms();
        return SubHistoryProof.firstGap(table, sub, terms) == null
                && BruteForce.judge(sub, terms) == BruteForce.Answer.VIOLATED;
    }

    /**
     * A read without a writer is a violation after the second part. The third part has the writer, and another read
     * whose writer is in the fourth, which is decided on the seam of the third.
     */
    @Test
    void aViolationIsExplainedByAPartThatIsUnknown() throws Exception {
        HistoryTable history =
                HistoryDsl.parse("init 0; s0: w(0,1) | r(3,6); s1: w(3,6) | w(9,9); s2: r(0,1) | r(9,9)");
        for (IsolationLevel level : List.of(IsolationLevel.SER, IsolationLevel.SI, IsolationLevel.RC)) {
            check(history, List.of(level), new int[] {0, 0, 2, 3, 1, 2}, new SplitMix(SEED), "explained");
        }
        assertThat(seen)
                .containsEntry(Verdict.Status.UNKNOWN, 6)
                .containsEntry(Verdict.Status.VIOLATION, 3)
                .containsEntry(Verdict.Status.PASS, 3);
    }

    /** Violations in several parts: each transaction reads the last values or, rarely, older ones, and writes new ones. */
    @Test
    void violationsOfSeveralParts() throws Exception {
        int most = SuiteScale.of(40);
        long from = Long.getLong("polygraph.test.from", 0);
        IsolationLevel[] levels = {
            IsolationLevel.SER, IsolationLevel.SI, IsolationLevel.CC, IsolationLevel.RA, IsolationLevel.RC
        };
        for (long i = from; i < from + most; i++) {
            SplitMix random = new SplitMix(SplitMix.seedOf(SEED + 1, i));
            int parts = random.between(2, 4);
            StringBuilder[] sessions = {
                new StringBuilder("init 0; s0: "), new StringBuilder("; s1: "), new StringBuilder("; s2: ")
            };
            int[][] partOf = new int[sessions.length][0];
            int value = 0;
            int[][] last = new int[3][2];
            for (int t = 0; t < parts * random.between(2, 3); t++) {
                int s = random.nextInt(sessions.length);
                StringBuilder text = sessions[s].append(partOf[s].length == 0 ? "" : " | ");
                partOf[s] = Arrays.copyOf(partOf[s], partOf[s].length + 1);
                partOf[s][partOf[s].length - 1] = t * parts / (parts * 3);
                for (int o = random.between(1, 3); o > 0; o--) {
                    int key = random.nextInt(last.length);
                    text.append("r(")
                            .append(key)
                            .append(',')
                            .append(last[key][random.chance(0.2) ? 1 : 0])
                            .append(") ");
                    if (random.chance(0.6)) {
                        last[key][1] = last[key][0];
                        last[key][0] = random.chance(0.1) ? random.between(0, value) : ++value;
                        text.append("w(")
                                .append(key)
                                .append(',')
                                .append(last[key][0])
                                .append(") ");
                    }
                }
            }
            StringBuilder all = new StringBuilder();
            List<Integer> of = new ArrayList<>();
            for (int s = 0; s < sessions.length; s++) {
                all.append(partOf[s].length == 0 ? "" : sessions[s].toString().replaceAll("^(init 0; |; )", "; "));
                Arrays.stream(partOf[s]).forEach(of::add);
            }
            HistoryTable history = HistoryDsl.parse("init 0" + all);
            int[] dealt = of.stream().mapToInt(Integer::intValue).toArray();
            IsolationLevel level = levels[(int) (i % levels.length)];
            check(
                    history,
                    i % 2 == 0 ? List.of(level) : List.of(IsolationLevel.SER, level),
                    dealt,
                    random,
                    "several #" + i);
        }
        System.out.println("violations in several parts: " + seen + ", " + onSeams + " on seams, " + standing
                + " standing, " + added + " added to others, " + complete + " rests keep the level, " + undecided
                + " undecided, seed " + SEED + " from " + from);
        assertThat(added).isPositive();
    }

    /**
     * Lists, and rows that are inserted and deleted, have no seams: all parts are read, and those before the last one
     * are judged again without it if their run is a VIOLATION.
     */
    @Test
    void listsAndRows() throws Exception {
        IsolationLevel[] levels = {
            IsolationLevel.SER, IsolationLevel.SI, IsolationLevel.CC, IsolationLevel.RA, IsolationLevel.RC
        };
        others(SEED + 2, 100, levels, ChainsAgainstBruteForceTest::lists);
        others(SEED + 5, 100, levels, ChainsAgainstBruteForceTest::rows);
    }

    /** Conditions, by the same rules. RC is left out, because it depends on the order in which a statement reads rows. */
    @Test
    void conditions() throws Exception {
        IsolationLevel[] levels = {
            IsolationLevel.SER,
            IsolationLevel.SI,
            IsolationLevel.SSER,
            IsolationLevel.SSI,
            IsolationLevel.CC,
            IsolationLevel.RA
        };
        others(SEED + 3, 120, levels, this::conditions);
    }

    /** Single operations on registers, where each key is decided by itself. */
    @Test
    void registers() throws Exception {
        others(SEED + 4, 150, new IsolationLevel[] {IsolationLevel.LIN}, random -> {
            int operations = random.between(6, 12);
            return random.chance(0.3)
                    ? Registers.tiny(random)
                    : Registers.simulated(random, operations, random.between(1, 3), 3, random.chance(0.7), 0.3);
        });
    }

    @FunctionalInterface
    private interface Histories {
        HistoryTable of(SplitMix random) throws Exception;
    }

    private void others(long seed, int count, IsolationLevel[] levels, Histories histories) throws Exception {
        int most = SuiteScale.of(count);
        long from = Long.getLong("polygraph.test.from", 0);
        for (long i = from; i < from + most; i++) {
            SplitMix random = new SplitMix(SplitMix.seedOf(seed, i));
            HistoryTable history = histories.of(random);
            IsolationLevel level = levels[(int) (i % levels.length)];
            if (!level.realTime() || (history.starts() != null && history.ends() != null)) {
                int[] partOf = RollingTest.parts(history, random.between(2, 4), random);
                check(history, List.of(level), partOf, random, "other #" + i);
            }
        }
        System.out.println("seed " + seed + " from " + from + ": " + seen + ", " + standing + " standing, " + added
                + " added to others, " + separated + " separated, " + complete + " rests keep the level, "
                + unseparated + " not separated");
        assertThat(separated).isGreaterThan(unseparated);
        assertThat(complete).isPositive();
        assertThat(standing > 0 || SuiteScale.isReduced()).isTrue();
    }

    /** A history whose indexes have no gap. */
    private HistoryTable conditions(SplitMix random) throws IOException, HistoryException {
        Map<String, Integer> next = new HashMap<>();
        String lines = Pattern.compile("\"session\":(\\d+),\"index\":\\d+")
                .matcher(new ConditionHistories(random).lines())
                .replaceAll(at ->
                        "\"session\":" + at.group(1) + ",\"index\":" + (next.merge(at.group(1), 1, Integer::sum) - 1));
        Path file = Files.writeString(folder.resolve("conditions.jsonl"), lines);
        return HistoryReader.read(file.toString(), HistoryFormat.JSONL);
    }

    /** The same rows, with indexes that have no gap, which would show that a part is missing. */
    private static HistoryTable rows(SplitMix random) throws HistoryException {
        return HistoryDsl.parse(HistoryDsl.print(ConditionHistories.rows(random).table()));
    }

    /** Transactions that read lists of two keys, some not to their ends, and append. */
    private static HistoryTable lists(SplitMix random) throws HistoryException {
        StringBuilder text = new StringBuilder("init null");
        List<List<Integer>> all = List.of(new ArrayList<>(), new ArrayList<>());
        for (int s = 0; s < 3; s++) {
            for (int t = 0; t < 2; t++) {
                text.append(t == 0 ? "; s" + s + ": " : " | ");
                for (int o = random.between(1, 3); o > 0; o--) {
                    int key = random.nextInt(all.size());
                    List<Integer> list = all.get(key);
                    int length = Math.max(0, list.size() - (random.chance(0.2) ? 1 : 0));
                    text.append("r(")
                            .append(key)
                            .append(",")
                            .append(list.subList(0, length).toString().replace(",", ""));
                    text.append(") ");
                    if (random.chance(0.6)) {
                        list.add(10 * key + list.size() + 1);
                        text.append("a(")
                                .append(key)
                                .append(',')
                                .append(list.get(list.size() - 1))
                                .append(") ");
                    }
                }
            }
        }
        return HistoryDsl.parse(text.toString());
    }

    private static BruteForce.Answer judged(HistoryTable table, LeftOut leftOut, IsolationLevel level)
            throws HistoryException {
        CheckRequest request = RollingTest.request(level);
        Terms terms = request.terms();
        assertThat(request.time()).isEqualTo(level.realTime() ? TimeMode.STRICT : TimeMode.NONE);
        HistoryTable whole = leftOut.applied(request.loaders(table).applied());
        return BruteForce.judge(request.judged(whole), terms);
    }

    private void delete() throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            List<Path> all = files.sorted(Comparator.reverseOrder()).toList();
            for (Path file : all.subList(0, all.size() - 1)) {
                Files.delete(file);
            }
        }
    }
}
