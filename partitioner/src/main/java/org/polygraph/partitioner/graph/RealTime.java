package org.polygraph.partitioner.graph;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.index.CommitStatus;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/**
 * Real-time order without its n^2 edges: u before v iff end(u) + skew < start(v), the skew being the bound on the
 * difference between any two clocks. The transactions that precede v are a prefix of all transactions sorted by end. So
 * two numbers a transaction are enough: <i>how many had ended when it started</i>, and <i>its own place among the
 * ends</i>. u is before v iff {@code place(u) < ended(v)}. Equal ends share a place.
 *
 * <p>The end of an indeterminate transaction bounds no other one, but its own start is bound. A transaction without a
 * time, or one that does not count, neither bounds nor is bound.
 *
 * <p>For an {@link CommitStatus#OPTIONAL} transaction it is open whether its start is bound. If the later transactions
 * of its session start no earlier, it may be bound in any case, because that implies nothing new for them. Otherwise
 * the transactions that had ended precede it only if it committed: these are the {@link #openStarts}.
 *
 * <p>Time: a sort of longs and a binary search a transaction. Memory: 8 bytes a transaction, 8 more while it is
 * computed.
 */
public final class RealTime {
    /** The place of a transaction without a known end. */
    public static final int NEVER = Integer.MAX_VALUE;

    private final int[] ended;
    private final int[] places;
    private final int ends;
    private final boolean complete;
    private final int bound;
    private final int[] openStarts;
    private final int[] openEnded;

    private RealTime(
            int[] ended,
            int[] places,
            int ends,
            boolean complete,
            int bound,
            IntArrayList openStarts,
            IntArrayList openEnded) {
        this.ended = ended;
        this.places = places;
        this.ends = ends;
        this.complete = complete;
        this.bound = bound;
        this.openStarts = openStarts.toIntArray();
        this.openEnded = openEnded.toIntArray();
    }

    /**
     * The order of a history.
     *
     * @param skewNanos bound on the difference of any two clocks, 0 or more
     * @return null if the history has no times
     */
    public static @Nullable RealTime of(HistoryTable table, CommitStatus commitStatus, long skewNanos) {
        long[] starts = table.starts();
        long[] ends = table.ends();
        return starts == null || ends == null ? null : of(table, starts, ends, commitStatus, skewNanos, false);
    }

    /**
     * The order of a history in which a transaction of unknown outcome also took effect before its end, if it did. An
     * optional one that is kept between its start and its end without having taken effect bounds nothing more.
     *
     * @return null if the history has no times
     */
    public static @Nullable RealTime withUnknownEnds(HistoryTable table, CommitStatus commitStatus) {
        long[] starts = table.starts();
        long[] ends = table.ends();
        return starts == null || ends == null ? null : of(table, starts, ends, commitStatus, 0, true);
    }

    /**
     * The order of the input, as if each transaction had run at its position. It is a hint if there are no times.
     *
     * @return null if the input lists session after session, so that its order shows nothing about time
     */
    public static @Nullable RealTime ofInput(HistoryTable table, CommitStatus commitStatus) {
        int n = table.transactions();
        long[] positions = new long[n];
        for (int t = 0; t < n; t++) {
            positions[t] = table.sourceOf(t);
        }
        int neighbours = 0;
        for (int t = 1; t < n; t++) {
            neighbours += positions[t] == positions[t - 1] + 1 && table.sessionOf(t) == table.sessionOf(t - 1) ? 1 : 0;
        }
        return neighbours > n / 2 ? null : ofInstants(table, commitStatus, positions);
    }

    /** The order as if each transaction had run at an instant. */
    public static RealTime ofInstants(HistoryTable table, CommitStatus commitStatus, long[] instants) {
        return of(table, instants, instants, commitStatus, 0, false);
    }

