package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.Arrays;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntOpenHashSet;
import it.unimi.dsi.fastutil.longs.LongArrayList;

/** Versions of rows, sorted by the values of one column, to find the keys that have a version within bounds. */
final class VersionSearch {
    private final long[] values;
    private final int[] keys;

    /** Sorts versions; those at the same place of both lists belong together. */
    VersionSearch(LongArrayList unsorted, IntArrayList keysOf) {
        values = unsorted.toLongArray();
        keys = keysOf.toIntArray();
        Arrays.quickSort(0, values.length, (a, b) -> Long.compare(values[a], values[b]), (a, b) -> {
            long value = values[a];
            values[a] = values[b];
            values[b] = value;
            int key = keys[a];
            keys[a] = keys[b];
            keys[b] = key;
        });
    }

    /** Adds the keys that have a version within bounds. */
    void collect(long low, long high, IntOpenHashSet found) {
        int from = 0;
        for (int to = values.length; from < to; ) {
            int middle = (from + to) >>> 1;
            if (values[middle] < low) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        while (from < values.length && values[from] <= high) {
            found.add(keys[from++]);
        }
    }
}
