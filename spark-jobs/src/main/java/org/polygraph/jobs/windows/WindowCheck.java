package org.polygraph.jobs.windows;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Guarantee;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.jobs.decision.Checkpoints;
import org.polygraph.jobs.decision.PhaseClock;
import org.polygraph.jobs.verdict.Counts;
import org.polygraph.jobs.verdict.WindowCounts;
import org.polygraph.storage.artifact.ArrayFile;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.format.pieces.ReadPlan;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/**
 * Decides a level by windows that workers repair. While few operations are violated, there is a small window around
 * each of them, which grows from round to round. While many are violated, a window is two cells, and windows are
 * shifted by one cell in every other round. Transactions that are far from where they are explained are moved first.
 * Reads that a window cannot explain are left out. The largest window is the history itself, so the rounds end unless a
 * window does not fit in the memory of a worker.
 */
public final class WindowCheck {
    /** From this round on, all windows are those around violated operations, and may be longer than two cells. */
    private static final int FIRST_LATE_ROUND = 4;
    /** How often {@link Relocation} runs. */
    private static final int MOST_MOVES = 16;
    /** The most windows without an order that are judged alone after one repair. */
    private static final int MOST_ALONE = 8;
    /**
     * On both sides of a transaction, a range of a set has the places of a window divided by this number at first, and
     * by {@link #LEAST_MARGINS_OF_SET} at last: where there are many keys, few neighbours depend on each other.
     */
    private static final long MARGINS_OF_SET = 32;

    private static final long LEAST_MARGINS_OF_SET = 2;
    /**
     * The number of events on each side of a violated read and its writers, at first. It is multiplied by {@link #GROWTH}
     * in each round with such windows.
     */
    private static final long LEAST_MARGIN = 64;
    /**
     * The same where a transaction has two events: a repair moves them apart, and a transaction with one event outside
     * of the window stays where it is.
     */
    private static final long LEAST_MARGIN_OF_TWO = 256;

    private static final int GROWTH = 4;

    /**
     * The {@link #reason} if the input cannot be read, or not be judged at the level: reading it as a whole gives the
     * message.
     */
    public static final String UNREADABLE = Survey.UNREADABLE;

    /** The name of the checkpoint. */
    private static final String CHECKPOINT = "windows";

    private static final String STATE = "state";

    private final Workers workers;
    private final LongFunction<Checkpoints> checkpoints;
    private final ReadPlan plan;
    private final WindowSettings settings;
    private final Terms terms;
    private final Judge judge;
    private final PhaseClock phases;
    private Counts counts = Counts.NONE;
    private long keys;
    private int round;
    /** How often {@link Relocation} ran. */
    private int moves;
    /** How many operations were violated when it ran last; it does not run again before there are fewer. */
    private long violatedBefore = Long.MAX_VALUE;

    private long margin;
    /** Whether the window of the last round was the whole history. */
    private boolean isWholeRepaired;

    private byte[] initialValue = {BlockWriter.NULL};
    private boolean isUnique = true;
    private long order;
    private long decided;
    private long grown;
    private long largest;
    private @Nullable WindowStore store;
    private String open = "";

    /** Judges small histories by the embedded engine. */
    @FunctionalInterface
    public interface Judge {
        /** Whether a history violates the level; the judge keeps the evidence. */
        boolean violates(HistoryTable subHistory);
    }

    /** How a check ends. */
    public enum Ending {
        /** An order explains the history, and its replay agrees. */
        ORDERED,
        /** The judge found a sub-history that violates the level. */
        VIOLATED,
        /** Nothing is decided, for the {@link #reason}. */
        OPEN
    }

