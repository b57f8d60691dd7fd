package org.polygraph.jobs.windows;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Checks;
import org.polygraph.jobs.decision.Example;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryWriter;
import org.polygraph.storage.format.pieces.ReadPlan;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.HistoryDsl;
import org.polygraph.storage.testkit.Interpreter;
import org.polygraph.storage.testkit.SimulatedHistory;
import org.polygraph.storage.testkit.Simulator;
import org.polygraph.storage.testkit.Simulator.Feature;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.SuiteScale;

/**
 * R(M) and U(M) against brute force: of random tiny histories with unique and repeated values, unknown outcomes, true
 * times and those of clocks that differ, in their first order and in random ones.
 *
 * <ul>
 *   <li>U(M), where M has one to three ranges of places, has the transactions and operations of its definition. It
 *       violates the level only if the history does, and U of all if the history does.
 *   <li>R(M) of a window has an order exactly if one is found by trying all, and this order violates nothing else.
 *       Where nothing is violated any more, the replay agrees and the history holds.
 * </ul>
 */
class SeamTest {
    private static final long SEED = 0x5ea3;
    private static final int SETS = 10;
    private static final int WINDOWS = 6;
    /** All orders of so many events are tried. */
    private static final int FEW = 8;

    @TempDir
    private Path folder;

    private final Map<String, Integer> counts = new HashMap<>();
    private CheckRequest request = CheckRequest.of(IsolationLevel.SER);
    private String what = "";
    private boolean holds;
    private boolean contradictsItself;

    @ParameterizedTest
    @EnumSource
    void setsAndWindowsOfTinyHistories(IsolationLevel level) throws IOException, HistoryException {
        try (LocalWorkers workers = FileWindows.workers()) {
            for (int i = 0; i < SuiteScale.of(60, 40); i++) {
                SplitMix random = new SplitMix(SplitMix.seedOf(SEED + level.ordinal(), i));
                HistoryTable history = level == IsolationLevel.LIN
                        ? SimulatedHistory.read(Simulator.with(
                                        EnumSet.of(Feature.SINGLE),
                                        random.nextLong(),
                                        Feature.REPEATED,
                                        Feature.UNKNOWN,
                                        Feature.ODD_TIMES)
                                .json())
                        : Simulator.tiny(SplitMix.seedOf(SEED + level.ordinal(), i))
                                .table();
                long skew = !level.realTime() || random.chance(0.5)
                        ? 0
                        : level == IsolationLevel.LIN ? random.between(1, 3) : random.between(5, 30);
                request = new CheckRequest(
                        level,
                        level.realTime() ? TimeMode.STRICT : TimeMode.HINT,
                        skew,
                        random.chance(0.85) ? IndeterminateMode.MAYBE : IndeterminateMode.ABORT);
                what = request + " seed " + SplitMix.seedOf(SEED + level.ordinal(), i) + " "
                        + HistoryDsl.print(history);
                judge(history, workers, random);
            }
        }
        System.out.println(level + ": " + counts + ", seed " + (SEED + level.ordinal()));
        assertThat(counts)
                .containsKeys(
                        "histories that hold",
                        "histories that do not",
                        "sets of several ranges that refute",
                        "windows repaired",
                        "windows without an order");
    }

    private void count(String name) {
        counts.merge(name, 1, Integer::sum);
    }

    private void judge(HistoryTable history, LocalWorkers workers, SplitMix random)
            throws IOException, HistoryException {
        Interpreter.Verdict truth = truth(history);
        if (truth == Interpreter.Verdict.INVALID || (request.level().realTime() && history.starts() == null)) {
            return;
        }
        holds = truth == Interpreter.Verdict.ACCEPTED;
        String file = folder.resolve("history.jsonl").toString();
        HistoryWriter.write(history, file, HistoryFormat.JSONL);
        WindowSettings settings =
                new WindowSettings(random.between(1, 6), random.between(1, 8), random.between(1, 9), 3);
        int pieceBytes = random.between(60, 400);
        boolean usesTimes = request.level().realTime() || random.chance(0.5);
        ReadPlan plan = FileWindows.plan(file, pieceBytes);
        WindowStore store = WindowStore.of(workers, plan, usesTimes, settings, request.terms());
        if (isSupported(store, plan, history)) {
            count("histories that " + (holds ? "hold" : "do not"));
            store.countUnknown();
            contradictsItself = contradictsItself(history);
            if (random.chance(0.5)) {
                new EventOrder(store).shuffle(random);
            }
            judgeSets(store, plan, random);
            for (int i = 0; i < WINDOWS; i++) {
                if (random.chance(0.3)) {
                    new EventOrder(store).shuffle(random);
                }
                repair(store, random);
            }
            judgeSets(store, plan, random);
        }
        Location.of(store.next("none").folder()).delete();
    }

