package org.polygraph.jobs.application;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileUtil;
import org.polygraph.jobs.certificate.format.Claim;
import org.polygraph.jobs.certificate.format.RankFile;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.jobs.certificate.judge.BruteForce;
import org.polygraph.jobs.certificate.judge.SubHistoryProof;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Example;
import org.polygraph.jobs.verdict.ExitCode;
import org.polygraph.jobs.verdict.PartViolations;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.SubHistory;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.format.InitialState;
import org.polygraph.storage.generate.Workload;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistorySelection;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.HistoryDsl;
import org.polygraph.storage.testkit.Law;
import org.polygraph.storage.testkit.Simulator;
import org.polygraph.storage.testkit.Simulator.Feature;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.Tampering;
import org.polygraph.storage.testkit.TestFolders;

/**
 * Tiny histories in 2 to 5 parts: after each part the verdict is that of {@link BruteForce} on everything so far, its
 * evidence is accepted, and {@code --fail-on new} ends by what the part adds. The verdict is UNKNOWN only if a read of
 * the last part has no writer yet, or if an earlier part is withheld, which it names.
 */
public final class ChainLaw implements Law.Property<Example> {
    private final Set<IsolationLevel> levels;

    /** @param levels of which each history has one or two */
    public ChainLaw(Set<IsolationLevel> levels) {
        this.levels = levels;
    }

    @Override
    public void holds(Example example, SplitMix random, Law.Tally tally) throws Exception {
        HistoryTable history = example.table();
        List<IsolationLevel> all = new ArrayList<>(example.levels());
        all.retainAll(levels);
        if (all.isEmpty() || hasGaps(history)) {
            return;
        }
        List<IsolationLevel> of = new ArrayList<>(List.of(all.get(random.nextInt(all.size()))));
        if (random.chance(0.2) && all.contains(IsolationLevel.SER) && !of.get(0).realTime()) {
            of.add(0, IsolationLevel.SER);
        }
        int parts = random.between(2, 5);
        int[] partOf = parts(history, parts, random);
        if (history.ends() != null && random.chance(0.5)) {
            byEnd(history, partOf, parts);
        }
        Path folder = Files.createTempDirectory(TestFolders.root(), "chain");
        try {
            new Run(folder, tally, random.chance(0.25))
                    .check(history, of.stream().distinct().toList(), partOf, random.nextInt(3), random);
        } finally {
            FileUtil.fullyDelete(folder.toFile());
        }
    }

    /** Whether the indexes of a session show that a transaction is missing, as where a failure is made smaller. */
    private static boolean hasGaps(HistoryTable history) {
        return IntStream.range(0, history.transactions())
                .anyMatch(t -> history.index(t) != t - history.firstTransaction(history.sessionOf(t)));
    }

    /** The part of each transaction; parts do not descend within a session. */
    private static int[] parts(HistoryTable history, int parts, SplitMix random) {
        int[] partOf = new int[history.transactions()];
        for (int s = 0; s < history.sessions(); s++) {
            int part = random.nextInt(parts);
            for (int t = history.firstTransaction(s); t < history.transactionsEnd(s); t++) {
                part = Math.min(parts - 1, part + (random.nextInt(3) == 0 ? 1 : 0));
                partOf[t] = part;
            }
        }
        return partOf;
    }

    /** Deals transactions to parts by their ends; those without one stay in the part of their session so far. */
    private static void byEnd(HistoryTable history, int[] partOf, int parts) {
        long[] ends = history.ends();
        long[] sorted = LongStream.of(ends)
                .filter(end -> end != HistoryTable.NO_TIME)
                .sorted()
                .toArray();
        for (int s = 0; s < history.sessions(); s++) {
            int part = 0;
            for (int t = history.firstTransaction(s); t < history.transactionsEnd(s); t++) {
                int place = Arrays.binarySearch(sorted, ends[t]);
                part = Math.max(part, place < 0 ? 0 : place * parts / sorted.length);
                partOf[t] = part;
            }
        }
    }

    /** Tiny histories of all kinds; in half of them, values are read long after they were written, or never. */
    public static Example tiny(long seed) {
        SplitMix random = new SplitMix(seed);
        return Example.of(random.chance(0.5) ? Simulator.tiny(seed).table() : blindWrites(random));
    }

