package org.polygraph.jobs.certificate.replay;

import org.polygraph.jobs.certificate.format.Guarantee;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/**
 * Decides whether an order explains a history by the definition: it compares all pairs of events, in quadratic time.
 */
public final class NaiveReplay {
    private NaiveReplay() {}

    /**
     * Clocks agree and indeterminate transactions may count.
     *
     * @param begin rank of the snapshot by transaction, of the whole transaction where it is one event
     * @param commit rank of the commit; all ranks differ, but for the two of one event
     */
    public static boolean explains(
            HistoryTable table, Guarantee guarantee, boolean[] counted, long[] begin, long[] commit) {
        for (int t = 0; t < table.transactions(); t++) {
            if (counted[t]
                    ? table.status(t) == TransactionStatus.ABORTED
                    : table.status(t) == TransactionStatus.COMMITTED) {
                return false;
            }
            if (!counted[t]) {
                continue;
            }
            if (begin[t] > commit[t]) {
                return false;
            }
            for (int u = 0; u < table.transactions(); u++) {
                if (u == t || !counted[u]) {
                    continue;
                }
                if (table.sessionOf(u) == table.sessionOf(t) && u < t && commit[u] > begin[t]) {
                    return false;
                }
                if (guarantee.realTime() && endedBefore(table, u, t) && commit[u] > begin[t]) {
                    return false;
                }
                boolean overlap = begin[u] < commit[t] && begin[t] < commit[u];
                if (guarantee.events() == 2 && overlap && shareAWrittenKey(table, t, u)) {
                    return false;
                }
            }
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                if (!table.isWrite(o) && table.value(o) != visible(table, counted, t, o, begin, commit)) {
                    return false;
                }
            }
        }
        return true;
    }

    private static boolean endedBefore(HistoryTable table, int u, int t) {
        long[] starts = table.starts();
        long[] ends = table.ends();
        return starts != null && ends != null && table.status(u) == TransactionStatus.COMMITTED && ends[u] < starts[t];
    }

    private static boolean shareAWrittenKey(HistoryTable table, int t, int u) {
        for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
            for (int p = table.firstOperation(u); p < table.operationsEnd(u); p++) {
                if (table.operationKeys()[o] == table.operationKeys()[p] && table.isWrite(o)) {
                    return true;
                }
            }
        }
        return false;
    }

    private static long visible(HistoryTable table, boolean[] counted, int t, int read, long[] begin, long[] commit) {
        int write = table.operationKeys()[read] | 1;
        for (int o = read - 1; o >= table.firstOperation(t); o--) {
            if (table.operationKeys()[o] == write) {
                return table.value(o);
            }
        }
        long last = -1;
        long value = table.initialValue();
        for (int u = 0; u < table.transactions(); u++) {
            if (u == t || !counted[u] || commit[u] > begin[t] || commit[u] < last) {
                continue;
            }
            for (int o = table.firstOperation(u); o < table.operationsEnd(u); o++) {
                if (table.operationKeys()[o] == write) {
                    value = table.value(o);
                    last = commit[u];
                }
            }
        }
        return value;
    }
}
