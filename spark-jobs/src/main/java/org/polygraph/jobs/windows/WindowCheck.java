package org.polygraph.jobs.windows;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.jobs.decision.PhaseClock;
import org.polygraph.jobs.verdict.Counts;
import org.polygraph.jobs.verdict.WindowCounts;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.format.pieces.ReadPlan;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/**
 * Decides SER by windows that workers repair: first windows of two cells with the reads left out that a window cannot explain, shifted by
 * a cell in every other pass; then strictly; then ranges of cells around the reads that are violated still, which grow. A range of
 * all cells is the history itself, so this ends unless a range does not fit into the memory of a worker.
 */
public final class WindowCheck {
    private static final int PASSES = 4;
    private static final int FIRST_STRICT = 2;
    /** Windows without an order that are judged alone in one pass. */
    private static final int MOST_ALONE = 8;
    /** Violated reads that are looked at in one round. */
    private static final int MOST_READS = 256;

    private final Workers workers;
    private final ReadPlan plan;
    private final WindowSettings settings;
    private final Terms terms;
    private final Judge judge;
    private final PhaseClock phases;
    private Counts counts = Counts.NONE;
    private byte[] initialValue = {BlockWriter.NULL};
    private boolean isUnique = true;
    private long order;
    private long decided;
    private long grown;
    private long largest;
    private String open = "";

    /** Judges small histories by the embedded engine. */
    @FunctionalInterface
    public interface Judge {
        /** Whether a history violates the level; the judge keeps the evidence. */
        boolean violates(HistoryTable part);
    }

    /** How a check ends. */
    public enum Outcome {
        /** An order explains the history, and its replay agrees. */
        ORDERED,
        /** The judge found a part that violates the level. */
        VIOLATED,
        /** Nothing; {@link #reason} says why. */
        OPEN
    }

    /**
     * A check at SER.
     *
     * @param plan of a history in JSON Lines or Parquet
     * @param terms of SER
     */
    public WindowCheck(
            Workers workers, ReadPlan plan, WindowSettings settings, Terms terms, Judge judge, PhaseClock phases) {
        this.workers = workers;
        this.plan = plan;
        this.settings = settings;
        this.terms = terms;
        this.judge = judge;
        this.phases = phases;
    }

    /** The numbers of transactions and operations, once it has run. */
    public Counts counts() {
        return counts;
    }

    /** Whether no value of a key was written twice, once it has run. */
    public boolean hasUniqueValues() {
        return isUnique;
    }

    /** The value of a key before the first transaction, once it has run: a Long, a String or null. */
    public @Nullable Object initialValue() {
        ValueDictionary values = new ValueDictionary();
        long code = new BlockReader(initialValue).value(values);
        return values.isNull(code) ? null : values.isInteger(code) ? (Object) values.integer(code) : values.text(code);
    }

    /** A hash of the order that was found, the same for the same order. */
    public long order() {
        return order;
    }

    /** What windows decided. */
    public WindowCounts windows() {
        return new WindowCounts(settings.window(), decided, grown, largest, open);
    }

    /** Why the outcome is open; else empty. */
    public String reason() {
        return open;
    }

    private Outcome open(String reason) {
        open = reason;
        return Outcome.OPEN;
    }

    /**
     * Decides the history.
     *
     * @param usesTimes whether times may be used to choose the order that is tried first
     * @param findsLoaders whether transactions that load initial rows precede all others
     * @throws IOException if the input or a scratch file cannot be reached
     * @throws org.polygraph.storage.model.BudgetException if the budget ended
     */
    public Outcome run(boolean usesTimes, boolean findsLoaders) throws IOException {
        phases.begin("read");
        WindowStore store = new WindowStore(workers, plan, usesTimes, settings, terms);
        Layout layout = store.layout();
        long[] byStatus = layout.byStatus();
        if (!layout.problem().isEmpty()) {
            return open(layout.problem());
        }
        if (findsLoaders && !layout.loader().isEmpty()) {
            return open(layout.loader());
        }
        initialValue = layout.initialValue();
        if (byStatus[TransactionStatus.COMMITTED.code()] == 0) {
            return open("no transaction committed");
        }
        store.ingest(plan, usesTimes);
        phases.end(store.transactions());
        phases.begin("windows");
        store.deal();
        if (byStatus[TransactionStatus.INDETERMINATE.code()] > 0) {
            store.countUnknown();
        }
        List<CheckTask.Result> results = store.check(true);
        isUnique = results.stream().allMatch(CheckTask.Result::isUnique);
        counts = new Counts(
                layout.labels().length,
                byStatus[TransactionStatus.COMMITTED.code()],
                byStatus[TransactionStatus.ABORTED.code()],
                byStatus[TransactionStatus.INDETERMINATE.code()],
                layout.reads(),
                layout.writes(),
                results.stream().mapToLong(CheckTask.Result::keys).sum());
        Outcome outcome = repair(store, results);
        phases.end(decided);
        if (outcome == Outcome.ORDERED) {
            phases.begin("replay");
            String wrong = store.replay();
            if (!wrong.isEmpty()) {
                throw new IllegalStateException("the order found does not explain the history: " + wrong);
            }
            phases.end(store.operations());
            order = store.order();
        }
        return outcome;
    }

