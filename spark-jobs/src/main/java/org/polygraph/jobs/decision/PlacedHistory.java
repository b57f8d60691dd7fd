package org.polygraph.jobs.decision;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.longs.LongArrays;
import java.util.Arrays;
import org.polygraph.partitioner.index.CommitStatus;
import org.polygraph.partitioner.index.TransactionScan;
import org.polygraph.storage.table.HistoryTable;

/**
 * A history whose events have places in a total order, which extends session order. At SER a transaction is one event;
 * at SI its snapshot and its commit, see {@link org.polygraph.partitioner.graph.Events}. A read is violated if the last
 * counted write of its key that is committed before its snapshot has another value. At SI a write is violated if a
 * counted transaction that writes the key commits before it, but after its snapshot.
 *
 * <p>Places decide nothing: they are the order that is tried first, and {@link #reorder} changes them.
 */
final class PlacedHistory {
    private final HistoryTable table;
    private final int shift;
    private final byte[] roles;
    private final byte[] states;
    private final boolean[] counted;
    private final int[] transactionOf;
    private final int[] order;
    private final int[] places;
    private final int[] keyStarts;
    private final int[] byKey;
    private final int[] writeStarts;
    private final int[] writes;
    private long[] items = new long[64];

    /**
     * Sorts the operations of each key.
     *
     * @param eventsPerTransaction 1 or 2
     * @param roles by operation: external reads and visible writes, see {@link TransactionScan}
     * @param order events by place; kept, and changed by {@link #reorder}
     */
    PlacedHistory(HistoryTable table, int eventsPerTransaction, byte[] roles, CommitStatus status, int[] order) {
        this.table = table;
        this.shift = eventsPerTransaction - 1;
        this.roles = roles;
        this.states = status.states();
        this.order = order;
        int n = table.transactions();
        counted = new boolean[n];
        places = new int[order.length];
        transactionOf = new int[table.operations()];
        for (int t = 0; t < n; t++) {
            counted[t] = status.isCounted(t);
            Arrays.fill(transactionOf, table.firstOperation(t), table.operationsEnd(t), t);
        }
        keyStarts = new int[table.keys().size() + 1];
        writeStarts = new int[keyStarts.length];
        for (int o = 0; o < roles.length; o++) {
            keyStarts[table.key(o) + 1] += isVisible(o) ? 1 : 0;
            writeStarts[table.key(o) + 1] += isVisible(o) && table.isWrite(o) ? 1 : 0;
        }
        for (int k = 0; k + 1 < keyStarts.length; k++) {
            keyStarts[k + 1] += keyStarts[k];
            writeStarts[k + 1] += writeStarts[k];
        }
        byKey = new int[keyStarts[keyStarts.length - 1]];
        writes = new int[writeStarts[keyStarts.length - 1]];
        int[] next = keyStarts.clone();
        // Reads of a transaction precede its writes, also where both have one place.
        for (int place = 0; place < order.length; place++) {
            int event = order[place];
            places[event] = place;
            if (event == begin(transaction(event))) {
                addOperations(event, false, next);
            }
            if (event == commit(transaction(event))) {
                addOperations(event, true, next);
            }
        }
        for (int k = 0; k + 1 < keyStarts.length; k++) {
            keepWrites(keyStarts[k], keyStarts[k + 1], writeStarts[k]);
        }
    }

    /** Copies the writes among operations of a key to the list of its writes. */
    private void keepWrites(int from, int to, int at) {
        for (int i = from, next = at; i < to; i++) {
            if (table.isWrite(byKey[i])) {
                writes[next++] = byKey[i];
            }
        }
    }

