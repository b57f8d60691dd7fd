package org.polygraph.jobs.decision;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntOpenHashSet;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.jobs.verdict.WindowCounts;
import org.polygraph.partitioner.index.CommitStatus;
import org.polygraph.partitioner.index.FirstPass;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.index.TransactionScan;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.table.HistorySelection;
import org.polygraph.storage.table.HistoryTable;

/**
 * Decides SER by windows: transactions get places, windows of neighbouring places are repaired one after the other, and reads that
 * are violated after that are repaired by growing sets. Windows never change a verdict: an order is found only if no read of the
 * whole history is violated in it, and a violation only if a {@link MovingSet} violates SER alone.
 */
public final class WindowedDecision {
    /** Passes over all windows; every other pass is shifted by half a window. */
    private static final int PASSES = 4;

    private final Check check;
    private final Tuning tuning;
    private final int window;
    private long decided;
    private long grown;
    private long largest;

    /** @param window transactions of a window, at least 1 */
    WindowedDecision(Check check, Tuning tuning, int window) {
        String unsupported = unsupported(check.table(), check.request().level());
        if (unsupported != null) {
            throw new IllegalArgumentException(unsupported);
        }
        this.check = check;
        this.tuning = tuning;
        this.window = window;
    }

    /**
     * Decides the history.
     *
     * @param window transactions of a window, at least 1
     * @throws org.polygraph.storage.model.BudgetException if the budget ends
     */
    public static Finding of(Check check, Tuning tuning, int window) {
        return new WindowedDecision(check, tuning, window).find(Places.of(check.table()));
    }

    /** Why windows cannot decide a history; null if they can. */
    public static @Nullable String unsupported(HistoryTable table, IsolationLevel level) {
        if (level != IsolationLevel.SER) {
            return "windows do not support level " + level.label();
        }
        return table.hasRows() ? "windows do not support inserts and deletes" : null;
    }

    /**
     * Decides the history.
     *
     * @param order transactions in the order that is tried first, which extends session order; overwritten
     */
    Finding find(int[] order) {
        HistoryTable table = check.table();
        PhaseClock phases = check.phases();
        phases.begin("index");
        IndexedHistory history = IndexedHistory.of(table, check.request().indexing(), check.budget()::exhausted);
        if (!history.violations().isEmpty()) {
            phases.begin("evidence");
            keepCounts();
            return new Finding.Refuted(history.violations());
        }
        check.uniqueValues(history.versions().hasUniqueValues());
        FirstPass pass = FirstPass.of(table, check.request().indexing(), TransactionScan.Reads.FIRST);
        CommitStatus status = history.commitStatus();
        PlacedHistory placed = new PlacedHistory(table, pass.roles(), status, order);
        phases.end(table.operations());
        try {
            phases.begin("windows");
            Finding refuted = repairWindows(placed);
            phases.end(decided);
            if (refuted == null) {
                phases.begin("growth");
                refuted = grow(placed);
                phases.end(grown);
            }
            return refuted == null ? new Finding.Order(witness(placed, status), false) : refuted;
        } finally {
            keepCounts();
        }
    }

    private void keepCounts() {
        check.windows(new WindowCounts(window, decided, grown, largest, ""));
    }

    private Witness witness(PlacedHistory placed, CommitStatus status) {
        boolean[] counted = new boolean[placed.places().length];
        for (int t = 0; t < counted.length; t++) {
            counted[t] = placed.isCounted(t);
        }
        return check.witness(status, counted, placed.places());
    }

    /** Repairs the windows that contain violated reads. @return null unless a window violates the level alone */
    private @Nullable Finding repairWindows(PlacedHistory placed) {
        int n = placed.places().length;
        for (int pass = 0; pass < PASSES; pass++) {
            int[] violated = placesOf(placed, placed.violatedReads());
            if (violated.length == 0) {
                return null;
            }
            int shift = pass % 2 == 0 ? 0 : window / 2;
            int done = -1;
            for (int place : violated) {
                if (place < done) {
                    continue;
                }
                int from = (place + window - shift) / window * window - window + shift;
                done = from + window;
                check.budget().require();
                decided++;
                MovingSet moving = MovingSet.window(placed, Math.max(0, from), Math.min(n, done));
                Finding refuted = repair(moving);
                if (refuted != null) {
                    return refuted;
                }
            }
        }
        return null;
    }