    private Outcome repair(WindowStore store, List<CheckTask.Result> first) throws IOException {
        List<CheckTask.Result> results = first;
        SmallHistory small = new SmallHistory(plan, store);
        for (int round = 0; ; round++) {
            for (CheckTask.Result result : results) {
                for (CheckTask.Read read : result.inconsistent()) {
                    TreeSet<Long> reader = new TreeSet<>(List.of(read.place()));
                    return isCommitted(store, read.place()) && judge.violates(small.ofKey(reader, read))
                            ? Outcome.VIOLATED
                            : open("a transaction of unknown outcome contradicts itself");
                }
            }
            long[] violated = violated(store, results);
            List<WindowStore.Range> windows;
            if (round < PASSES) {
                windows = windows(violated, round % 2);
            } else {
                List<CheckTask.Read> reads = results.stream()
                        .flatMap(result -> result.named().stream())
                        .sorted(Comparator.comparingLong(CheckTask.Read::place))
                        .limit(MOST_READS)
                        .toList();
                List<SourceTask.Sources> sources = SourceTask.Sources.of(
                        store.perSlice("find writers", slice -> new SourceTask(slice, reads)), reads.size());
                if (hasImpossible(store, small, reads, sources)) {
                    return Outcome.VIOLATED;
                }
                windows = ranges(store, reads, sources, 1L << Math.min(round - PASSES, 30));
            }
            if (windows.isEmpty()) {
                return Outcome.ORDERED;
            }
            boolean isWhole = windows.get(0).to() - windows.get(0).from() == store.cellCount();
            List<Integer> outcomes = store.repair(windows, round >= FIRST_STRICT || isWhole);
            decided += windows.size();
            Outcome outcome = judge(store, small, windows, outcomes, round >= PASSES);
            if (outcome != Outcome.ORDERED) {
                return outcome;
            }
            store.deal();
            results = store.check(false);
        }
    }

    /** Judges windows without an order alone. @return ORDERED if none violates the level, and others may follow */
    private Outcome judge(
            WindowStore store,
            SmallHistory small,
            List<WindowStore.Range> windows,
            List<Integer> outcomes,
            boolean isGrowth)
            throws IOException {
        int alone = 0;
        for (int w = 0; w < windows.size(); w++) {
            WindowStore.Range window = windows.get(w);
            long size = store.firsts()[window.to()] - store.firsts()[window.from()];
            if (isGrowth) {
                grown++;
                largest = Math.max(largest, size);
            }
            if (outcomes.get(w) == WindowTask.FAILED && alone++ < MOST_ALONE) {
                List<byte[]> outside = store.perSlice(
                        "find writers outside",
                        slice -> new OutsideTask(slice, store.firsts()[window.from()], store.firsts()[window.to()]));
                if (judge.violates(small.window(window, outside))) {
                    return Outcome.VIOLATED;
                }
                if (size == store.transactions()) {
                    return open("windows found no order, and no part that violates the level");
                }
            }
            if ((isGrowth || size == store.transactions()) && outcomes.get(w) == WindowTask.TOO_LARGE) {
                return open("a set of " + size
                        + " transactions has to be decided at once, which took more than a worker's memory");
            }
        }
        return Outcome.ORDERED;
    }

    private static long[] violated(WindowStore store, List<CheckTask.Result> results) {
        long[] violated = new long[store.cellCount()];
        for (CheckTask.Result result : results) {
            for (int c = 0; c < violated.length; c++) {
                violated[c] += result.violated()[c];
            }
        }
        return violated;
    }

    /** Windows of two cells with violated reads. */
    private static List<WindowStore.Range> windows(long[] violated, int shift) {
        List<WindowStore.Range> windows = new ArrayList<>();
        for (int c = -shift; c < violated.length; c += 2) {
            int from = Math.max(0, c);
            int to = Math.min(violated.length, c + 2);
            long sum = 0;
            for (int i = from; i < to; i++) {
                sum += violated[i];
            }
            if (sum > 0) {
                windows.add(new WindowStore.Range(from, to));
            }
        }
        return windows;
    }

    /** Ranges of cells with a read and its possible writers, and so many cells on both sides. */
    private static List<WindowStore.Range> ranges(
            WindowStore store, List<CheckTask.Read> reads, List<SourceTask.Sources> sources, long margin) {
        List<WindowStore.Range> ranges = new ArrayList<>();
        for (int i = 0; i < reads.size(); i++) {
            int from = store.cellOf(reads.get(i).place());
            int to = from;
            for (long place : sources.get(i).possible()) {
                from = Math.min(from, store.cellOf(place));
                to = Math.max(to, store.cellOf(place));
            }
            ranges.add(new WindowStore.Range(
                    (int) Math.max(0, from - margin), (int) Math.min(store.cellCount(), to + 1 + margin)));
        }
        ranges.sort(Comparator.comparingInt(WindowStore.Range::from));
        List<WindowStore.Range> merged = new ArrayList<>();
        for (WindowStore.Range range : ranges) {
            int last = merged.size() - 1;
            if (last >= 0 && range.from() <= merged.get(last).to()) {
                merged.set(
                        last,
                        new WindowStore.Range(
                                merged.get(last).from(),
                                Math.max(range.to(), merged.get(last).to())));
            } else {
                merged.add(range);
            }
        }
        return merged;
    }

    /** Whether a committed transaction read what no transaction that may count left. */
    private boolean hasImpossible(
            WindowStore store, SmallHistory small, List<CheckTask.Read> reads, List<SourceTask.Sources> sources)
            throws IOException {
        for (int i = 0; i < reads.size(); i++) {
            CheckTask.Read read = reads.get(i);
            TreeSet<Long> places = new TreeSet<>(sources.get(i).others());
            boolean isPossible = sources.get(i).possible().longStream().anyMatch(place -> place != read.place());
            places.add(read.place());
            if (!isPossible && isCommitted(store, read.place()) && judge.violates(small.ofKey(places, read))) {
                return true;
            }
        }
        return false;
    }

    private static boolean isCommitted(WindowStore store, long place) throws IOException {
        int c = store.cellOf(place);
        Cell cell = store.cells(c, c + 1).read(c);
        return cell.status((int) (place - store.firsts()[c])) == TransactionStatus.COMMITTED;
    }
}
