package org.polygraph.jobs.windows;

import it.unimi.dsi.fastutil.HashCommon;
import java.util.Arrays;

/**
 * Numbers 0, 1, 2... for pairs of a key and a value, in order of first appearance. A slot of the hash table holds the whole pair, so
 * that a look-up touches one line of memory. Memory: 44 to 88 bytes a pair.
 */
final class KeyValues {
    private static final int LEAST = 16;

    /** By slot: the value; then the key in the upper half, and the number of the pair plus 1 in the lower; 0 if the slot is free. */
    private long[] slots = new long[4 * LEAST];

    private int[] keys = new int[LEAST];
    private long[] values = new long[LEAST];
    private int size;

    int size() {
        return size;
    }

    int key(int pair) {
        return keys[pair];
    }

    long value(int pair) {
        return values[pair];
    }

    /** The number of a pair; -1 if it has not been added. */
    int find(int key, long value) {
        return (int) slots[slot(key, value) + 1] - 1;
    }

    /** The number of a pair, which is added if it is new. */
    int add(int key, long value) {
        int slot = slot(key, value);
        int found = (int) slots[slot + 1] - 1;
        if (found >= 0) {
            return found;
        }
        if (size == keys.length) {
            keys = Arrays.copyOf(keys, 2 * size);
            values = Arrays.copyOf(values, 2 * size);
            slots = new long[4 * keys.length];
            for (int i = 0; i < size; i++) {
                put(slot(keys[i], values[i]), i);
            }
            slot = slot(key, value);
        }
        keys[size] = key;
        values[size] = value;
        put(slot, size);
        return size++;
    }

    private void put(int slot, int pair) {
        slots[slot] = values[pair];
        slots[slot + 1] = (long) keys[pair] << Integer.SIZE | (pair + 1);
    }

    private int slot(int key, long value) {
        int mask = slots.length - 1;
        int slot = (int) HashCommon.mix(value + HashCommon.mix((long) key)) << 1 & mask;
        while (slots[slot + 1] != 0 && (slots[slot] != value || (int) (slots[slot + 1] >>> Integer.SIZE) != key)) {
            slot = slot + 2 & mask;
        }
        return slot;
    }
}
