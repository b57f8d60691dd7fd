package org.polygraph.jobs.windows;

import java.util.Arrays;

/**
 * For each key of a slice, while its operations are read in the order of places: the value of the last counted write, and the
 * last operation on the key. A read is violated if it is the first operation of a counted event on the key and does not return
 * the value of the last counted write. Memory: 32 to 64 bytes a key.
 */
final class KeyStates {
    private static final long NOWHERE = -1;

    private static final int VALUE = 0;
    /** The value before the event that touched the key last. */
    private static final int BEFORE = 1;
    /** The place of the event that touched the key last. */
    private static final int PLACE = 2;
    /** The value of that event's last operation on the key. */
    private static final int SEEN = 3;

    private static final int FIELDS = 4;

    private final SliceRows rows;
    /** By key its fields, which are used together. */
    private long[] states = new long[0];

    private int size;
    private boolean isFirst;
    private boolean isViolated;
    private boolean isInconsistent;

    KeyStates(SliceRows rows) {
        this.rows = rows;
    }

    /** Takes the operation at which the rows are, of a transaction that counts or may count. */
    void add() {
        SliceRows row = rows;
        int key = row.key();
        if (key >= size) {
            grow(key);
        }
        int at = FIELDS * key;
        isFirst = states[at + PLACE] != row.place();
        if (isFirst) {
            states[at + BEFORE] = states[at + VALUE];
            states[at + PLACE] = row.place();
        }
        boolean counts = row.state() == SliceRows.COUNTED;
        isInconsistent = !isFirst && !row.isWrite() && states[at + SEEN] != row.code();
        isViolated = isFirst && counts && !row.isWrite() && states[at + VALUE] != row.code();
        states[at + SEEN] = row.code();
        if (row.isWrite() && counts) {
            states[at + VALUE] = row.code();
        }
    }

    private void grow(int key) {
        if (FIELDS * (key + 1) > states.length) {
            states = Arrays.copyOf(states, 2 * FIELDS * (key + 1));
        }
        for (; size <= key; size++) {
            Arrays.fill(states, FIELDS * size, FIELDS * (size + 1), rows.initial(size));
            states[FIELDS * size + PLACE] = NOWHERE;
        }
    }

    /** Whether the operation was the first one of its event on the key. */
    boolean isFirst() {
        return isFirst;
    }

    boolean isViolated() {
        return isViolated;
    }

    /** Whether the operation was a read that contradicts the operation on the key before it in its event. */
    boolean isInconsistent() {
        return isInconsistent;
    }

    /** The value before the event that touched the key last. */
    long before(int key) {
        return states[FIELDS * key + BEFORE];
    }
}