    private void addOperations(int event, boolean isWrite, int[] next) {
        int t = transaction(event);
        for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
            if (table.isWrite(o) == isWrite && isVisible(o)) {
                byKey[next[table.key(o)]++] = o;
            }
        }
    }

    HistoryTable table() {
        return table;
    }

    int eventsPerTransaction() {
        return shift + 1;
    }

    int events() {
        return order.length;
    }

    int begin(int transaction) {
        return transaction << shift;
    }

    int commit(int transaction) {
        return transaction << shift | shift;
    }

    int transaction(int event) {
        return event >> shift;
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

    /** By transaction, whether it counts at present. Not a copy. */
    boolean[] counted() {
        return counted;
    }

    /** Whether it is an external read or a visible write of a transaction that counts, or may count. */
    boolean isVisible(int operation) {
        return roles[operation] != TransactionScan.HIDDEN && isActive(transactionOf[operation]);
    }

    int transactionOf(int operation) {
        return transactionOf[operation];
    }

    int place(int event) {
        return places[event];
    }

    /** The place of the snapshot of a transaction. */
    int beginPlace(int transaction) {
        return places[begin(transaction)];
    }

    int commitPlace(int transaction) {
        return places[commit(transaction)];
    }

    /** The place at which an operation takes effect. */
    int placeOf(int operation) {
        int t = transactionOf[operation];
        return table.isWrite(operation) ? commitPlace(t) : beginPlace(t);
    }

    /** The event at a place. */
    int atPlace(int place) {
        return order[place];
    }

    /** Events by place. Not a copy. */
    int[] order() {
        return order;
    }

    /** By event: its place. Not a copy. */
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
        return indexAt(byKey, keyStarts[key], keyStarts[key + 1], place);
    }

    private int indexAt(int[] operations, int from, int to, int place) {
        int low = from;
        int high = to;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (placeOf(operations[middle]) < place) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** The last counted write of the key before a place, or -1. */
    int writeBefore(int key, int place) {
        for (int i = indexAt(writes, writeStarts[key], writeStarts[key + 1], place) - 1; i >= writeStarts[key]; i--) {
            if (isCountedWrite(writes[i])) {
                return writes[i];
            }
        }
        return -1;
    }

    /** The first counted write of the key at a place or behind it, or -1. */
    int writeFrom(int key, int place) {
        int end = writeStarts[key + 1];
        for (int i = indexAt(writes, writeStarts[key], end, place); i < end; i++) {
            if (isCountedWrite(writes[i])) {
                return writes[i];
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

    /** Whether a visible operation of a counted transaction is violated. */
    boolean isViolated(int operation) {
        int t = transactionOf[operation];
        if (!counted[t]) {
            return false;
        }
        if (!table.isWrite(operation)) {
            return valueAt(table.key(operation), beginPlace(t)) != table.value(operation);
        }
        if (shift == 0) {
            return false;
        }
        int previous = writeBefore(table.key(operation), commitPlace(t));
        return previous >= 0 && commitPlace(transactionOf[previous]) > beginPlace(t);
    }

    boolean hasViolatedWrite(int transaction) {
        for (int o = table.firstOperation(transaction); shift > 0 && o < table.operationsEnd(transaction); o++) {
            if (table.isWrite(o) && isVisible(o) && isViolated(o)) {
                return true;
            }
        }
        return false;
    }

    /** All violated operations, ascending by key and place. */
    IntArrayList violated() {
        IntArrayList violated = new IntArrayList();
        for (int k = 0; k + 1 < keyStarts.length; k++) {
            long value = table.initialValue(k);
            int last = -1;
            for (int i = keyStarts[k]; i < keyStarts[k + 1]; i++) {
                int o = byKey[i];
                int t = transactionOf[o];
                if (!counted[t]) {
                    continue;
                }
                if (!table.isWrite(o)) {
                    if (table.value(o) != value) {
                        violated.add(o);
                    }
                    continue;
                }
                if (shift > 0 && beginPlace(t) < last) {
                    violated.add(o);
                }
                value = table.value(o);
                last = commitPlace(t);
            }
        }
        return violated;
    }

    /** States whether an optional transaction counts. */
    void count(int transaction, boolean counts) {
        counted[transaction] = counts;
    }

    /** Gives the places from one on to events that had these places in another order. */
    void reorder(int from, int[] events) {
        IntArrayList dirty = new IntArrayList();
        for (int i = 0; i < events.length; i++) {
            int t = transaction(events[i]);
            if (places[events[i]] != from + i) {
                for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                    if (isVisible(o) && (shift == 0 || table.isWrite(o) == (events[i] == commit(t)))) {
                        dirty.add(table.key(o));
                    }
                }
            }
        }
        int[] keys = dirty.toIntArray();
        Arrays.sort(keys);
        int[] firsts = new int[keys.length];
        int[] ends = new int[keys.length];
        int[] firstWrites = new int[keys.length];
        for (int i = 0; i < keys.length; i++) {
            int k = keys[i];
            if (i == 0 || k != keys[i - 1]) {
                firsts[i] = indexAt(k, from);
                ends[i] = indexAt(k, from + events.length);
                firstWrites[i] = indexAt(writes, writeStarts[k], writeStarts[k + 1], from);
            }
        }
        for (int i = 0; i < events.length; i++) {
            order[from + i] = events[i];
            places[events[i]] = from + i;
        }
        for (int i = 0; i < keys.length; i++) {
            sort(firsts[i], ends[i]);
            keepWrites(firsts[i], ends[i], firstWrites[i]);
        }
    }

    private void sort(int from, int to) {
        int count = to - from;
        if (items.length < count) {
            items = new long[Math.max(count, 2 * items.length)];
        }
        for (int i = 0; i < count; i++) {
            int o = byKey[from + i];
            // A place has 31 bits, an operation 31, and reads of a transaction precede its write.
            items[i] = (long) placeOf(o) << 32 | (table.isWrite(o) ? 1L << 31 : 0) | o;
        }
        LongArrays.quickSort(items, 0, count);
        for (int i = 0; i < count; i++) {
            byKey[from + i] = (int) items[i] & Integer.MAX_VALUE;
        }
    }
}