    /**
     * A check.
     *
     * @param plan of a history in JSON Lines or Parquet
     * @param terms of the level
     * @param checkpoints of a history with so many operations; used if the workers may keep scratch files
     */
    public WindowCheck(
            Workers workers,
            ReadPlan plan,
            WindowSettings settings,
            Terms terms,
            Judge judge,
            PhaseClock phases,
            LongFunction<Checkpoints> checkpoints) {
        this.workers = workers;
        this.checkpoints = workers.mayKeep() ? checkpoints : operations -> Checkpoints.NONE;
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

    /** The number of transactions that real time does not bound, once it has run. */
    public long unbound() {
        return Objects.requireNonNull(store, "an input that was read")
                .layout()
                .times()
                .unbound();
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

    /**
     * Writes the order as a certificate, after {@link Ending#ORDERED}.
     *
     * @param run the folder of the run, which all workers see
     * @param input fingerprint of the bytes of the history
     * @param tool version of this program
     * @return the path within the run
     */
    public String certificate(Location run, String input, String tool) throws IOException {
        WindowStore found = store;
        if (found == null) {
            throw new IllegalStateException("there is no order");
        }
        phases.begin("certificate");
        String path = new StoredOrder(found).certificate(run, input, tool);
        phases.end(counts.transactionsCommitted() + counts.transactionsAborted() + counts.transactionsIndeterminate());
        return path;
    }

    /**
     * Returns a sub-history that the judge was given with its lists as they were recorded, after {@link Ending#VIOLATED}; null if it has
     * none.
     *
     * @throws IOException if the input cannot be read again
     */
    public @Nullable HistoryTable withLists(HistoryTable subHistory) throws IOException {
        WindowStore found = Objects.requireNonNull(store, "an input that was read");
        return found.layout().hasLists() ? RecordedLists.of(found, plan, subHistory) : null;
    }

    /** What windows decided. */
    public WindowCounts windows() {
        return new WindowCounts(settings.window(), decided, grown, largest, open);
    }

    /** Why nothing is decided; empty if something is. */
    public String reason() {
        return open;
    }

    private Ending open(String reason) {
        open = reason;
        return Ending.OPEN;
    }

    /**
     * Decides the history.
     *
     * @param usesTimes whether times may be used to choose the order that is tried first
     * @param findsLoaders whether transactions that load initial rows precede all others
     * @throws IOException if the input or a scratch file cannot be reached
     * @throws org.polygraph.storage.model.BudgetException if the budget ended
     */
    public Ending run(boolean usesTimes, boolean findsLoaders) throws IOException {
        WindowStore restored = restored();
        if (restored == null) {
            phases.begin("read");
        }
        boolean ordersByTime = usesTimes || terms.guarantee().realTime();
        WindowStore store = restored == null ? WindowStore.of(workers, plan, ordersByTime, settings, terms) : restored;
        this.store = store;
        Layout layout = store.layout();
        long[] byStatus = layout.byStatus();
        if (!layout.problem().isEmpty()) {
            return open(layout.problem());
        }
        if (terms.guarantee().realTime() && !layout.hasRealTime()) {
            return open(UNREADABLE);
        }
        if (terms.guarantee().realTime()
                && terms.guarantee() != Guarantee.LIN
                && byStatus[TransactionStatus.INDETERMINATE.code()] > 0
                && !layout.startsAscend()) {
            return open("starts contradict the order of a session");
        }
        if (layout.hasLists() && terms.guarantee().isAxiom()) {
            return open(
                    terms.guarantee() == Guarantee.LIN
                            ? UNREADABLE
                            : "it has lists, which windows decide at ser, si, sser and ssi only");
        }
        initialValue = layout.initialValue();
        if (byStatus[TransactionStatus.COMMITTED.code()] == 0) {
            return open(UNREADABLE);
        }
        if (restored == null) {
            Ingested.Input input = store.ingest();
            if (!input.problem().isEmpty()) {
                return open(input.problem());
            }
            String loader = findsLoaders ? layout.loader(input) : "";
            if (!loader.isEmpty()) {
                return open(loader);
            }
            phases.end(Arrays.stream(byStatus).sum());
        }
        if (terms.guarantee().realTime() && !store.respectsTime()) {
            return open("the first order does not respect real time");
        }
        phases.begin("windows");
        if (restored == null) {
            if (byStatus[TransactionStatus.INDETERMINATE.code()] > 0) {
                store.countUnknown();
            }
            keep(store);
        }
        boolean isFirst = round == 0;
        List<CheckTask.Result> results = store.check(isFirst);
        if (isFirst) {
            isUnique = results.stream().allMatch(CheckTask.Result::isUnique);
            keys = results.stream().mapToLong(CheckTask.Result::keys).sum();
        }
        counts = new Counts(
                layout.labels().length,
                byStatus[TransactionStatus.COMMITTED.code()],
                byStatus[TransactionStatus.ABORTED.code()],
                byStatus[TransactionStatus.INDETERMINATE.code()],
                store.reads(),
                store.writes(),
                keys);
        Ending ending = repair(store, results);
        phases.end(decided);
        if (ending == Ending.ORDERED) {
            phases.begin("replay");
            StoredOrder placed = new StoredOrder(store);
            String wrong = placed.replay();
            if (!wrong.isEmpty() && byStatus[TransactionStatus.INDETERMINATE.code()] > 0) {
                // Windows that were repaired before a transaction counted did not keep it in order with others.
                return open("the order with transactions of unknown outcome is wrong: " + wrong);
            }
            if (!wrong.isEmpty()) {
                throw new IllegalStateException("the order found does not explain the history: " + wrong);
            }
            phases.end(store.operations());
            order = placed.order();
        }
        return ending;
    }

    /** Returns the state that an earlier process kept; null if there is none that can be used. */
    private @Nullable WindowStore restored() throws IOException {
        return checkpoints.apply(Long.MAX_VALUE).restored(CHECKPOINT, this::restored);
    }

    private WindowStore restored(ArrayFile file) throws IOException {
        BlockReader from = new BlockReader(file.bytes(STATE));
        WindowStore found = WindowStore.restored(workers, plan, settings, terms, from);
        phases.restore(file);
        round = from.count();
        moves = from.count();
        violatedBefore = from.unsigned();
        margin = from.unsigned();
        isWholeRepaired = from.unsigned() == 1;
        decided = from.unsigned();
        grown = from.unsigned();
        largest = from.unsigned();
        isUnique = from.unsigned() == 1;
        keys = from.unsigned();
        workers.keep(true);
        return found;
    }

    /** Keeps the state for a later process, and deletes the scratch files that were replaced. */
    private void keep(WindowStore store) throws IOException {
        Checkpoints kept = checkpoints.apply(store.operations());
        if (kept.keeps() && store.isSmallEnoughToSave()) {
            BlockWriter to = new BlockWriter();
            store.saveTo(to);
            to.unsigned(round)
                    .unsigned(moves)
                    .unsigned(violatedBefore)
                    .unsigned(margin)
                    .unsigned(isWholeRepaired ? 1 : 0);
            to.unsigned(decided).unsigned(grown).unsigned(largest);
            to.unsigned(isUnique ? 1 : 0).unsigned(keys);
            ArrayFile file = new ArrayFile().put(STATE, to.toBytes());
            phases.saveTo(file);
            kept.keep(CHECKPOINT, file);
            workers.keep(true);
        }
        store.sweep();
    }

    private Ending repair(WindowStore store, List<CheckTask.Result> first) throws IOException {
        List<CheckTask.Result> results = first;
        SmallHistory small = new SmallHistory(plan, store);
        long least = store.events() == 1 ? LEAST_MARGIN : LEAST_MARGIN_OF_TWO;
        if (margin == 0) {
            margin = Math.max(1, Math.min(least, (long) store.events() * settings.window() / 2));
        }
        long far = (long) store.events() * settings.window();
        while (true) {
            for (CheckTask.Result result : results) {
                for (CheckTask.Read read : result.inconsistent()) {
                    if (terms.guarantee() == Guarantee.RC) {
                        return open("a transaction read two values of a key, which the level may allow");
                    }
                    return store.isCommitted(read.place()) && judge.violates(small.ofContradiction(read))
                            ? Ending.VIOLATED
                            : open("a transaction of unknown outcome contradicts itself");
                }
            }
            long[] violated = CheckTask.Result.violated(results, store.cellCount());
            long sum = Arrays.stream(violated).sum();
            if (sum == 0) {
                return Ending.ORDERED;
            }
            if (isWholeRepaired) {
                throw new IllegalStateException("a repaired history has " + sum + " violated operations");
            }
            boolean isLate = round >= FIRST_LATE_ROUND;
            RoundWindows around = new RoundWindows(List.of(), violated);
            if (isLate
                    || results.stream().mapToLong(CheckTask.Result::namedCount).sum() == sum) {
                List<SourceTask.Sources[]> sources = sources(store, results);
                if (isImpossible(store, small, results, sources)) {
                    return Ending.VIOLATED;
                }
                if (moves < MOST_MOVES && sum < violatedBefore) {
                    moves++;
                    violatedBefore = sum;
                    Relocation relocation = new Relocation(store);
                    if (relocation.run(results, sources, far)) {
                        keep(store);
                        results = store.check(false);
                        continue;
                    }
                    // If real time is part of the level, the smallest margin suffices: it has the reader and the
                    // transactions that wrote and replaced what it read.
                    long last = terms.guarantee().realTime() ? MARGINS_OF_SET : LEAST_MARGINS_OF_SET;
                    for (long divisor = MARGINS_OF_SET; divisor >= last; divisor /= GROWTH) {
                        if (violates(store, small, relocation.sets(Math.max(1, far / divisor)))) {
                            return Ending.VIOLATED;
                        }
                    }
                }
                around = RoundWindows.around(store, results, sources, margin, isLate ? store.places() : far);
            }
            List<WindowStore.Range> windows = around.windows();
            boolean isSmall = !windows.isEmpty();
            if (isSmall) {
                isLate |= margin > least;
                margin = Math.min(GROWTH * margin, store.places());
            } else {
                windows = RoundWindows.ofCells(store.firsts(), violated, round % 2);
            }
            boolean isWhole = windows.get(0).size() == store.places();
            WindowTask.Extent extent =
                    isWhole ? WindowTask.Extent.WHOLE : isSmall ? WindowTask.Extent.AROUND : WindowTask.Extent.CELLS;
            List<Integer> outcomes = new WindowRepair(store, windows, extent).run();
            Ending ending = judge(store, small, windows, outcomes, isLate);
            boolean isRepaired = outcomes.contains(WindowTask.REPAIRED);
            if (isSmall && ending == Ending.ORDERED) {
                windows = RoundWindows.ofOtherCells(store.firsts(), around.left(), round % 2, windows);
                outcomes = new WindowRepair(store, windows, WindowTask.Extent.CELLS).run();
                ending = judge(store, small, windows, outcomes, false);
                isRepaired |= outcomes.contains(WindowTask.REPAIRED);
            }
            if (ending != Ending.ORDERED) {
                return ending;
            }
            round++;
            if (isRepaired) {
                isWholeRepaired = isWhole;
                store.deal();
                keep(store);
                results = store.check(false);
            }
        }
    }

    /**
     * Judges each window that has no order as a history of its own.
     *
     * @return ORDERED if none violates the level: the rounds go on
     */
    private Ending judge(
            WindowStore store,
            SmallHistory small,
            List<WindowStore.Range> windows,
            List<Integer> outcomes,
            boolean isGrowth)
            throws IOException {
        List<PlaceSet> alone = new ArrayList<>();
        boolean isWholeAlone = false;
        for (int w = 0; w < windows.size(); w++) {
            WindowStore.Range window = windows.get(w);
            if (outcomes.get(w) == WindowTask.DEFERRED) {
                continue;
            }
            decided++;
            boolean isWhole = window.size() == store.places();
            long transactions = window.size() / store.events();
            if (isGrowth) {
                grown++;
                largest = Math.max(largest, transactions);
            }
            if (outcomes.get(w) == WindowTask.FAILED && alone.size() < MOST_ALONE) {
                alone.add(PlaceSet.of(List.of(window)));
                isWholeAlone |= isWhole;
            }
            if ((isGrowth || isWhole) && outcomes.get(w) == WindowTask.TOO_LARGE) {
                return open("a set of " + transactions
                        + " transactions has to be decided at once, which took more than a worker's memory");
            }
        }
        if (violates(store, small, alone)) {
            return Ending.VIOLATED;
        }
        return isWholeAlone
                ? open("windows found no order, and no sub-history that violates the level")
                : Ending.ORDERED;
    }

    /** Whether some set of transactions violates the level alone. */
    private boolean violates(WindowStore store, SmallHistory small, List<PlaceSet> sets) throws IOException {
        if (sets.isEmpty()) {
            return false;
        }
        List<byte[][]> outside =
                store.perSlice("find writers outside", slice -> new OutsideTask(slice, new ArrayList<>(sets)));
        for (int i = 0; i < sets.size(); i++) {
            int set = i;
            if (judge.violates(small.set(
                    sets.get(i), outside.stream().map(found -> found[set]).toList()))) {
                return true;
            }
        }
        return false;
    }

    /** By slice: the writers of the values that its named reads returned. */
    private List<SourceTask.Sources[]> sources(WindowStore store, List<CheckTask.Result> results) throws IOException {
        return store.perSlice(
                "find writers",
                slice -> new SourceTask(slice, results.get(slice.number()).named(), initialValue));
    }

    /** Whether a committed transaction read a value that no transaction that may count left. */
    private boolean isImpossible(
            WindowStore store, SmallHistory small, List<CheckTask.Result> results, List<SourceTask.Sources[]> sources)
            throws IOException {
        for (int s = 0; s < sources.size(); s++) {
            for (int i = 0; i < sources.get(s).length; i++) {
                if (isImpossible(store, small, results.get(s).named().get(i), sources.get(s)[i])) {
                    return true;
                }
            }
        }
        return false;
    }

    private boolean isImpossible(WindowStore store, SmallHistory small, CheckTask.Read read, SourceTask.Sources sources)
            throws IOException {
        if (read.returned(initialValue) || sources.possible().longStream().anyMatch(place -> place != read.place())) {
            return false;
        }
        TreeSet<Long> places = new TreeSet<>(sources.others());
        places.add(read.place());
        return store.isCommitted(read.place()) && judge.violates(small.ofKey(places, read));
    }
}