    private @Nullable Finding repair(MovingSet moving) {
        WindowProblem.Answer answer = moving.problem(false).solve(check.budget());
        if (answer.holds()) {
            moving.apply(answer);
            return null;
        }
        return refute(moving);
    }

    /** The places of the transactions of reads, ascending. */
    private static int[] placesOf(PlacedHistory placed, IntArrayList reads) {
        int[] places = new int[reads.size()];
        for (int i = 0; i < places.length; i++) {
            places[i] = placed.place(placed.transactionOf(reads.getInt(i)));
        }
        Arrays.sort(places);
        return places;
    }

    /** Repairs what is violated after the windows, by sets that grow. @return null unless one violates the level alone */
    private @Nullable Finding grow(PlacedHistory placed) {
        while (true) {
            IntArrayList violated = placed.violatedReads();
            if (violated.isEmpty()) {
                return null;
            }
            grown++;
            IntOpenHashSet members = around(placed, violated.getInt(0));
            while (true) {
                check.budget().require();
                int[] ids = members.toIntArray();
                Arrays.sort(ids);
                largest = Math.max(largest, ids.length);
                MovingSet moving = new MovingSet(placed, ids, 0, placed.places().length);
                WindowProblem.Answer answer = moving.problem(true).solve(check.budget());
                if (answer.holds()) {
                    moving.apply(answer);
                    break;
                }
                Finding refuted = refute(moving);
                if (refuted != null) {
                    return refuted;
                }
                extend(placed, members, moving.named(answer));
            }
        }
    }

    /** The transaction of a read, the possible writers of its value, and the writer before it. */
    private static IntOpenHashSet around(PlacedHistory placed, int read) {
        HistoryTable table = placed.table();
        int reader = placed.transactionOf(read);
        int key = table.key(read);
        IntOpenHashSet members = new IntOpenHashSet();
        members.add(reader);
        int last = placed.writeBefore(key, placed.place(reader));
        if (last >= 0) {
            members.add(placed.transactionOf(last));
        }
        for (int i = placed.firstOf(key); i < placed.firstOf(key + 1); i++) {
            int o = placed.operation(i);
            if (table.isWrite(o) && table.value(o) == table.value(read)) {
                members.add(placed.transactionOf(o));
            }
        }
        return members;
    }

    /** Adds what a refutation names, or doubles the set by the nearest places if it names nothing new. */
    private static void extend(PlacedHistory placed, IntOpenHashSet members, int[] named) {
        int before = members.size();
        for (int t : named) {
            members.add(t);
        }
        if (members.size() > before) {
            return;
        }
        int[] places = new int[before];
        int count = 0;
        for (int t : members) {
            places[count++] = placed.place(t);
        }
        Arrays.sort(places);
        int low = places[0];
        int high = places[count - 1];
        int n = placed.places().length;
        for (int place = low; place <= high; place++) {
            addActive(placed, members, place);
        }
        while (members.size() < 2 * before && (low > 0 || high < n - 1)) {
            low = Math.max(0, low - 1);
            high = Math.min(n - 1, high + 1);
            addActive(placed, members, low);
            addActive(placed, members, high);
        }
        if (members.size() == before) {
            throw new IllegalStateException("the whole history has no order, but does not violate SER");
        }
    }

    private static void addActive(PlacedHistory placed, IntOpenHashSet members, int place) {
        if (placed.isActive(placed.atPlace(place))) {
            members.add(placed.atPlace(place));
        }
    }

    /** The refutation of U(M); null if U(M) holds. */
    private @Nullable Finding refute(MovingSet moving) {
        HistorySelection alone = moving.alone();
        Check part = new Check(alone.table(), check.request(), Progress.NONE, check.budget(), Checkpoints.NONE);
        Finding found = Decision.of(part, new InMemoryKernels(part.table(), false, check.budget()::exhausted), tuning);
        return found instanceof Finding.Refuted refuted ? new Finding.RefutedAlone(alone, refuted) : null;
    }
}
