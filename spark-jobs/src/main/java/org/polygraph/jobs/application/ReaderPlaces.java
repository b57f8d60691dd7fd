package org.polygraph.jobs.application;

import it.unimi.dsi.fastutil.ints.IntArrays;
import java.util.Arrays;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/**
 * Estimates where transactions that write nothing took effect in an order of the others: after the writers of the
 * values that they read, and before the next writers of these keys.
 *
 * <p>Memory: 8 bytes a write, 4 a key and 12 a transaction. Time: linear, plus a binary search for each read.
 */
final class ReaderPlaces {
    /** The writers of a key that are compared with a read on each side of its estimated place. */
    private static final int MOST = 32;

    private final HistoryTable table;
    private final long[] places;
    /** By key: the operations that write it, ascending by place, are [first[key], first[key + 1]). */
    private final int[] first;

    private final int[] writes;
    /** By such an operation: its transaction. */
    private final int[] writers;

    /** @param places by transaction, different; those of transactions that write nothing are replaced */
    ReaderPlaces(HistoryTable table, long[] places) {
        this.table = table;
        this.places = places;
        int[] order = new int[places.length];
        Arrays.setAll(order, t -> t);
        IntArrays.mergeSort(order, (a, b) -> Long.compare(places[a], places[b]));
        first = new int[table.keys().size() + 2];
        for (int t : order) {
            for (int o = table.firstOperation(t); isCounted(t) && o < table.operationsEnd(t); o++) {
                first[table.key(o) + 2] += table.isWrite(o) ? 1 : 0;
            }
        }
        for (int key = 2; key < first.length; key++) {
            first[key] += first[key - 1];
        }
        writes = new int[first[first.length - 1]];
        writers = new int[writes.length];
        for (int t : order) {
            for (int o = table.firstOperation(t); isCounted(t) && o < table.operationsEnd(t); o++) {
                if (table.isWrite(o)) {
                    int at = first[table.key(o) + 1]++;
                    writes[at] = o;
                    writers[at] = t;
                }
            }
        }
    }

    private boolean isCounted(int t) {
        return table.status(t) == TransactionStatus.COMMITTED;
    }

    /** Moves a transaction that writes nothing to where its reads are explained. Places of writers are even. */
    void move(int t) {
        long low = Long.MIN_VALUE;
        long high = Long.MAX_VALUE;
        for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
            int key = table.key(o);
            int at = version(key, table.value(o), places[t]);
            if (at < 0) {
                continue;
            }
            low = Math.max(low, places[writers[at]]);
            int next = at + 1;
            while (next < first[key + 1] && writers[next] == writers[at]) {
                next++;
            }
            high = next == first[key + 1] ? high : Math.min(high, places[writers[next]]);
        }
        if (low >= high) {
            // Two writers may be in the wrong order.
            places[t] = low / 2 + high / 2 | 1;
        } else if (places[t] < low) {
            places[t] = low + 1;
        } else if (places[t] > high) {
            places[t] = high - 1;
        }
    }

    /** The place in the list of the write of a value that is nearest, or -1. */
    private int version(int key, long value, long place) {
        int from = first[key];
        for (int to = first[key + 1]; from < to; ) {
            int middle = (from + to) >>> 1;
            if (places[writers[middle]] < place) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        for (int far = 0; far < MOST; far++) {
            int before = from - 1 - far;
            if (before >= first[key] && table.value(writes[before]) == value) {
                return before;
            }
            if (from + far < first[key + 1] && table.value(writes[from + far]) == value) {
                return from + far;
            }
        }
        return -1;
    }
}