    /** Whether a transaction that may count read what its own operation before does not allow. */
    private static boolean contradictsItself(HistoryTable history) {
        for (int t = 0; t < history.transactions(); t++) {
            Map<Integer, Long> seen = new HashMap<>();
            for (int o = history.firstOperation(t); o < history.operationsEnd(t); o++) {
                Long before = seen.put(history.key(o), history.value(o));
                if (before != null
                        && before != history.value(o)
                        && !history.isWrite(o)
                        && history.status(t) != TransactionStatus.ABORTED) {
                    return true;
                }
            }
        }
        return false;
    }

    /** What {@link WindowCheck#run} decides before it has an order. */
    private boolean isSupported(WindowStore store, ReadPlan plan, HistoryTable history) throws IOException {
        boolean hasUnknown = false;
        for (int t = 0; t < history.transactions(); t++) {
            hasUnknown |= history.status(t) == TransactionStatus.INDETERMINATE;
        }
        Layout layout = store.layout();
        boolean isTimed =
                layout.hasRealTime() && (!hasUnknown || request.level() == IsolationLevel.LIN || layout.startsAscend());
        return layout.problem().isEmpty()
                && (!request.level().realTime() || isTimed)
                && store.ingest(null).problem().isEmpty()
                && (!request.level().realTime() || store.respectsTime());
    }

    private static WindowStore.Range range(WindowStore store, SplitMix random) {
        int places = (int) store.places();
        int from = random.nextInt(places);
        return new WindowStore.Range(from, random.between(from + 1, places));
    }

    private void judgeSets(WindowStore store, ReadPlan plan, SplitMix random) throws IOException {
        ArrayList<PlaceSet> sets = new ArrayList<>();
        sets.add(PlaceSet.of(List.of(new WindowStore.Range(0, store.places()))));
        for (int i = 0; i < SETS; i++) {
            List<WindowStore.Range> ranges = new ArrayList<>();
            for (int more = random.between(1, 3); more > 0; more--) {
                WindowStore.Range range = range(store, random);
                long size = Math.min(range.size(), random.between(1, 3));
                ranges.add(random.chance(0.3) ? range : new WindowStore.Range(range.from(), range.from() + size));
            }
            sets.add(PlaceSet.of(ranges));
        }
        List<byte[][]> outside = store.perSlice("find writers outside", slice -> new OutsideTask(slice, sets));
        SmallHistory small = new SmallHistory(store);
        EventOrder order = new EventOrder(store);
        for (int i = 0; i < sets.size(); i++) {
            int number = i;
            PlaceSet set = sets.get(i);
            HistoryTable part =
                    small.set(set, outside.stream().map(found -> found[number]).toList());
            Interpreter.Verdict verdict = truth(part);
            boolean refutes = verdict == Interpreter.Verdict.REJECTED;
            String which = "U of " + List.of(set.from()[0], set.to()[0], set.ranges()) + " is " + HistoryDsl.print(part)
                    + " in " + what;
            assertThat(List.of(part.transactions(), part.operations()))
                    .as(which)
                    .isEqualTo(order.sizeOf(set));
            // U(M) has only the first of several reads of a key. At rc these reads may return different values.
            boolean isExact = !request.level().readsAlone() && !contradictsItself;
            if (set == sets.get(0) && isExact) {
                assertThat(refutes).as(which).isEqualTo(!holds);
            }
            if (refutes) {
                count(set.ranges() > 1 ? "sets of several ranges that refute" : "sets of one range that refute");
                assertThat(holds).as(which).isFalse();
            }
            if (verdict != Interpreter.Verdict.INVALID && random.chance(0.1)) {
                count("sets judged by the engine");
                assertThat(Checks.status(part, request) == Verdict.Status.VIOLATION)
                        .as(which)
                        .isEqualTo(refutes);
            }
        }
    }

