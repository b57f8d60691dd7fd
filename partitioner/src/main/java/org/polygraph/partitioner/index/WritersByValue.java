package org.polygraph.partitioner.index;

import java.util.Arrays;

/**
 * The writers of one key by value: open addressing, reused for the next key. It clears only the slots that the next key
 * needs; maps of fastutil clear all. 12 bytes a slot, 2 to 4 slots a writer.
 */
final class WritersByValue {
    /** No writer. */
    static final int NONE = -1;
    /** More than one was passed to {@link #add}. */
    static final int SEVERAL = -2;

    private long[] values = new long[64];
    private int[] writers = new int[64];
    private int mask;

    /** Forgets the last key and makes room for this many values. */
    void clear(int count) {
        int capacity = Integer.highestOneBit(Math.max(16, count) * 2 - 1) * 2;
        if (capacity > writers.length) {
            values = new long[capacity];
            writers = new int[capacity];
        }
        mask = capacity - 1;
        Arrays.fill(writers, 0, capacity, NONE);
    }

    /** Adds a writer of a value that {@link #find} may then call {@link #SEVERAL}. */
    void add(long value, int writer) {
        int i = slot(value);
        writers[i] = writers[i] == NONE ? writer : SEVERAL;
        values[i] = value;
    }

    /** @return the writer that the value had, or {@link #NONE} if it now has this one */
    int putIfAbsent(long value, int writer) {
        int i = slot(value);
        if (writers[i] != NONE) {
            return writers[i];
        }
        writers[i] = writer;
        values[i] = value;
        return -1;
    }

    /** The writer of the value, {@link #NONE} or {@link #SEVERAL}. */
    int find(long value) {
        return writers[slot(value)];
    }

    private int slot(long value) {
        long h = value * 0x9E3779B97F4A7C15L;
        int i = (int) (h >>> 32) & mask;
        while (writers[i] != NONE && values[i] != value) {
            i = (i + 1) & mask;
        }
        return i;
    }
}
