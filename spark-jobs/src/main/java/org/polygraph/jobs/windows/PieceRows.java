package org.polygraph.jobs.windows;

import it.unimi.dsi.fastutil.ints.IntArrays;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Guarantee;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.model.WholeHistoryException;
import org.polygraph.storage.table.HistoryRows;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.Operations;
import org.polygraph.storage.table.RecordedTimes;
import org.polygraph.storage.table.Transactions;

/**
 * The transactions of a piece of the input by session, with the clock of each: the middle of its start and end, or its position in the
 * input, or another {@link Clock}. Clocks increase along a session, because the clock of its event j is
 * {@code j + max(own(i) - i)} over all events i up to j. So only this maximum of earlier pieces matters. At SI a
 * transaction is two events, its snapshot and its commit, which are neighbours.
 */
final class PieceRows {
    /** The maximum if there are no transactions. */
    static final long NONE = Long.MIN_VALUE / 4;

    static final long MOST = 1L << 60;
    private static final int ROW_BITS = 36;
    /** The distance of the clocks of two values, so that some events of a session without a value fit between them. */
    private static final long VALUE_STEP = 32;

    private static final long MOST_VALUE = MOST / VALUE_STEP;
    /** The clock of the last event of each session at an even pace, about. */
    static final long PACE = 1L << 50;

    private final HistoryRows rows;
    /** By session of the piece: its first place in {@link #order}; and the number of transactions. */
    private final int[] firsts;
    /** Transactions by session and index. */
    private final int[] order;
    /** By transaction. */
    private final long[] own;

    private final boolean hasDuplicates;
    private final int events;
    private final Clock clock;

    /**
     * Sorts the transactions of a piece.
     *
     * @param number of the piece
     * @param events of a transaction: 1 or 2
     */
    PieceRows(HistoryRows rows, int number, Clock clock, int events) {
        this.rows = rows;
        this.clock = clock;
        this.events = events;
        int n = rows.transactions().size();
        long[] indexes = rows.transactions().indexes();
        int[] sessionOf = rows.sessionOf();
        firsts = new int[rows.sessionLabels().length + 1];
        for (int t = 0; t < n; t++) {
            firsts[sessionOf[t] + 1]++;
        }
        for (int s = 0; s + 1 < firsts.length; s++) {
            firsts[s + 1] += firsts[s];
        }
        int[] next = firsts.clone();
        order = new int[n];
        own = new long[n];
        for (int t = 0; t < n; t++) {
            order[next[sessionOf[t]]++] = t;
            own[t] = switch (clock) {
                case TIMES -> middle(rows.transactions(), t);
                case POSITIONS -> (((long) number << ROW_BITS) + t) * events;
                case VALUES -> value(t);
                case PACE -> NONE;
            };
        }
        boolean found = false;
        for (int s = 0; s + 1 < firsts.length; s++) {
            boolean isSorted = true;
            for (int i = firsts[s] + 1; i < firsts[s + 1]; i++) {
                isSorted &= indexes[order[i - 1]] < indexes[order[i]];
            }
            if (!isSorted) {
                IntArrays.mergeSort(order, firsts[s], firsts[s + 1], (a, b) -> Long.compare(indexes[a], indexes[b]));
                for (int i = firsts[s] + 1; i < firsts[s + 1]; i++) {
                    found |= indexes[order[i - 1]] == indexes[order[i]];
                }
            }
        }
        hasDuplicates = found;
    }

    /** Events of a transaction that is not aborted: 1, or 2 for its snapshot and its commit. */
    static int events(Guarantee guarantee) {
        return guarantee.isOfCommits() ? 2 : guarantee.events();
    }

    private static long middle(Transactions transactions, int t) {
        long start = time(transactions.starts(), t);
        long end = time(transactions.ends(), t);
        if (start == HistoryTable.NO_TIME && end == HistoryTable.NO_TIME) {
            return NONE;
        }
        long middle = start == HistoryTable.NO_TIME
                ? end
                : end == HistoryTable.NO_TIME ? start : (start & end) + ((start ^ end) >> 1);
        return bounded(middle);
    }

    /** A time or the difference of two clocks, but at most {@link #MOST} and at least its negative, so that sums do not overflow. */
    static long bounded(long time) {
        return Math.max(-MOST, Math.min(MOST, time));
    }

