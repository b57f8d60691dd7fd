package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntArrays;
import java.util.Arrays;
import org.polygraph.storage.model.TransactionStatus;

/**
 * The writes of each row that a transaction may see if every transaction takes effect between two times. It sees no
 * write of a transaction that starts after it has ended, and no write that another writer of the row overwrote before
 * it started. Each row has a few of them at a time, however many versions it has.
 *
 * <p>Memory: 4 bytes a write and 16 a row. Time: one sort of the transactions; a question takes a binary search and the
 * writers that overlap.
 */
final class RowWriters {
    private final HistoryTable table;
    private final long[] starts;
    private final long[] ends;
    private final long skew;
    /** No transaction whose end counts takes longer. */
    private final long longest;
    /** By row: its writes, one a transaction, are [first[row], end[row]), ascending by start. */
    private final int[] first;

    private final int[] end;
    private final int[] writes;
    /** By row, the same of transactions whose end does not count. */
    private final int[] firstOpen;

    private final int[] endOpen;
    private final int[] openWrites;

    /** @param skew the most by which two clocks differ */
    RowWriters(HistoryTable table, int rows, long[] starts, long[] ends, long skew) {
        this.table = table;
        this.starts = starts;
        this.ends = ends;
        this.skew = skew;
        int[] byStart = new int[table.transactions()];
        Arrays.setAll(byStart, t -> t);
        IntArrays.mergeSort(byStart, (a, b) -> Long.compare(starts[a], starts[b]));
        long most = 0;
        first = new int[rows + 1];
        firstOpen = new int[rows + 1];
        for (int t : byStart) {
            if (table.status(t) == TransactionStatus.ABORTED) {
                continue;
            }
            boolean isTimed = isTimed(t);
            most = isTimed ? Math.max(most, ends[t] - starts[t]) : most;
            int[] counts = isTimed ? first : firstOpen;
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                if (table.isWrite(o)) {
                    counts[table.key(o) + 1]++;
                }
            }
        }
        longest = most;
        for (int row = 1; row <= rows; row++) {
            first[row] += first[row - 1];
            firstOpen[row] += firstOpen[row - 1];
        }
        end = Arrays.copyOf(first, rows);
        endOpen = Arrays.copyOf(firstOpen, rows);
        writes = new int[first[rows]];
        openWrites = new int[firstOpen[rows]];
        for (int t : byStart) {
            if (table.status(t) != TransactionStatus.ABORTED) {
                boolean isTimed = isTimed(t);
                place(t, isTimed ? first : firstOpen, isTimed ? end : endOpen, isTimed ? writes : openWrites);
            }
        }
    }

    private void place(int t, int[] from, int[] to, int[] placed) {
        int begin = table.firstOperation(t);
        for (int o = begin; o < table.operationsEnd(t); o++) {
            if (!table.isWrite(o)) {
                continue;
            }
            int row = table.key(o);
            // Only the last write of a row by a transaction is seen by others.
            boolean isAgain = to[row] > from[row] && placed[to[row] - 1] >= begin && placed[to[row] - 1] < o;
            placed[isAgain ? to[row] - 1 : to[row]++] = o;
        }
    }

    /** Whether the times bound when a transaction takes effect. One of unknown outcome may do so after its end. */
    private boolean isTimed(int t) {
        return table.status(t) == TransactionStatus.COMMITTED
                && starts[t] != HistoryTable.NO_TIME
                && ends[t] != HistoryTable.NO_TIME;
    }

    int transactionOf(int operation) {
        return HistorySelection.transactionOf(table, operation);
    }

    /** Adds the writes of a row that a transaction may see, and its own. */
    void collect(int row, int reader, IntArrayList found) {
        boolean isBound = isTimed(reader);
        long readerStart = starts[reader] == HistoryTable.NO_TIME ? Long.MIN_VALUE : starts[reader];
        long readerEnd = isBound ? ends[reader] : Long.MAX_VALUE - skew;
        int from = first[row];
        for (int to = end[row]; from < to; ) {
            int middle = (from + to) >>> 1;
            if (starts[transactionOf(writes[middle])] <= readerEnd + skew) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        long overwrittenBefore = Long.MIN_VALUE;
        for (int at = from - 1; at >= first[row]; at--) {
            int writer = transactionOf(writes[at]);
            if (overwrittenBefore != Long.MIN_VALUE && starts[writer] + longest + skew < overwrittenBefore) {
                break;
            }
            if (overwrittenBefore == Long.MIN_VALUE || ends[writer] + skew >= overwrittenBefore) {
                found.add(writes[at]);
            }
            if (overwrittenBefore == Long.MIN_VALUE && ends[writer] + skew < readerStart) {
                overwrittenBefore = starts[writer];
            }
        }
        for (int at = firstOpen[row]; at < endOpen[row]; at++) {
            int writer = transactionOf(openWrites[at]);
            if (starts[writer] == HistoryTable.NO_TIME || starts[writer] <= readerEnd + skew) {
                found.add(openWrites[at]);
            }
        }
    }
}
