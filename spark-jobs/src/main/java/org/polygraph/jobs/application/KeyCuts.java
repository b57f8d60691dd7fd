package org.polygraph.jobs.application;

import java.util.Arrays;
import java.util.Objects;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/**
 * The cuts of the orders of single keys, at lin. Operations that start late, and those that follow them in the order of
 * their key, are after its cut. A cut is moved further back to a place where the last value is certain: each version
 * before must come before it, because one of its operations ended before one of the last version started. Otherwise a
 * later part may read another value than the last one.
 *
 * <p>Time: that of sorting the starts. Memory: 37 bytes a key, 8 a transaction.
 */
final class KeyCuts {
    private final Terms terms;
    private final HistoryTable table;
    private final int[] order;
    /** By key: the number of its first operations that are before the cut. */
    private final int[] before;
    /** By key: the number of operations that {@link #isBefore} was asked about. */
    private final int[] asked;

    /** @param order transactions by place */
    KeyCuts(Witness witness, int[] order) {
        this.order = order;
        terms = witness.terms();
        table = witness.table();
        before = new int[table.keys().size()];
        asked = new int[table.keys().size()];
    }

    /** Finds the cuts. @param left the fewest operations after the cuts */
    void find(int left) {
        if (left >= order.length) {
            return;
        }
        long[] starts = new long[order.length];
        for (int i = 0; i < order.length; i++) {
            starts[i] = start(order[i]);
        }
        Arrays.sort(starts);
        long late = left == 0 ? Long.MAX_VALUE : starts[order.length - left];
        int keys = before.length;
        int[] count = new int[keys];
        boolean[] isOver = new boolean[keys];
        // By key: the earliest end and the latest start of the last version, and the latest of the earliest ends of the
        // versions before it. The initial version comes first whatever the times.
        long[] firstEnd = new long[keys];
        long[] lastStart = new long[keys];
        long[] bound = new long[keys];
        Arrays.fill(firstEnd, Long.MIN_VALUE);
        Arrays.fill(lastStart, Long.MIN_VALUE);
        Arrays.fill(bound, Long.MIN_VALUE);
        for (int t : order) {
            if (isEmpty(t)) {
                continue;
            }
            int key = key(t);
            isOver[key] |= start(t) >= late;
            if (isOver[key]) {
                continue;
            }
            count[key]++;
            int last = table.operationsEnd(t) - 1;
            if (table.isWrite(last) && last == table.firstOperation(t)) {
                bound[key] = Math.max(bound[key], firstEnd[key]);
                firstEnd[key] = end(t);
                lastStart[key] = start(t);
            } else {
                firstEnd[key] = Math.min(firstEnd[key], end(t));
                lastStart[key] = Math.max(lastStart[key], start(t));
            }
            if (bound[key] == Long.MIN_VALUE || terms.precedes(bound[key], lastStart[key])) {
                before[key] = count[key];
            }
        }
    }

    /**
     * Whether a transaction is before the cut of its key. The caller asks once for each transaction, in their order.
     */
    boolean isBefore(int t) {
        return isEmpty(t) || asked[key(t)]++ < before[key(t)];
    }

    /** When a transaction started; {@link HistoryTable#NO_TIME} if it has no operation and no start. */
    long start(int t) {
        return Objects.requireNonNull(table.starts())[t];
    }

    private long end(int t) {
        return table.status(t) == TransactionStatus.INDETERMINATE
                ? Long.MAX_VALUE
                : Objects.requireNonNull(table.ends())[t];
    }

    private boolean isEmpty(int t) {
        return table.firstOperation(t) == table.operationsEnd(t);
    }

    private int key(int t) {
        return table.key(table.firstOperation(t));
    }
}
