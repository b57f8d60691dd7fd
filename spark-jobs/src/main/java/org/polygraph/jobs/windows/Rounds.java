package org.polygraph.jobs.windows;

import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Guarantee;
import org.polygraph.jobs.verdict.WindowCounts;

/**
 * Repairs an order by windows, round by round. While few operations are violated, there is a small window around each of
 * them, which grows from round to round. While many are violated, a window is two cells, and windows are shifted by one
 * cell in every other round. Transactions that are far from where they are explained are moved first. Reads that a window
 * cannot explain are left out. The largest window is the history itself, so the rounds end unless a window does not fit
 * in the memory of a worker.
 */
final class Rounds implements Serializable {
    private static final long serialVersionUID = 1L;
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

    private final WindowStore store;
    private transient SmallHistory small;
    private final Guarantee guarantee;
    private transient WindowCheck.Judge judge;
    private transient Keeper keeper;
    /** The margin of the first round with windows around violated operations. */
    private final long least;
    /** The events of a window. */
    private final long far;

    private int number;
    /** How often {@link Relocation} ran. */
    private int moves;
    /** How many operations were violated when it ran last; it does not run again before there are fewer. */
    private long violatedBefore = Long.MAX_VALUE;

    /** The fewest violated operations after a round. */
    private long fewest = Long.MAX_VALUE;

    private long margin;
    /** Whether the window of the last round was the whole history. */
    private boolean isWholeRepaired;

    private long decided;
    private long grown;
    private long largest;
    /** Whether a window of this round was repaired. */
    private boolean isRepaired;

    private String open = "";

    /** Keeps the state for a later process. */
    @FunctionalInterface
    interface Keeper {
        void keep(Rounds rounds) throws IOException;
    }

    Rounds(WindowStore store, WindowSettings settings, WindowCheck.Judge judge, Keeper keeper) {
        this.store = store;
        this.small = new SmallHistory(store);
        this.judge = judge;
        this.keeper = keeper;
        this.guarantee = store.terms().guarantee();
        this.least = store.events() == 1 ? LEAST_MARGIN : LEAST_MARGIN_OF_TWO;
        this.far = (long) store.events() * settings.window();
        this.margin = Math.max(1, Math.min(least, far / 2));
    }

    /** Continues the rounds of an earlier process, whose store continues too. */
    void resume(WindowCheck.Judge next, Keeper keeping) {
        small = new SmallHistory(store);
        judge = next;
        keeper = keeping;
    }

    WindowStore store() {
        return store;
    }

    boolean isFirst() {
        return number == 0;
    }

    /** How many windows were decided. */
    long decided() {
        return decided;
    }

    /** @param why windows do not decide the history; empty if they do */
    WindowCounts counts(String why) {
        return new WindowCounts((int) (far / store.events()), decided, grown, largest, why);
    }

    /** Why nothing is decided; empty if something is. */
    String open() {
        return open;
    }

    private WindowCheck.Ending open(String reason) {
        open = reason;
        return WindowCheck.Ending.OPEN;
    }

    private boolean isLate() {
        return number >= FIRST_LATE_ROUND;
    }

    /** @param first what the check of the present order found */
    WindowCheck.Ending run(List<CheckTask.Result> first) throws IOException {
        List<CheckTask.Result> results = first;
        while (true) {
            for (CheckTask.Result result : results) {
                if (!result.inconsistent().isEmpty()) {
                    return contradicted(result.inconsistent().get(0));
                }
            }
            long[] violated = CheckTask.Result.violated(results, store.cellCount());
            long sum = Arrays.stream(violated).sum();
            if (sum == 0) {
                return WindowCheck.Ending.ORDERED;
            }
            if (sum >= fewest) {
                // The round before made no progress, so windows grow at once.
                number = Math.max(number, FIRST_LATE_ROUND);
            }
            fewest = Math.min(fewest, sum);
            if (isWholeRepaired) {
                throw new IllegalStateException("a repaired history has " + sum + " violated operations");
            }
            boolean areNamed =
                    results.stream().mapToLong(CheckTask.Result::namedCount).sum() == sum;
            List<SourceTask.Sources[]> sources = isLate() || areNamed ? sources(results) : null;
            if (sources != null) {
                if (isImpossible(results, sources)) {
                    return WindowCheck.Ending.VIOLATED;
                }
                if (moves < MOST_MOVES && sum < violatedBefore) {
                    moves++;
                    violatedBefore = sum;
                    Relocation relocation = new Relocation(store);
                    if (relocation.run(results, sources, far)) {
                        keeper.keep(this);
                        results = store.check(false);
                        continue;
                    }
                    if (violates(relocation)) {
                        return WindowCheck.Ending.VIOLATED;
                    }
                }
            }
            isRepaired = false;
            WindowCheck.Ending ending = repair(results, violated, sources);
            if (ending != WindowCheck.Ending.ORDERED) {
                return ending;
            }
            number++;
            if (isRepaired) {
                store.deal();
                keeper.keep(this);
                results = store.check(false);
            }
        }
    }

