package org.polygraph.jobs.decision;

import it.unimi.dsi.fastutil.longs.LongArrays;
import org.polygraph.storage.table.HistoryTable;

/**
 * The order in which transactions are tried first: by the middle between start and end, or by the order of the input where there
 * are no times. Places increase along each session.
 */
final class Places {
    private Places() {}

    /** All transactions in the order of their places; ties by session and index. */
    static int[] of(HistoryTable table) {
        int n = table.transactions();
        long[] keys = new long[n];
        for (int s = 0; s < table.sessions(); s++) {
            long last = Long.MIN_VALUE;
            for (int t = table.firstTransaction(s); t < table.transactionsEnd(s); t++) {
                long own = own(table, t);
                last = own == HistoryTable.NO_TIME ? last : Math.max(own, last + 1);
                keys[t] = last;
            }
        }
        int[] order = new int[n];
        for (int t = 0; t < n; t++) {
            order[t] = t;
        }
        LongArrays.radixSortIndirect(order, keys, true);
        return order;
    }

    private static long own(HistoryTable table, int transaction) {
        long[] starts = table.starts();
        long[] ends = table.ends();
        if (starts == null || ends == null) {
            return table.sourceOf(transaction);
        }
        long start = starts[transaction];
        long end = ends[transaction];
        if (start == HistoryTable.NO_TIME) {
            return end;
        }
        return end == HistoryTable.NO_TIME ? start : start + (end - start) / 2;
    }
}
