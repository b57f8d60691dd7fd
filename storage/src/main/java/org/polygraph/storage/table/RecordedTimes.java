package org.polygraph.storage.table;

import org.polygraph.storage.model.TransactionStatus;

/**
 * How many transactions real time can order. A transaction precedes another one if its end is less than the other's start, so the first
 * needs an end and the second a start. The end of an indeterminate transaction bounds nothing. Transactions that cannot count are left out.
 */
public final class RecordedTimes {
    private static final int TRANSACTIONS = 0;
    private static final int ENDS = 1;
    private static final int STARTS = 2;
    private static final int BOTH = 3;
    private static final int UNBOUND = 4;
    private static final int COUNTS = 5;

    private final boolean countsUnknown;
    private final long[] counts = new long[COUNTS];

    /** Creates an empty count. @param countsUnknown whether an indeterminate transaction may count */
    public RecordedTimes(boolean countsUnknown) {
        this.countsUnknown = countsUnknown;
    }

    /** Counts the transactions of a history. @param countsUnknown whether an indeterminate transaction may count */
    public static RecordedTimes of(HistoryTable table, boolean countsUnknown) {
        RecordedTimes times = new RecordedTimes(countsUnknown);
        long[] starts = table.starts();
        long[] ends = table.ends();
        for (int t = 0; t < table.transactions(); t++) {
            times.add(
                    table.status(t).code(),
                    starts == null ? HistoryTable.NO_TIME : starts[t],
                    ends == null ? HistoryTable.NO_TIME : ends[t]);
        }
        return times;
    }

    /**
     * Adds a transaction.
     *
     * @param status its code
     * @param start with {@code end} {@link HistoryTable#NO_TIME} if unknown
     */
    public void add(byte status, long start, long end) {
        boolean isCommitted = status == TransactionStatus.COMMITTED.code();
        if (!isCommitted && !(countsUnknown && status == TransactionStatus.INDETERMINATE.code())) {
            return;
        }
        boolean hasEnd = isCommitted && end != HistoryTable.NO_TIME;
        boolean hasStart = start != HistoryTable.NO_TIME;
        counts[TRANSACTIONS]++;
        counts[ENDS] += hasEnd ? 1 : 0;
        counts[STARTS] += hasStart ? 1 : 0;
        counts[BOTH] += hasEnd && hasStart ? 1 : 0;
        counts[UNBOUND] += hasEnd || hasStart ? 0 : 1;
    }

    /** Adds the counts of another part of the history, as {@link #counts} returned them. */
    public void add(long[] other) {
        for (int i = 0; i < counts.length; i++) {
            counts[i] += other[i];
        }
    }

    /** The counts, for {@link #add(long[])}. */
    public long[] counts() {
        return counts.clone();
    }

    /**
     * Whether times could order two transactions: one has an end and another one a start. The only transaction of a history needs both.
     */
    public boolean mayOrder() {
        boolean isSame = counts[ENDS] == 1 && counts[STARTS] == 1 && counts[BOTH] == 1;
        return counts[ENDS] > 0 && counts[STARTS] > 0 && (!isSame || counts[TRANSACTIONS] == 1);
    }

    /** The number of transactions that have neither a start nor an end that bounds, so that real time does not bound them. */
    public long unbound() {
        return counts[UNBOUND];
    }
}