    private void repair(WindowStore store, SplitMix random) throws IOException {
        boolean isAll = random.chance(0.25);
        WindowStore.Range range = isAll ? new WindowStore.Range(0, store.places()) : range(store, random);
        WindowTask.Extent[] extents = WindowTask.Extent.values();
        boolean isWhole = range.size() == store.places() && random.chance(0.5);
        WindowTask.Extent extent = isWhole ? WindowTask.Extent.WHOLE : extents[random.nextInt(2)];
        EventOrder before = new EventOrder(store);
        EventOrder.Window window = before.new Window(range);
        String which = extent + " R of " + range + " of " + before.labels() + " in " + what;
        boolean isRepaired =
                new WindowRepair(store, List.of(range), extent).run().get(0) == WindowTask.REPAIRED;
        count(isRepaired ? "windows repaired" : "windows without an order");
        if (!isWhole && !window.hasLone() && range.size() <= FEW) {
            count("windows of which all orders are tried");
            assertThat(isRepaired).as(which).isEqualTo(window.hasOrder());
        }
        boolean isExact = !request.terms().guarantee().isOfCommits();
        if (isWhole && isExact && !contradictsItself) {
            assertThat(isRepaired).as(which).isEqualTo(holds);
        }
        if (!isRepaired) {
            return;
        }
        store.deal();
        EventOrder after = new EventOrder(store);
        which += " is now " + after.labels();
        assertMoved(before, after, window, range, which);
        Set<EventOrder.Operation> violated = after.violated();
        List<CheckTask.Result> results = store.check(false);
        assertThat(results.stream()
                        .flatMapToLong(result -> Arrays.stream(result.counts()))
                        .sum())
                .as(which)
                .isEqualTo(violated.size());
        for (EventOrder.Operation operation : violated) {
            assertThat(window.mayBeViolated(operation))
                    .as(operation + " " + which)
                    .isTrue();
        }
        if (isWhole) {
            assertThat(violated).as(which).isEmpty();
        }
        if (violated.isEmpty()
                && results.stream().allMatch(result -> result.inconsistent().isEmpty())) {
            count("orders without a violation");
            assertThat(new StoredOrder(store).replay(false).discrepancy())
                    .as(which)
                    .isEmpty();
            assertThat(holds).as(which).isTrue();
        }
    }

    /** Only members move, those that count are in order, and only unknown outcomes of members changed. */
    private static void assertMoved(
            EventOrder before, EventOrder after, EventOrder.Window window, WindowStore.Range range, String which) {
        Set<EventOrder.Name> counted = new HashSet<>();
        for (int e = 0; e < before.size(); e++) {
            if (before.all.isCounted(e)) {
                counted.add(before.name(e));
            }
            if (e < range.from() || e >= range.to()) {
                assertThat(after.label(e)).as(which).isEqualTo(before.label(e));
            }
        }
        assertThat(after.labels(range)).as(which).isEqualTo(before.labels(range));
        for (int b = 0; b < after.size(); b++) {
            boolean isOpen = after.all.isOptional(b) && window.isMember(after.label(b));
            assertThat(isOpen || after.all.isCounted(b) == counted.contains(after.name(b)))
                    .as(which)
                    .isTrue();
            for (int a = b + 1; after.all.isCounted(b) && a < after.size(); a++) {
                assertThat(after.all.isCounted(a) && after.precedes(a, b))
                        .as(which)
                        .isFalse();
            }
        }
    }

    /** The verdict of the definitions. */
    private Interpreter.Verdict truth(HistoryTable history) {
        Example example = Example.of(history);
        boolean maybe = request.indeterminate() == IndeterminateMode.MAYBE;
        Boolean holds = example.definitions(request.level()).vacuous()
                ? null
                : example.holds(request.level(), request.clockSkewNanos(), maybe);
        return holds == null
                ? Interpreter.Verdict.INVALID
                : holds ? Interpreter.Verdict.ACCEPTED : Interpreter.Verdict.REJECTED;
    }
}