    private static RealTime of(
            HistoryTable table,
            long[] starts,
            long[] ends,
            CommitStatus commitStatus,
            long skewNanos,
            boolean unknownEnds) {
        int n = table.transactions();
        long[] sorted = new long[n];
        int count = 0;
        for (int t = 0; t < n; t++) {
            if (bounds(t, table, commitStatus, unknownEnds, ends)) {
                sorted[count++] = ends[t];
            }
        }
        // Times ascend along sessions; the sort merges these runs.
        Arrays.sort(sorted, 0, count);
        int[] ended = new int[n];
        int[] places = new int[n];
        boolean complete = true;
        int bound = 0;
        IntArrayList openStarts = new IntArrayList(0);
        IntArrayList openEnded = new IntArrayList(0);
        BitSet ascend = startsThatAscend(table, commitStatus, starts);
        for (int s = 0; s + 1 < table.sessionStarts().length; s++) {
            int nearStart = 0;
            int nearEnd = 0;
            for (int t = table.firstTransaction(s); t < table.transactionsEnd(s); t++) {
                if (starts[t] != HistoryTable.NO_TIME && commitStatus.of(t) != CommitStatus.DROPPED) {
                    nearStart = endedBefore(sorted, count, nearStart, starts[t], skewNanos);
                    if (commitStatus.isCounted(t) || ascend.get(t)) {
                        ended[t] = nearStart;
                        bound++;
                    } else if (nearStart > 0) {
                        openStarts.add(t);
                        openEnded.add(nearStart);
                    }
                }
                places[t] = NEVER;
                if (bounds(t, table, commitStatus, unknownEnds, ends)) {
                    // A transaction that ends before it starts is no interval; its end is ignored.
                    boolean reversed = starts[t] != HistoryTable.NO_TIME && ends[t] < starts[t];
                    complete &= !reversed;
                    if (!reversed) {
                        nearEnd = endedBefore(sorted, count, nearEnd, ends[t], 0);
                        places[t] = nearEnd;
                    }
                }
            }
        }
        return new RealTime(ended, places, count, complete, bound, openStarts, openEnded);
    }

    private static boolean bounds(
            int t, HistoryTable table, CommitStatus commitStatus, boolean unknownEnds, long[] ends) {
        boolean isEnd = unknownEnds
                ? commitStatus.of(t) != CommitStatus.DROPPED
                : commitStatus.isCounted(t) && table.statuses()[t] == TransactionStatus.COMMITTED.code();
        return isEnd && ends[t] != HistoryTable.NO_TIME;
    }

    /**
     * How many of the sorted ends precede a time by more than the clock skew.
     *
     * @param near the answer for the transaction before in the session; times mostly ascend, so the search begins there
     */
    private static int endedBefore(long[] sorted, int count, int near, long time, long skew) {
        // A difference that does not fit a long means that no end precedes.
        long bound = time < Long.MIN_VALUE + skew ? Long.MIN_VALUE : time - skew;
        int low = near > 0 && sorted[near - 1] < bound ? near : 0;
        int high = count;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (sorted[middle] < bound) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /**
     * The transactions after which no transaction of the session starts earlier, so that an edge into one of them
     * implies nothing new for later ones. Empty if no transaction is optional.
     */
    private static BitSet startsThatAscend(HistoryTable table, CommitStatus commitStatus, long[] starts) {
        BitSet ascend = new BitSet();
        for (int s = 0; commitStatus.optional() > 0 && s < table.sessions(); s++) {
            long earliest = Long.MAX_VALUE;
            for (int t = table.transactionsEnd(s) - 1; t >= table.firstTransaction(s); t--) {
                if (commitStatus.of(t) != CommitStatus.DROPPED) {
                    ascend.set(t, earliest >= starts[t]);
                    // A missing time is less than all others.
                    earliest = Math.min(earliest, starts[t]);
                }
            }
        }
        return ascend;
    }

    /** By transaction: how many had ended when it started, 0 to {@link #ends}; 0 if it is bound by nothing. */
    public int[] ended() {
        return ended;
    }

    /** By transaction: how many ended strictly before it did, or {@link #NEVER}. */
    public int[] places() {
        return places;
    }

    /** How many transactions bound others by their end. */
    public int ends() {
        return ends;
    }

    /** How many transactions are bound by their start. */
    public int bound() {
        return bound;
    }

    /** Transactions, ascending, that are bound by their start only if they commit; {@link #ended} has 0 for them. */
    public int[] openStarts() {
        return openStarts;
    }

    /** By place in {@link #openStarts}: how many had ended when it started, 1 to {@link #ends}. */
    public int[] openEnded() {
        return openEnded;
    }

    /** Whether one transaction had ended when another started. */
    public boolean precedes(int u, int v) {
        return places[u] < ended[v];
    }

    /**
     * Whether this order and {@link #openStarts} are all of real time. They are not if a transaction ends before it
     * starts.
     */
    public boolean isComplete() {
        return complete;
    }
}