    /** The time of a transaction; {@link HistoryTable#NO_TIME} if it is not known. */
    static long time(long @Nullable [] times, int transaction) {
        return times == null ? HistoryTable.NO_TIME : times[transaction];
    }

    HistoryRows rows() {
        return rows;
    }

    int sessions() {
        return firsts.length - 1;
    }

    int count(int session) {
        return firsts[session + 1] - firsts[session];
    }

    /** Transaction j of a session in the order of indexes. */
    int transaction(int session, int j) {
        return order[firsts[session] + j];
    }

    /** Whether two transactions share session and index. */
    boolean hasDuplicates() {
        return hasDuplicates;
    }

    /** The maximum of own(i) - i over all events i of a session in this piece. */
    long lead(int session) {
        long lead = NONE;
        for (int j = 0; j < count(session); j++) {
            lead = Math.max(lead, lead(session, j));
        }
        return lead;
    }

    private long lead(int session, int j) {
        long clock = own[transaction(session, j)];
        return clock == NONE ? NONE : clock - (long) events * j;
    }

    /**
     * By event: its clock. The events of transaction t are those from t x {@code events} on.
     *
     * @param known what the rest of the input determines; null if only this piece is known
     */
    long[] clocks(@Nullable PieceContext known) {
        long[] clocks = new long[own.length * events];
        for (int s = 0; s < sessions(); s++) {
            long earlier = known == null ? 0 : known.before()[s];
            long lead = known == null ? NONE : known.leads()[s];
            long offset = known == null ? 0 : known.offsets()[s];
            long pace = clock == Clock.PACE ? PACE / (2 * Math.max(1, lead)) : 0;
            for (int j = 0; j < count(s); j++) {
                long here = lead(s, j);
                lead = Math.max(lead, here == NONE ? NONE : here - earlier);
                for (int event = 0; event < events; event++) {
                    long number = earlier + (long) events * j + event;
                    clocks[transaction(s, j) * events + event] =
                            pace == 0 ? number + lead + offset : (2 * number + 1) * pace;
                }
            }
        }
        return clocks;
    }

    /** The starts of the transactions of a session that may count. */
    Ascent starts(int session) {
        Ascent ascent = Ascent.EMPTY;
        long[] starts = rows.transactions().starts();
        for (int j = 0; starts != null && j < count(session); j++) {
            int t = transaction(session, j);
            if (rows.transactions().statuses()[t] != TransactionStatus.ABORTED.code()) {
                // A start that is not known comes before all others, and is compared like a number.
                ascent = ascent.then(Math.max(starts[t], Ascent.NONE + 1), false);
            }
        }
        return ascent;
    }

    /** The largest values that the committed transactions of a session wrote. */
    Ascent written(int session) {
        Ascent ascent = Ascent.EMPTY;
        for (int j = 0; j < count(session); j++) {
            int t = transaction(session, j);
            long written = largest(t, true);
            if (written != NONE && rows.transactions().statuses()[t] == TransactionStatus.COMMITTED.code()) {
                ascent = ascent.then(written, true);
            }
        }
        return ascent;
    }

    /** The largest integer that a transaction wrote, or else read; {@link #NONE} if there is none. */
    private long largest(int t, boolean isWritten) {
        long largest = NONE;
        int[] starts = rows.operations().starts();
        for (int o = starts[t]; o < starts[t + 1]; o++) {
            if (Operations.isWrite(rows.operations().keys()[o]) == isWritten) {
                // The codes of other values are smaller.
                largest = Math.max(largest, rows.operations().values()[o]);
            }
        }
        return largest;
    }

    private long value(int t) {
        long written = largest(t, true);
        long value = written == NONE ? largest(t, false) : written;
        return value == NONE
                ? NONE
                : VALUE_STEP * Math.max(-MOST_VALUE, Math.min(MOST_VALUE, value))
                        + (written == NONE ? VALUE_STEP / 2 : 0);
    }

    /** Counts the times of the transactions. @param countsUnknown whether an indeterminate transaction may count */
    RecordedTimes recordedTimes(boolean countsUnknown) {
        RecordedTimes times = new RecordedTimes(countsUnknown);
        for (int t = 0; t < order.length; t++) {
            times.add(
                    rows.transactions().statuses()[t],
                    time(rows.transactions().starts(), t),
                    time(rows.transactions().ends(), t));
        }
        return times;
    }

