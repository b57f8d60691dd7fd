package org.polygraph.jobs.certificate.replay;

import java.util.Arrays;
import org.polygraph.storage.table.HistoryTable;

/**
 * All writes of the keys that a few operations read, each beside the reads of its key. Without an index: one pass over the
 * operations, which looks at a bit each.
 *
 * <p>Linear time; memory: 4 bytes a key, 4 a read, 8 a write of these keys.
 */
final class WritesOfKeys {
    private static final int NONE = -1;
    /** Operations of a call: short loops in small methods are compiled soon, and as a whole. */
    private static final int BLOCK = 256;

    private final int[] starts;
    private final int[] keys;
    private final boolean[] counted;
    /** By key: its last read of those asked for, and by read the one before. */
    private final int[] last;

    private final int[] previous;
    private int[] operations = new int[BLOCK];
    private final int[] writers;
    private int size;

    /**
     * @param counted whose writes took effect; others are left out
     * @param reads operations, of which {@code n} are asked for
     */
    WritesOfKeys(HistoryTable table, boolean[] counted, int[] reads, int n) {
        this.counted = counted;
        starts = table.operationStarts();
        keys = table.operationKeys();
        last = new int[table.keys().size()];
        Arrays.fill(last, NONE);
        previous = new int[n];
        // By key and kind.
        long[] wanted = new long[(2 * last.length >>> 6) + 1];
        for (int i = 0; i < n; i++) {
            int key = keys[reads[i]] >>> 1;
            previous[i] = last[key];
            last[key] = i;
            int write = key << 1 | 1;
            wanted[write >>> 6] |= 1L << write;
        }
        for (int from = 0; from < keys.length; from += BLOCK) {
            if (operations.length - size < BLOCK) {
                operations = Arrays.copyOf(operations, 2 * operations.length);
            }
            size = pick(keys, wanted, operations, size, from, Math.min(keys.length, from + BLOCK));
        }
        writers = new int[size];
        keepCounted();
    }

    private static int pick(int[] keys, long[] wanted, int[] into, int before, int from, int to) {
        int size = before;
        for (int o = from; o < to; o++) {
            if ((wanted[keys[o] >>> 6] & 1L << keys[o]) != 0) {
                into[size++] = o;
            }
        }
        return size;
    }

    private void keepCounted() {
        int found = size;
        size = 0;
        for (int w = 0, t = 0; w < found; w++) {
            t = transaction(t, operations[w]);
            if (counted[t]) {
                operations[size] = operations[w];
                writers[size++] = t;
            }
        }
    }

    /** Whose operation it is: the given one, or one after it. */
    private int transaction(int from, int operation) {
        int t = from;
        int end = counted.length;
        while (end - t > 1) {
            int middle = (t + end) >>> 1;
            if (starts[middle] <= operation) {
                t = middle;
            } else {
                end = middle;
            }
        }
        return t;
    }

    /** How many writes there are, in the order of their operations. */
    int size() {
        return size;
    }

    /** The operation of a write. */
    int operation(int write) {
        return operations[write];
    }

    /** Whose it is. */
    int writer(int write) {
        return writers[write];
    }

    /** A read of its key, by its place among those asked for. */
    int lastRead(int write) {
        return last[keys[operations[write]] >>> 1];
    }

    /** Another read of that key, or -1. */
    int previousRead(int read) {
        return previous[read];
    }
}
