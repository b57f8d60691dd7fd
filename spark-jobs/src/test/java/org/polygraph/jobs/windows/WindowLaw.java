package org.polygraph.jobs.windows;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Checks;
import org.polygraph.jobs.decision.Example;
import org.polygraph.jobs.verdict.Counts;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.analysis.InitialChoice;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.format.HistoryWriter;
import org.polygraph.storage.format.InitialState;
import org.polygraph.storage.generate.PlantedAnomaly;
import org.polygraph.storage.generate.Workload;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.WholeHistoryException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.Law;
import org.polygraph.storage.testkit.Simulator;
import org.polygraph.storage.testkit.Simulator.Feature;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.Tampering;

/**
 * Windows of a file have the verdict of the whole history and a certificate of it, or they leave the history open for
 * one of a few reasons.
 */
public final class WindowLaw implements Law.Property<Example> {
    /** Why histories of all levels are left open. */
    private static final Set<String> REASONS = Set.of(
            "a transaction of unknown outcome contradicts itself",
            "the first order does not respect real time",
            "starts contradict the order of a session");

    private static final Set<String> REASONS_OF_LISTS = Set.of(
            ListOrders.CONTRADICTION,
            PieceRows.unsupported(new WholeHistoryException(ListOrders.UNKNOWN_READ)),
            "the times of the history show no real time");

    /** With fewer transactions, windows have only some. */
    private static final int MANY = 50;

    private final Set<IsolationLevel> levels;
    private final boolean isGiven;

    /** @param levels of which each history has one */
    public WindowLaw(Set<IsolationLevel> levels) {
        this(levels, false);
    }

    /** @param isGiven whether a file may give other initial values than the header */
    public WindowLaw(Set<IsolationLevel> levels, boolean isGiven) {
        this.levels = levels;
        this.isGiven = isGiven;
    }