    /** @param read of a transaction that read or wrote another value before */
    private WindowCheck.Ending contradicted(CheckTask.Read read) throws IOException {
        if (guarantee.readsAlone()) {
            return open("a transaction read two values of a key, which the level may allow");
        }
        return store.isCommitted(read.place()) && judge.violates(small.ofContradiction(read))
                ? WindowCheck.Ending.VIOLATED
                : open("a transaction of unknown outcome contradicts itself");
    }

    /** Whether transactions that depend on each other, and are far apart, violate the level. */
    private boolean violates(Relocation relocation) throws IOException {
        // If real time is part of the level, the smallest margin suffices: it has the reader and the transactions that
        // wrote and replaced what it read.
        long last = guarantee.realTime() ? MARGINS_OF_SET : LEAST_MARGINS_OF_SET;
        for (long divisor = MARGINS_OF_SET; divisor >= last; divisor /= GROWTH) {
            if (violates(relocation.sets(Math.max(1, far / divisor)))) {
                return true;
            }
        }
        return false;
    }

    /**
     * Repairs the windows of one round.
     *
     * @param sources null if they are not known, because too many operations are violated
     * @return ORDERED if no window decides the history: the rounds go on
     */
    private WindowCheck.Ending repair(
            List<CheckTask.Result> results, long[] violated, @Nullable List<SourceTask.Sources[]> sources)
            throws IOException {
        int shift = number % 2;
        RoundWindows around = sources == null
                ? new RoundWindows(List.of(), violated)
                : RoundWindows.around(store, results, sources, margin, isLate() ? store.places() : far);
        if (around.windows().isEmpty()) {
            return repair(RoundWindows.ofCells(store.firsts(), violated, shift), WindowTask.Extent.CELLS, isLate());
        }
        boolean isGrowth = isLate() || margin > least;
        margin = Math.min(GROWTH * margin, store.places());
        WindowCheck.Ending ending = repair(around.windows(), WindowTask.Extent.AROUND, isGrowth);
        return ending == WindowCheck.Ending.ORDERED
                ? repair(
                        RoundWindows.ofOtherCells(store.firsts(), around.left(), shift, around.windows()),
                        WindowTask.Extent.CELLS,
                        false)
                : ending;
    }

    private WindowCheck.Ending repair(List<WindowStore.Range> windows, WindowTask.Extent extent, boolean isGrowth)
            throws IOException {
        boolean isWhole = !windows.isEmpty() && windows.get(0).size() == store.places();
        List<Integer> outcomes = new WindowRepair(store, windows, isWhole ? WindowTask.Extent.WHOLE : extent).run();
        if (outcomes.contains(WindowTask.REPAIRED)) {
            isRepaired = true;
            isWholeRepaired = isWhole;
        }
        return judge(windows, outcomes, isGrowth);
    }

    /**
     * Judges each window that has no order as a history of its own.
     *
     * @return ORDERED if none violates the level: the rounds go on
     */
    private WindowCheck.Ending judge(List<WindowStore.Range> windows, List<Integer> outcomes, boolean isGrowth)
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
                        + " transactions has to be decided at once, which took more than a worker's memory, or long");
            }
        }
        if (violates(alone)) {
            return WindowCheck.Ending.VIOLATED;
        }
        return isWholeAlone
                ? open("windows found no order, and no sub-history that violates the level")
                : WindowCheck.Ending.ORDERED;
    }

    /** Whether some set of transactions violates the level alone. */
    private boolean violates(List<PlaceSet> sets) throws IOException {
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
    private List<SourceTask.Sources[]> sources(List<CheckTask.Result> results) throws IOException {
        return store.perSlice(
                "find writers",
                slice -> new SourceTask(slice, results.get(slice.number()).named()));
    }

    /** Whether a committed transaction read a value that no transaction that may count left. */
    private boolean isImpossible(List<CheckTask.Result> results, List<SourceTask.Sources[]> sources)
            throws IOException {
        for (int s = 0; s < sources.size(); s++) {
            for (int i = 0; i < sources.get(s).length; i++) {
                if (isImpossible(results.get(s).named().get(i), sources.get(s)[i])) {
                    return true;
                }
            }
        }
        return false;
    }

    private boolean isImpossible(CheckTask.Read read, SourceTask.Sources sources) throws IOException {
        if (sources.isInitial() || sources.possible().longStream().anyMatch(place -> place != read.place())) {
            return false;
        }
        TreeSet<Long> places = new TreeSet<>(sources.others());
        places.add(read.place());
        return store.isCommitted(read.place()) && judge.violates(small.ofKey(places, read));
    }
}
