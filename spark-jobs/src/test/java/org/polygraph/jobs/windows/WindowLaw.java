package org.polygraph.jobs.windows;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.fs.FileUtil;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Checks;
import org.polygraph.jobs.decision.Example;
import org.polygraph.jobs.verdict.Counts;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.analysis.InitialChoice;
import org.polygraph.storage.analysis.Loaders;
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
import org.polygraph.storage.testkit.TestFolders;

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

    /** What there is at first besides the initial value of the header: nothing, a file of values, or loaders. */
    public enum Beginning {
        NOTHING,
        STATE,
        LOADERS
    }

    private final Set<IsolationLevel> levels;
    private final Beginning beginning;

    /** @param levels of which each history has one */
    public WindowLaw(Set<IsolationLevel> levels) {
        this(levels, Beginning.NOTHING);
    }

    /** @param beginning what there may be at first */
    public WindowLaw(Set<IsolationLevel> levels, Beginning beginning) {
        this.levels = levels;
        this.beginning = beginning;
    }

    @Override
    public void holds(Example history, SplitMix random, Law.Tally tally) throws Exception {
        List<IsolationLevel> of = new ArrayList<>(history.levels());
        of.retainAll(levels);
        if (of.isEmpty()) {
            return;
        }
        IsolationLevel level = of.get(random.nextInt(of.size()));
        Path folder = Files.createTempDirectory(TestFolders.root(), "windows");
        try {
            Path file = folder.resolve("history.jsonl");
            HistoryWriter.write(history.table().asRead(), file.toString(), HistoryFormat.JSONL);
            if (history.table().transactions() < MANY) {
                boolean areLoaded = beginning == Beginning.LOADERS;
                if (areLoaded) {
                    Files.write(file, loaded(Files.readAllLines(file), history.table(), random));
                }
                WindowSettings tiny =
                        new WindowSettings(random.between(1, 6), random.between(1, 8), random.between(1, 9), 3);
                InitialState given =
                        beginning == Beginning.STATE && random.chance(0.6) ? given(history.table(), random) : null;
                long bytes = random.between(60, 400);
                boolean usesTimes = random.chance(0.5) || (areLoaded && level.realTime());
                CheckRequest request = areLoaded ? loading(level, usesTimes, random) : CheckRequest.of(level);
                decide(folder, file, request, tiny, bytes, usesTimes, given, history, tally);
                return;
            }
            // Windows of 4 transactions take most of the time.
            for (int window : random.chance(0.25) ? new int[] {4, 50, 5_000} : new int[] {50, 500}) {
                WindowSettings settings =
                        new WindowSettings(window, random.between(1, 1_000), random.between(100, 4_000), 7);
                long bytes = random.between(5_000, 50_000);
                boolean usesTimes = random.chance(0.8);
                decide(folder, file, CheckRequest.of(level), settings, bytes, usesTimes, null, history, tally);
            }
        } finally {
            FileUtil.fullyDelete(folder.toFile());
        }
    }

    private static void decide(
            Path folder,
            Path file,
            CheckRequest request,
            WindowSettings settings,
            long pieceBytes,
            boolean usesTimes,
            @Nullable InitialState given,
            Example history,
            Law.Tally tally)
            throws IOException, HistoryException {
        HistoryTable plain = HistoryReader.read(file.toString(), HistoryFormat.AUTO);
        HistoryTable read = given == null ? plain : given.applied(plain);
        boolean areLoaded = request.initial().kind() != InitialChoice.Kind.IMPLICIT;
        String what = request + " " + settings + " pieces of " + pieceBytes + (usesTimes ? "" : " without times")
                + (given == null ? "" : " from " + given) + "\n"
                + (areLoaded ? Files.readString(file) : read.transactions() < MANY ? history.text() : "");
        Loaders loaders;
        try {
            loaders = request.loaders(read);
        } catch (HistoryException e) {
            loaders = null;
        }
        try (LocalWorkers workers = FileWindows.workers()) {
            WindowCheck check = FileWindows.check(
                    workers,
                    file.toString(),
                    pieceBytes,
                    settings,
                    request,
                    given,
                    part -> Checks.status(part, request) == Verdict.Status.VIOLATION);
            WindowCheck.Ending ending = check.run(usesTimes, request.initial());
            boolean loads = loaders != null && loaders.transactions().length > 0;
            tally.count((loads ? "loaded, " : "") + ending);
            if (ending == WindowCheck.Ending.OPEN) {
                tally.count(check.reason());
                boolean isOfLists = REASONS_OF_LISTS.contains(check.reason())
                        || check.reason().endsWith(" are not in their order in the input");
                assertThat(areLoaded
                                || request.level().isAxiom()
                                || REASONS.contains(check.reason())
                                || (read.hasLists() && isOfLists))
                        .as(check.reason() + ": " + what)
                        .isTrue();
                return;
            }
            assertThat(loaders).as(what).isNotNull();
            assertThat(check.loaders())
                    .as(what)
                    .isEqualTo(Arrays.stream(loaders.transactions())
                            .mapToObj(read::name)
                            .toList());
            HistoryTable applied = loaders.applied();
            boolean holds = Checks.status(applied, request) == Verdict.Status.PASS;
            assertThat(ending == WindowCheck.Ending.ORDERED).as(what).isEqualTo(holds);
            assertThat(check.counts()).as(what).isEqualTo(counts(applied));
            if (holds) {
                FileWindows.assertCertified(check, request.terms(), folder, applied, what);
            }
        }
    }

    private static CheckRequest loading(IsolationLevel level, boolean usesTimes, SplitMix random) {
        boolean isNamed = random.chance(0.2);
        return new CheckRequest(
                level,
                level.realTime() ? TimeMode.STRICT : usesTimes ? TimeMode.HINT : TimeMode.NONE,
                random.between(0, 3),
                IndeterminateMode.MAYBE,
                isNamed
                        ? new InitialChoice(InitialChoice.Kind.NAMED, random.between(0, 2), random.between(0, 1))
                        : InitialChoice.AUTO,
                true,
                1);
    }

    /** Adds transactions that write initial values, mostly before all others. */
    private static List<String> loaded(List<String> lines, HistoryTable plain, SplitMix random) {
        List<String> all = new ArrayList<>(lines);
        long initial = plain.values().integer(plain.initialValue());
        int at = random.chance(0.8) ? 1 : random.between(1, all.size());
        long session = random.chance(0.8) ? 1_000 : random.between(0, 2);
        long index = session == 1_000 ? 0 : -10;
        for (int more = random.between(1, 3); more > 0; more--, index++, at++) {
            List<String> writes = new ArrayList<>();
            for (int key = 0; key < plain.keys().size(); key++) {
                if (random.chance(0.8)) {
                    writes.add("{\"op\":\"w\",\"key\":" + plain.keys().label(key) + ",\"value\":"
                            + (random.chance(0.97) ? initial : initial + 1) + "}");
                }
            }
            long end = random.chance(0.9) ? -10 : random.between(0, 20_000);
            String times = plain.starts() == null ? "" : "\"start\":-90,\"end\":" + end + ",";
            all.add(
                    Math.min(at, all.size()),
                    "{\"session\":" + session + ",\"index\":" + index + "," + times
                            + "\"status\":\"committed\",\"ops\":" + writes + "}");
        }
        return all;
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
