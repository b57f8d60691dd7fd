package org.polygraph.jobs.decision;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.longs.LongArrays;
import java.util.Arrays;
import org.polygraph.partitioner.index.CommitStatus;
import org.polygraph.partitioner.index.TransactionScan;
import org.polygraph.storage.table.HistoryTable;

/**
 * A history for SER whose transactions have places in a total order, which extends session order. A read is violated if the last
 * counted write of its key before its place has another value. A transaction reads a key before it writes it.
 *
 * <p>Places decide nothing: they are the order that is tried first, and {@link #reorder} changes them.
 */
final class PlacedHistory {
    private final HistoryTable table;
    private final byte[] roles;
    private final byte[] states;
    private final boolean[] counted;
    private final int[] transactionOf;
    private final int[] order;
    private final int[] places;
    private final int[] keyStarts;
    private final int[] byKey;
    private long[] keys = new long[64];

    /**
     * Sorts the operations of each key.
     *
     * @param roles by operation: external reads and visible writes, see {@link TransactionScan}
     * @param order transactions by place; kept, and changed by {@link #reorder}
     */
    PlacedHistory(HistoryTable table, byte[] roles, CommitStatus status, int[] order) {
        this.table = table;
        this.roles = roles;
        this.states = status.states();
        this.order = order;
        int n = table.transactions();
        counted = new boolean[n];
        places = new int[n];
        transactionOf = new int[table.operations()];
        for (int t = 0; t < n; t++) {
            counted[t] = status.isCounted(t);
            places[order[t]] = t;
            Arrays.fill(transactionOf, table.firstOperation(t), table.operationsEnd(t), t);
        }
        keyStarts = new int[table.keys().size() + 1];
        for (int o = 0; o < roles.length; o++) {
            keyStarts[table.key(o) + 1] += isVisible(o) ? 1 : 0;
        }
        for (int k = 0; k + 1 < keyStarts.length; k++) {
            keyStarts[k + 1] += keyStarts[k];
        }
        byKey = new int[keyStarts[keyStarts.length - 1]];
        int[] next = keyStarts.clone();
        for (int place = 0; place < n; place++) {
            int t = order[place];
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                if (isVisible(o)) {
                    byKey[next[table.key(o)]++] = o;
                }
            }
        }
        for (int k = 0; k + 1 < keyStarts.length; k++) {
            sort(k);
        }
    }

    HistoryTable table() {
        return table;
    }

    /** Whether the transaction counts, or may count. Only such transactions move. */
    boolean isActive(int transaction) {
        return states[transaction] != CommitStatus.DROPPED;
    }

    /** Whether its outcome is unknown and open. */
    boolean isOptional(int transaction) {
        return states[transaction] == CommitStatus.OPTIONAL;
    }

    /** Whether the transaction counts at present. */
    boolean isCounted(int transaction) {
        return counted[transaction];
    }

    /** Whether it is an external read or a visible write of a transaction that counts, or may count. */
    boolean isVisible(int operation) {
        return roles[operation] != TransactionScan.HIDDEN && isActive(transactionOf[operation]);
    }

    int transactionOf(int operation) {
        return transactionOf[operation];
    }

    int place(int transaction) {
        return places[transaction];
    }

    int atPlace(int place) {
        return order[place];
    }

    /** Transactions by place. Not a copy. */
    int[] order() {
        return order;
    }

    /** By transaction: its place. Not a copy. */
    int[] places() {
        return places;
    }

    /** The first index of the visible operations of a key; the last is before that of the next key. */
    int firstOf(int key) {
        return keyStarts[key];
    }

    /** By index: the visible operations of a key, ascending by place. */
    int operation(int index) {
        return byKey[index];
    }

    /** The first index of a visible operation of the key at a place or behind it. */
    int indexAt(int key, int place) {
        int low = keyStarts[key];
        int high = keyStarts[key + 1];
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (places[transactionOf[byKey[middle]]] < place) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** The last counted write of the key before a place, or -1. */
    int writeBefore(int key, int place) {
        for (int i = indexAt(key, place) - 1; i >= keyStarts[key]; i--) {
            if (isCountedWrite(byKey[i])) {
                return byKey[i];
            }
        }
        return -1;
    }

    boolean isCountedWrite(int operation) {
        return table.isWrite(operation) && counted[transactionOf[operation]];
    }

    /** The value of the key at a place, before the transaction there writes. */
    long valueAt(int key, int place) {
        int write = writeBefore(key, place);
        return write < 0 ? table.initialValue(key) : table.value(write);
    }

    /** Whether a visible read of a counted transaction does not return the last write before it. */
    boolean isViolated(int read) {
        int t = transactionOf[read];
        return counted[t] && valueAt(table.key(read), places[t]) != table.value(read);
    }

    /** All violated reads, ascending by key and place. */
    IntArrayList violatedReads() {
        IntArrayList violated = new IntArrayList();
        for (int k = 0; k + 1 < keyStarts.length; k++) {
            long value = table.initialValue(k);
            for (int i = keyStarts[k]; i < keyStarts[k + 1]; i++) {
                int o = byKey[i];
                if (counted[transactionOf[o]]) {
                    if (table.isWrite(o)) {
                        value = table.value(o);
                    } else if (table.value(o) != value) {
                        violated.add(o);
                    }
                }
            }
        }
        return violated;
    }

    /** States whether an optional transaction counts. */
    void count(int transaction, boolean counts) {
        counted[transaction] = counts;
    }

    /** Gives the places from one on to transactions that had these places in another order. */
    void reorder(int from, int[] transactions) {
        IntArrayList moved = new IntArrayList();
        for (int i = 0; i < transactions.length; i++) {
            int t = transactions[i];
            if (places[t] != from + i) {
                moved.add(t);
            }
            order[from + i] = t;
            places[t] = from + i;
        }
        IntArrayList dirty = new IntArrayList();
        for (int i = 0; i < moved.size(); i++) {
            int t = moved.getInt(i);
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                if (isVisible(o)) {
                    dirty.add(table.key(o));
                }
            }
        }
        int[] keyIds = dirty.toIntArray();
        Arrays.sort(keyIds);
        for (int i = 0; i < keyIds.length; i++) {
            if (i == 0 || keyIds[i] != keyIds[i - 1]) {
                sort(keyIds[i]);
            }
        }
    }

    private void sort(int key) {
        int from = keyStarts[key];
        int count = keyStarts[key + 1] - from;
        if (keys.length < count) {
            keys = new long[Math.max(count, 2 * keys.length)];
        }
        for (int i = 0; i < count; i++) {
            int o = byKey[from + i];
            // A place has 31 bits, an operation 31, and reads of a transaction precede its write.
            keys[i] = (long) places[transactionOf[o]] << 32 | (table.isWrite(o) ? 1L << 31 : 0) | o;
        }
        LongArrays.quickSort(keys, 0, count);
        for (int i = 0; i < count; i++) {
            byKey[from + i] = (int) keys[i] & Integer.MAX_VALUE;
        }
    }
}
