package org.polygraph.jobs.windows;

import it.unimi.dsi.fastutil.longs.LongArrayList;
import org.polygraph.storage.dictionary.ValueDictionary;

/**
 * What is known of each key of a slice while its operations pass in the order of places: the value of the last counted write, and the
 * last operation on the key. A read is violated if it is the first operation of a counted transaction on the key and does not return
 * the value of the last counted write. Memory: 40 bytes a key.
 */
final class KeyStates {
    private static final long NOWHERE = -1;

    private final long initial;
    private final LongArrayList values = new LongArrayList();
    /** The value before the transaction that touched the key last. */
    private final LongArrayList before = new LongArrayList();
    /** By key: the place of the transaction that touched it last. */
    private final LongArrayList places = new LongArrayList();
    /** By key: the value of that transaction's last operation on it. */
    private final LongArrayList seen = new LongArrayList();

    private boolean isFirst;
    private boolean isViolated;
    private boolean isInconsistent;

    /** @param initial code of the value of all keys before the first transaction */
    KeyStates(long initial) {
        this.initial = initial;
    }

    KeyStates(byte[] initial, ValueDictionary values) {
        this(new BlockReader(initial).value(values));
    }

    int size() {
        return values.size();
    }

    /** Takes the next operation of a transaction that counts, or may count. */
    void add(SliceRows row) {
        int key = row.key();
        while (values.size() <= key) {
            values.add(initial);
            before.add(initial);
            places.add(NOWHERE);
            seen.add(initial);
        }
        isFirst = places.getLong(key) != row.place();
        if (isFirst) {
            before.set(key, values.getLong(key));
            places.set(key, row.place());
        }
        boolean counts = row.state() == SliceRows.COUNTED;
        isInconsistent = !isFirst && !row.isWrite() && seen.getLong(key) != row.code();
        isViolated = isFirst && counts && !row.isWrite() && values.getLong(key) != row.code();
        seen.set(key, row.code());
        if (row.isWrite() && counts) {
            values.set(key, row.code());
        }
    }

    /** Whether it was the first one of its transaction on the key. */
    boolean isFirst() {
        return isFirst;
    }

    boolean isViolated() {
        return isViolated;
    }

    /** Whether it was a read that does not agree with its transaction's operation before on the key. */
    boolean isInconsistent() {
        return isInconsistent;
    }

    /** The value before the transaction that touched the key last. */
    long before(int key) {
        return before.getLong(key);
    }

    /** The value after all operations so far. */
    long value(int key) {
        return values.getLong(key);
    }
}
