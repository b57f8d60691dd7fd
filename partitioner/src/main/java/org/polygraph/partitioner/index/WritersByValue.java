package org.polygraph.partitioner.index;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.util.Arrays;

/**
 * The writers of one key by value: open addressing, reused for the next key. It clears only the slots that the next key
 * needs; maps of fastutil clear all. 12 bytes a slot, 2 to 4 slots a writer; 8 more a value that has two writers.
 */
final class WritersByValue {
    /** No writer. */
    static final int NONE = -1;
    /** More than one. */
    static final int SEVERAL = -2;
    /** A value with two writers has this, less the place of the first of them in {@link #pairs}. */
    private static final int PAIR = -3;

    private long[] values = new long[32];
    private int[] writers = new int[32];
    private int mask;
    private final IntArrayList pairs = new IntArrayList();

    /** Forgets the last key and makes room for this many values. */
    void clear(int count) {
        int capacity = Integer.highestOneBit(Math.max(16, count) * 2 - 1) * 2;
        if (capacity > writers.length) {
            values = new long[capacity];
            writers = new int[capacity];
        }
        mask = capacity - 1;
        Arrays.fill(writers, 0, capacity, NONE);
        pairs.clear();
    }

    /** Adds a writer of a value that {@link #find} is asked for. The writers of a value differ. */
    void add(long value, int writer) {
        int i = slot(value);
        int before = writers[i];
        if (before >= 0) {
            writers[i] = PAIR - pairs.size();
            pairs.add(before);
            pairs.add(writer);
        } else {
            writers[i] = before == NONE ? writer : SEVERAL;
        }
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

    /** The writer of the value, {@link #NONE}, or a number below for {@link #exceptReader}. */
    int find(long value) {
        return writers[slot(value)];
    }

    /** The only one of several writers that is not the reader, or {@link #SEVERAL}. @param found by {@link #find} */
    int exceptReader(int found, int reader) {
        if (found == SEVERAL) {
            return SEVERAL;
        }
        int first = pairs.getInt(PAIR - found);
        int second = pairs.getInt(PAIR - found + 1);
        return reader == first ? second : reader == second ? first : SEVERAL;
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