    static HistoryTable blindWrites(SplitMix random) {
        Workload generator = new Workload()
                .seed(random.nextLong())
                .level(random.chance(0.7) ? Workload.Level.SER : Workload.Level.SI)
                .sessions(random.between(3, 4))
                .transactions(random.between(6, 9))
                .operations(1, random.between(1, 3))
                .keys(random.between(2, 4))
                .reads(0.3 + 0.3 * random.nextDouble())
                .modifies(0);
        HistoryTable table = generator.table();
        long[] starts = Objects.requireNonNull(table.starts());
        // Clients hear of outcomes late, so that other sessions have read before what ends in a later part.
        for (int t = 0; t + 1 < table.transactions(); t++) {
            if (table.sessionOf(t) == table.sessionOf(t + 1) && random.chance(0.7)) {
                Objects.requireNonNull(table.ends())[t] = starts[t + 1] - 1;
            }
        }
        return Tampering.oneRead(table, random.chance(0.2) ? random : null);
    }

    /** Single operations on registers, where each key is decided by itself. */
    public static Example registers(long seed) {
        return Example.of(Simulator.with(
                EnumSet.of(Feature.SINGLE),
                seed,
                Feature.COMPARE_AND_SET,
                Feature.REPEATED,
                Feature.UNKNOWN,
                Feature.LONG));
    }

    /** Violations at many times: each transaction reads the last values or, rarely, older ones, and writes new ones. */
    public static Example several(long seed) {
        SplitMix random = new SplitMix(seed);
        List<StringBuilder> sessions = List.of(new StringBuilder(), new StringBuilder(), new StringBuilder());
        int value = 0;
        int[][] last = new int[3][2];
        for (int t = 0, most = random.between(4, 12); t < most; t++) {
            int session = random.nextInt(sessions.size());
            StringBuilder text = sessions.get(session);
            text.append(text.length() == 0 ? "; s" + session + ": " : " | ");
            text.append("@%d..%d ".formatted(10 * t, 10 * t + 9));
            for (int o = random.between(1, 3); o > 0; o--) {
                int key = random.nextInt(last.length);
                text.append("r(%d,%d) ".formatted(key, last[key][random.chance(0.2) ? 1 : 0]));
                if (random.chance(0.6)) {
                    last[key][1] = last[key][0];
                    last[key][0] = random.chance(0.1) ? random.between(0, value) : ++value;
                    text.append("w(%d,%d) ".formatted(key, last[key][0]));
                }
            }
        }
        return Example.of(HistoryDsl.parse("init 0" + String.join("", sessions)));
    }

    /** Lists, rows that are inserted and deleted, conditions, and versions that the database gave. */
    public static Example kinds(long seed) {
        Feature[] others = {Feature.REPEATED, Feature.ABORTED, Feature.UNKNOWN, Feature.TIMES};
        return Example.of(
                switch ((int) Math.floorMod(seed, 4L)) {
                    case 0 -> Simulator.with(EnumSet.of(Feature.LISTS), seed, others);
                    case 1 -> Simulator.with(EnumSet.of(Feature.ROWS), seed, others);
                    case 2 -> Simulator.versions(seed);
                    default -> Simulator.conditions(seed);
                });
    }

    /** One history in parts. */
    static final class Run {
        private final Path folder;
        private final Law.Tally tally;
        private final boolean withholds;

        /** @param withholds whether the files of earlier parts are removed now and then */
        Run(Path folder, Law.Tally tally, boolean withholds) {
            this.folder = folder;
            this.tally = tally;
            this.withholds = withholds;
        }

