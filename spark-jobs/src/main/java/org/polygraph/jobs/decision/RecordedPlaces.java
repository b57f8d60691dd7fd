package org.polygraph.jobs.decision;

import org.jspecify.annotations.Nullable;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/**
 * The order in which transactions were recorded: by their ends; without times by their positions in the file; if the
 * file is sorted by session, by their values. On a correct database it is near the order of commits.
 */
public final class RecordedPlaces {
    private static final int SHORT = 3;

    private RecordedPlaces() {}

    /**
     * Returns a number for each transaction. The numbers ascend in that order.
     *
     * @param withTimes whether times may be used
     * @return null if a committed transaction has no time, or if the file is sorted by session and its values do not
     *     ascend
     */
    public static long @Nullable [] of(HistoryTable table, boolean withTimes) {
        long[] ends = withTimes ? table.ends() : null;
        long[] places = new long[table.transactions()];
        boolean isBySession = ends == null;
        for (int t = 0; t < places.length; t++) {
            places[t] = ends == null ? table.sourcePosition(t) : ends[t];
            isBySession &= t == 0 || places[t - 1] < places[t];
            if (ends != null && ends[t] == HistoryTable.NO_TIME) {
                if (table.status(t) == TransactionStatus.COMMITTED) {
                    return null;
                }
                places[t] = t == 0 ? 0 : places[t - 1];
            }
        }
        // A file that is sorted by session does not record how transactions of different sessions followed each other.
        // Where sessions are short, a file in the order of time is sorted by session too, because sessions are numbered
        // as they appear.
        return isBySession && table.transactions() > (long) SHORT * table.sessions() ? byValue(table) : places;
    }

    /**
     * The largest value that each transaction wrote, or if it wrote none, read: an order in time where clients count
     * values up.
     *
     * @return null unless the values that a session writes ascend
     */
    static long @Nullable [] byValue(HistoryTable table) {
        int[] starts = table.operationStarts();
        long[] places = new long[table.transactions()];
        for (int s = 0; s < table.sessions(); s++) {
            long latest = Long.MIN_VALUE;
            for (int t = table.sessionStarts()[s]; t < table.sessionStarts()[s + 1]; t++) {
                long written = largest(table, starts[t], starts[t + 1], true);
                if (written == Long.MIN_VALUE || table.status(t) != TransactionStatus.COMMITTED) {
                    // After the writer of the value.
                    places[t] = 2 * Math.max(latest, largest(table, starts[t], starts[t + 1], false)) + 1;
                } else if (written <= latest) {
                    return null;
                } else {
                    latest = written;
                    places[t] = 2 * latest;
                }
            }
        }
        return places;
    }

    /** The largest value that operations [from, to) write, or else read; {@link Long#MIN_VALUE} if there is none. */
    private static long largest(HistoryTable table, int from, int to, boolean isWrite) {
        long largest = Long.MIN_VALUE;
        for (int o = from; o < to; o++) {
            if (table.isWrite(o) == isWrite) {
                largest = Math.max(largest, table.value(o));
            }
        }
        return largest;
    }
}
