package org.polygraph.jobs.windows;

import it.unimi.dsi.fastutil.HashCommon;
import java.util.Arrays;

/** Numbers 0, 1, 2... for pairs of a key and a value, in order of first appearance. Memory: 28 to 40 bytes a pair. */
final class KeyValues {
    private static final int LEAST = 16;

    private int[] slots = new int[LEAST];
    private int[] keys = new int[LEAST];
    private long[] values = new long[LEAST];
    private int size;

    KeyValues() {
        Arrays.fill(slots, -1);
    }

    int size() {
        return size;
    }

    int key(int pair) {
        return keys[pair];
    }

    long value(int pair) {
        return values[pair];
    }

    /** The number of a pair; -1 if it is none. */
    int find(int key, long value) {
        return slots[slot(key, value)];
    }

    /** The number of a pair, which is added if it is new. */
    int add(int key, long value) {
        int slot = slot(key, value);
        if (slots[slot] >= 0) {
            return slots[slot];
        }
        if (size == keys.length) {
            keys = Arrays.copyOf(keys, 2 * size);
            values = Arrays.copyOf(values, 2 * size);
        }
        keys[size] = key;
        values[size] = value;
        slots[slot] = size++;
        if (2 * size > slots.length) {
            slots = new int[4 * size];
            Arrays.fill(slots, -1);
            for (int i = 0; i < size; i++) {
                slots[slot(keys[i], values[i])] = i;
            }
        }
        return size - 1;
    }

    private int slot(int key, long value) {
        int slot = (int) ((HashCommon.mix(value + HashCommon.mix((long) key)) >>> 1) % slots.length);
        while (slots[slot] >= 0 && (keys[slots[slot]] != key || values[slots[slot]] != value)) {
            slot = slot + 1 == slots.length ? 0 : slot + 1;
        }
        return slot;
    }
}