        /** @param levels the strongest first */
        void check(HistoryTable history, List<IsolationLevel> levels, int[] partOf, int least, SplitMix random)
                throws Exception {
            Path runs = Files.createDirectory(folder.resolve("runs"));
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
                boolean isNew = random.chance(0.5);
                CheckSettings settings = RollingTest.settings(
                        levels, runs, isNew ? CheckSettings.Failing.NEW : CheckSettings.Failing.ANY);
                for (Answer answer :
                        new CheckRun(settings, Checker.EMBEDDED, messages, least).answers(part.toString())) {
                    IsolationLevel level = answer.level();
                    if (messages.lines.toString().contains("parts of one history share their header")) {
                        // The part was written with the initial values of its own keys only.
                        return;
                    }
                    BruteForce.Answer expected = judged(table, LeftOut.NOTHING, level);
                    String name = "parts " + Arrays.toString(partOf) + " to " + p + " least " + least + " " + level
                            + " " + answer.status() + " " + messages.lines;
                    String reason = answer.found() == null ? "" : answer.found().reason();
                    if (answer.status() == Verdict.Status.UNKNOWN) {
                        boolean isOpen = reason.contains("the writer may follow in the next part");
                        assertThat(isOpen || (withholds && reason.contains(" is gone")))
                                .as(name + reason)
                                .isTrue();
                        assertThat(isOpen && expected == BruteForce.Answer.HOLDS)
                                .as(name + reason)
                                .isFalse();
                        assertThat(withholds
                                        || !table.isPlain()
                                        || RollingTest.isOpen(table, level, history, partOf, p))
                                .as(name + reason)
                                .isTrue();
                        tally.count(isOpen ? "open" : "withheld");
                    } else {
                        assertThat(answer.status())
                                .as(name)
                                .isEqualTo(
                                        expected == BruteForce.Answer.HOLDS
                                                ? Verdict.Status.PASS
                                                : Verdict.Status.VIOLATION);
                        assertThat(expected).as(name).isNotEqualTo(BruteForce.Answer.TOO_LARGE);
                    }
                    assertThat(answer.found().exitCode()).as(name).isEqualTo(exitCode(answer, isNew));
                    if (answer.status() == Verdict.Status.VIOLATION
                            && table.isPlain()
                            && RollingTest.isOpen(table, level, history, partOf, p)) {
                        // The writers may follow, so something else is violated.
                        assertThat(Stream.concat(
                                        answer.found().violations().stream(), answer.found().unexplained().stream()))
                                .as(name)
                                .anyMatch(violation -> violation.anomaly() != Anomaly.THIN_AIR_READ);
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
                    Location run = Location.of(answer.run().name());
                    boolean isDecided = answer.status() != Verdict.Status.UNKNOWN;
                    if (isDecided) {
                        last.put(level, run);
                    }
                    if (!withholds && (isDecided || RankFile.in(run).exists())) {
                        RollingTest.verify(run, Chain.of(run), part, name);
                        tally.count(isDecided ? "verified" : "verified order of an open part");
                    }
                    tally.count(answer.status().name());
                    countSeam(run, part);
                }
                if (withholds && random.chance(0.5)) {
                    Files.delete(part);
                }
            }
        }

        private static int exitCode(Answer answer, boolean isNew) {
            PartViolations found = answer.found().inPart();
            if (!isNew
                    || found == null
                    || answer.status() != Verdict.Status.VIOLATION
                    || !found.added().isEmpty()) {
                return answer.status().exitCode().code();
            }
            return (found.isComplete() ? ExitCode.PASS : ExitCode.UNKNOWN).code();
        }

        private void countSeam(Location run, Path part) throws Exception {
            Chain chain = Chain.of(run);
            if (chain.seam() == null) {
                return;
            }
            tally.count("seams");
            boolean isOpen = RankFile.in(chain.seam().run()).exists()
                    && Claim.read(chain.seam().run()).verdict().equals("UNKNOWN");
            if (isOpen) {
                tally.count("seams of an open part");
            }
            if (InitialState.size(chain.seam().files().state().location()) > 0) {
                tally.count("states");
            }
            if (RollingTest.exchanges(chain, part) > 0) {
                tally.count("exchanges");
            }
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
                    tally.count("complete");
                    assertThat(judged(whole, kept.leftOut(), level)).as(what).isEqualTo(BruteForce.Answer.HOLDS);
                }
            } else if (kept == null) {
                separatesAllParts(verdict, found, whole, level, what);
            }
            if (!found.standing().isEmpty()) {
                tally.count(found.added().isEmpty() ? "standing" : "added to standing");
            }
            if (found.isUndecided()) {
                tally.count("undecided");
            }
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
                HistoryTable sub =
                        HistorySelection.of(table, minimal.operations()).table();
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
                assertThat(found.text())
                        .as(what)
                        .containsAnyOf(" may follow in the next part", " the next part may write");
                tally.count("unseparated");
                return;
            }
            tally.count("separated");
            assertThat(judged(whole, earlier, level))
                    .as(what)
                    .isEqualTo(fresh == 0 ? BruteForce.Answer.HOLDS : BruteForce.Answer.VIOLATED);
            if (found.isComplete()) {
                tally.count("complete");
                assertThat(judged(whole, leftOut, level)).as(what).isEqualTo(BruteForce.Answer.HOLDS);
            }
        }

        private static boolean isShown(HistoryTable table, HistoryTable sub, IsolationLevel level) {
            Terms terms = RollingTest.request(level).terms();
            return SubHistoryProof.firstGap(table, sub, terms) == null
                    && BruteForce.judge(sub, terms) == BruteForce.Answer.VIOLATED;
        }

        private static BruteForce.Answer judged(HistoryTable table, LeftOut leftOut, IsolationLevel level)
                throws HistoryException {
            CheckRequest request = RollingTest.request(level);
            Terms terms = request.terms();
            assertThat(request.time()).isEqualTo(level.realTime() ? TimeMode.STRICT : TimeMode.NONE);
            HistoryTable whole = leftOut.applied(request.loaders(table).applied());
            return BruteForce.judge(request.judged(whole), terms);
        }
    }
}