    /** Which times the piece has: {@link Survey#HAS_TIMES} and {@link Survey#IS_REVERSED}. */
    int times() {
        int found = 0;
        for (int t = 0; t < order.length; t++) {
            long start = time(rows.transactions().starts(), t);
            long end = time(rows.transactions().ends(), t);
            boolean isReversed = start != HistoryTable.NO_TIME && end != HistoryTable.NO_TIME && end < start;
            boolean isTimed = start != HistoryTable.NO_TIME || end != HistoryTable.NO_TIME;
            found |= (isTimed ? Survey.HAS_TIMES : 0) | (isReversed ? Survey.IS_REVERSED : 0);
        }
        return found;
    }

    /** How many transactions follow one of their session in the input. */
    int neighbours() {
        int neighbours = 0;
        for (int t = 1; t < order.length; t++) {
            neighbours += rows.sessionOf()[t] == rows.sessionOf()[t - 1] ? 1 : 0;
        }
        return neighbours;
    }

    /** A sample of the clocks: of each k in ascending order, the middle one. */
    static long[] sample(long[] clocks, long k) {
        long[] sorted = clocks.clone();
        Arrays.sort(sorted);
        int count = (int) ((sorted.length + k - 1) / k);
        long[] sample = new long[count];
        for (int i = 0; i < count; i++) {
            long from = i * k;
            long to = Math.min(sorted.length, from + k);
            sample[i] = sorted[(int) (from + (to - from) / 2)];
        }
        return sample;
    }

    /**
     * Why windows do not decide level lin, at which each transaction that may count is a read, a write or both of one key, and has times;
     * empty if they do. A transaction that loads the initial rows may write several keys.
     */
    String problemAtLin() {
        String problem = "";
        Transactions transactions = rows.transactions();
        int[] keys = rows.operations().keys();
        for (int t = 0; t < order.length; t++) {
            int from = rows.operations().starts()[t];
            int count = rows.operations().starts()[t + 1] - from;
            byte status = transactions.statuses()[t];
            if (count == 0 || status == TransactionStatus.ABORTED.code()) {
                continue;
            }
            boolean isOne = count == 1
                    || (count == 2
                            && !Operations.isWrite(keys[from])
                            && keys[from + 1] == keys[from] + 1
                            && !rows.operations().isAppend(from + 1));
            boolean hasEnd = status != TransactionStatus.COMMITTED.code()
                    || time(transactions.ends(), t) != HistoryTable.NO_TIME;
            if (isOne && hasEnd && time(transactions.starts(), t) != HistoryTable.NO_TIME) {
                continue;
            }
            if (count == 1 || !writesOneValue(t)) {
                return Survey.UNREADABLE;
            }
            problem = "a transaction that writes several keys may load the initial rows";
        }
        return problem;
    }

    /** Whether a transaction committed, and only writes; appends read too. */
    boolean onlyWrites(int t) {
        Operations operations = rows.operations();
        int from = operations.starts()[t];
        int to = operations.starts()[t + 1];
        boolean writes = from < to && rows.transactions().statuses()[t] == TransactionStatus.COMMITTED.code();
        for (int o = from; o < to; o++) {
            writes &= Operations.isWrite(operations.keys()[o]) && !operations.isAppend(o);
        }
        return writes;
    }

    /** The same, and all its writes have one value. */
    boolean writesOneValue(int t) {
        long[] values = rows.operations().values();
        int from = rows.operations().starts()[t];
        boolean isOne = onlyWrites(t);
        for (int o = from; o < rows.operations().starts()[t + 1]; o++) {
            isOne &= values[o] == values[from];
        }
        return isOne;
    }

    /** Why windows do not support a piece that cannot be read on its own. */
    static String unsupported(WholeHistoryException e) {
        return "it has " + e.what();
    }

    /** Why windows do not support the piece at a level; empty if they do. */
    String unsupported(Guarantee guarantee) {
        boolean hasRows =
                rows.operations().has(Operations.INSERT) || rows.operations().has(Operations.DELETE);
        if (hasRows && !guarantee.isOfCommits()) {
            return "it has inserts or deletes, which windows decide at pc, cc, ra, rc and pl2 only";
        }
        return guarantee == Guarantee.LIN && rows.values().hasOthers() ? "it has refused compare-and-sets" : "";
    }
}