    @Override
    public void holds(Example history, SplitMix random, Law.Tally tally) throws Exception {
        List<IsolationLevel> of = new ArrayList<>(history.levels());
        of.retainAll(levels);
        if (of.isEmpty()) {
            return;
        }
        IsolationLevel level = of.get(random.nextInt(of.size()));
        Path folder = Files.createTempDirectory("windows");
        try {
            Path file = folder.resolve("history.jsonl");
            HistoryWriter.write(history.table().asRead(), file.toString(), HistoryFormat.JSONL);
            if (history.table().transactions() < MANY) {
                WindowSettings tiny =
                        new WindowSettings(random.between(1, 6), random.between(1, 8), random.between(1, 9), 3);
                InitialState given = isGiven && random.chance(0.6) ? given(history.table(), random) : null;
                decide(folder, file, level, tiny, random.between(60, 400), random.chance(0.5), given, history, tally);
                return;
            }
            // Windows of 4 transactions take most of the time.
            for (int window : random.chance(0.25) ? new int[] {4, 50, 5_000} : new int[] {50, 500}) {
                WindowSettings settings =
                        new WindowSettings(window, random.between(1, 1_000), random.between(100, 4_000), 7);
                long bytes = random.between(5_000, 50_000);
                decide(folder, file, level, settings, bytes, random.chance(0.8), null, history, tally);
            }
        } finally {
            try (Stream<Path> files = Files.walk(folder)) {
                for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(each);
                }
            }
        }
    }

    private static void decide(
            Path folder,
            Path file,
            IsolationLevel level,
            WindowSettings settings,
            long pieceBytes,
            boolean usesTimes,
            @Nullable InitialState given,
            Example history,
            Law.Tally tally)
            throws IOException, HistoryException {
        HistoryTable plain = HistoryReader.read(file.toString(), HistoryFormat.AUTO);
        HistoryTable read = given == null ? plain : given.applied(plain);
        CheckRequest request = CheckRequest.of(level);
        boolean holds = Checks.status(read, request) == Verdict.Status.PASS;
        String what = level + " " + settings + " pieces of " + pieceBytes + (usesTimes ? "" : " without times")
                + (given == null ? "" : " from " + given) + "\n"
                + (read.transactions() < MANY ? history.text() : "");
        try (LocalWorkers workers = FileWindows.workers()) {
            WindowCheck check = FileWindows.check(
                    workers,
                    file.toString(),
                    pieceBytes,
                    settings,
                    request,
                    given,
                    part -> Checks.status(part, request) == Verdict.Status.VIOLATION);
            WindowCheck.Ending ending = check.run(usesTimes, InitialChoice.IMPLICIT);
            tally.count(ending.toString());
            if (ending == WindowCheck.Ending.OPEN) {
                tally.count(check.reason());
                boolean isOfLists = REASONS_OF_LISTS.contains(check.reason())
                        || check.reason().endsWith(" are not in their order in the input");
                assertThat(level.isAxiom() || REASONS.contains(check.reason()) || (read.hasLists() && isOfLists))
                        .as(check.reason() + ": " + what)
                        .isTrue();
                return;
            }
            assertThat(ending == WindowCheck.Ending.ORDERED).as(what).isEqualTo(holds);
            assertThat(check.counts()).as(what).isEqualTo(counts(read));
            if (holds) {
                FileWindows.assertCertified(check, request.terms(), folder, read, what);
            }
        }
    }

    private static InitialState given(HistoryTable history, SplitMix random) {
        InitialState given = new InitialState();
        for (int key = 0; key < history.keys().size(); key++) {
            if (random.chance(0.4)) {
                given.put(history, key, history.value(random.nextInt(history.operations())));
            }
        }
        return given;
    }

    /** Windows do not count keys that only refused compare-and-sets name. */
    private static Counts counts(HistoryTable history) {
        Counts counts = Counts.of(history);
        if (!history.values().hasOthers()) {
            return counts;
        }
        Set<Integer> refused = new HashSet<>();
        Set<Integer> others = new HashSet<>();
        for (int o = 0; o < history.operations(); o++) {
            (history.values().isOther(history.value(o)) ? refused : others).add(history.key(o));
        }
        refused.removeAll(others);
        return new Counts(
                counts.sessions(),
                counts.transactionsCommitted(),
                counts.transactionsAborted(),
                counts.transactionsIndeterminate(),
                counts.reads(),
                counts.writes(),
                history.keys().size() - refused.size());
    }

    /** Keys that begin with values that other transactions may write too. */
    public static Example initial(long seed) {
        return Example.of(Simulator.with(
                EnumSet.of(Feature.INITIAL), seed, Feature.REPEATED, Feature.ABORTED, Feature.UNKNOWN, Feature.TIMES));
    }

    /** Tiny histories, half of them of a right store, in which it matters which unknown outcomes are read. */
    public static Example tiny(long seed) {
        SplitMix random = new SplitMix(seed);
        if (random.chance(0.5)) {
            return Example.of(Simulator.tiny(seed).table());
        }
        Workload generator = new Workload()
                .seed(random.nextLong())
                .level(random.chance(0.5) ? Workload.Level.SER : Workload.Level.SI)
                .sessions(random.between(3, 6))
                .transactions(random.between(8, 40))
                .operations(1, 4)
                .keys(random.between(2, 6))
                .indeterminate(0.25)
                .values(random.between(3, 12));
        return Example.of(generator.table());
    }

    /** Hundreds of transactions, near what a database does. */
    public static Example larger(long seed) {
        SplitMix random = new SplitMix(seed);
        Workload generator = new Workload()
                .seed(random.nextLong())
                .level(random.chance(0.5) ? Workload.Level.SER : Workload.Level.SI)
                .sessions(random.between(3, 20))
                .transactions(random.between(60, 400))
                .operations(1, 6)
                .keys(random.between(10, 200))
                .distribution(random.chance(0.5) ? Workload.Distribution.ZIPF : Workload.Distribution.UNIFORM)
                .aborted(random.chance(0.5) ? 0 : 0.05)
                .indeterminate(random.chance(0.5) ? 0 : 0.02)
                .skew(random.chance(0.5) ? 0 : 20_000);
        if (random.chance(0.3)) {
            generator.values(20).repeats(0.3);
        }
        if (random.chance(0.4)) {
            PlantedAnomaly[] all = PlantedAnomaly.values();
            generator.sessions(random.between(5, 20)).plant(all[random.nextInt(all.length)], random.nextInt(50));
        }
        return Example.of(Tampering.oneRead(generator.table(), random.chance(0.2) ? random : null));
    }

    /** Lists of hundreds of transactions. */
    public static Example lists(long seed) {
        return Example.of(Simulator.with(
                EnumSet.of(Feature.LISTS, Feature.LARGE),
                seed,
                Feature.REPEATED,
                Feature.ABORTED,
                Feature.UNKNOWN,
                Feature.TIMES,
                Feature.ODD_TIMES,
                Feature.NOTATION));
    }

    /** Single operations on registers, for which sessions do not count. */
    public static Example registers(long seed) {
        return Example.of(Simulator.with(
                EnumSet.of(Feature.SINGLE),
                seed,
                Feature.REPEATED,
                Feature.UNKNOWN,
                Feature.ODD_TIMES,
                Feature.LONG,
                Feature.NOTATION));
    }
}
