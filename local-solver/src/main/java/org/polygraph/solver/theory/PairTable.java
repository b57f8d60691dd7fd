package org.polygraph.solver.theory;

import org.polygraph.solver.sat.SearchBudget;

/** An open-addressed map from a long to a non-negative int; linear probing, at most half full; nothing is removed. */
public final class PairTable {
    /** The answer for a key that is absent. */
    public static final int ABSENT = -1;

    private final SearchBudget budget;
    private long[] keys;
    private int[] values;
    private int size;

    public PairTable(SearchBudget budget) {
        this.budget = budget;
        keys = new long[16];
        values = new int[16];
        java.util.Arrays.fill(values, ABSENT);
    }

    /** The value of {@code key}, or {@link #ABSENT}. */
    public int get(long key) {
        return values[slot(key)];
    }

    /** Puts a key that is absent. */
    public void put(long key, int value) {
        if (2 * (size + 1) > keys.length) {
            enlarge();
        }
        int slot = slot(key);
        keys[slot] = key;
        values[slot] = value;
        size++;
    }

    private int slot(long key) {
        int mask = keys.length - 1;
        long hash = key * 0x9E3779B97F4A7C15L;
        int slot = (int) (hash >>> 32) & mask;
        while (values[slot] != ABSENT && keys[slot] != key) {
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    private void enlarge() {
        long[] oldKeys = keys;
        int[] oldValues = values;
        budget.check();
        budget.reserve(24L * oldKeys.length);
        keys = new long[2 * oldKeys.length];
        values = new int[keys.length];
        java.util.Arrays.fill(values, ABSENT);
        for (int i = 0; i < oldKeys.length; i++) {
            if (oldValues[i] != ABSENT) {
                int slot = slot(oldKeys[i]);
                keys[slot] = oldKeys[i];
                values[slot] = oldValues[i];
            }
        }
        budget.reserve(-12L * oldKeys.length);
    }
}
