package org.polygraph.jobs.certificate;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.columnar.HistoryTable;

/**
 * Whom each read returned, by values: a join of the external reads with the writes that transactions leave, on key and
 * value. Both are dealt into parts by the hash of key and value, each small enough that its table stays in cache.
 *
 * <p>Linear time, however the values are spread over keys. Memory: 4 bytes an operation, 4 a key, and 16 more an operation
 * while it works.
 */
final class ReadSources {
    /** The implicit initial transaction. */
    static final int INITIAL = -1;
    /** A write, a read of an own write, or an operation that does not count. */
    static final int NONE = -2;
    /** While joining: a write that its transaction leaves in the key. */
    private static final int LEFT = -3;
    /** While joining: a read that follows no own write of the key. */
    private static final int ASKED = -4;

    /** Further writers of a value, where there is none and where there are several. */
    private static final int NO_OTHER = -1;

    private static final int MANY = -2;

    private static final int PART = 1 << 14;
    private static final int MOST_PARTS = 1 << 10;

    private final HistoryTable table;
    private final boolean[] counted;
    private final int[] starts;
    private final int[] keys;
    private final long[] values;
    /** By operation: a transaction, {@link #INITIAL} or {@link #NONE}. */
    final int[] sources;

    long reads;
    long ownReads;
    long writes;

    /** Of part p, [partStarts[p], partStarts[p + 1]): two longs an operation, its value and (number, key and kind). */
    private int[] partStarts = new int[0];

    private long[] dealt = new long[0];
    private int bits;

    // The table of a part: slot -> key, value, who left it; free where firsts is negative.
    private int[] slotKeys = new int[0];
    private long[] slotValues = new long[0];
    private int[] firsts = new int[0];
    private int[] others = new int[0];

    ReadSources(HistoryTable table, boolean[] counted) {
        this.table = table;
        this.counted = counted;
        starts = table.operationStarts();
        keys = table.operationKeys();
        values = table.operationValues();
        sources = new int[table.operations()];
    }

    /** Finds them. @return the first read that has no source or several, or does not return its own write; or null */
    @Nullable
    String find() {
        String wrong = lookAtEach();
        if (wrong != null) {
            return wrong;
        }
        deal();
        for (int p = 0; p + 1 < partStarts.length && wrong == null; p++) {
            wrong = join(partStarts[p], partStarts[p + 1]);
        }
        dealt = new long[0];
        return wrong;
    }

    /** Each transaction by itself: reads of own writes, and what is left of the rest. */
    private @Nullable String lookAtEach() {
        // By key: the last write of the current transaction, if not below its first operation.
        int[] latest = new int[table.keys().size()];
        Arrays.fill(latest, -1);
        for (int t = 0; t < counted.length; t++) {
            int from = starts[t];
            int to = starts[t + 1];
            if (!counted[t]) {
                Arrays.fill(sources, from, to, NONE);
                continue;
            }
            for (int o = from; o < to; o++) {
                int key = keys[o] >>> 1;
                int own = latest[key];
                if ((keys[o] & 1) == 1) {
                    writes++;
                    if (own >= from) {
                        sources[own] = NONE;
                    }
                    latest[key] = o;
                    sources[o] = LEFT;
                    continue;
                }
                reads++;
                if (own < from) {
                    sources[o] = ASKED;
                    continue;
                }
                ownReads++;
                sources[o] = NONE;
                if (values[own] != values[o]) {
                    return Names.read(table, t, o) + ", but its own latest write is " + Names.value(table, values[own]);
                }
            }
        }
        return null;
    }

    private static long hash(int key, long value) {
        long h = (value * 0x9E3779B97F4A7C15L + key) * 0xC2B2AE3D27D4EB4FL;
        return h ^ h >>> 29;
    }

    private int part(long hash) {
        return (int) (hash >>> 40) & (1 << bits) - 1;
    }

    private void deal() {
        bits = 0;
        while (1 << bits < MOST_PARTS && (long) PART << bits < sources.length) {
            bits++;
        }
        int[] next = new int[(1 << bits) + 1];
        for (int o = 0; o < sources.length; o++) {
            if (sources[o] != NONE) {
                next[part(hash(keys[o] >>> 1, values[o])) + 1]++;
            }
        }
        for (int p = 1; p < next.length; p++) {
            next[p] += next[p - 1];
        }
        partStarts = next.clone();
        if (partStarts[1 << bits] > (Integer.MAX_VALUE - 8) / 2) {
            throw new OutOfMemoryError("more operations than one array holds");
        }
        dealt = new long[2 * partStarts[1 << bits]];
        for (int o = 0; o < sources.length; o++) {
            if (sources[o] != NONE) {
                int at = 2 * next[part(hash(keys[o] >>> 1, values[o]))]++;
                dealt[at] = values[o];
                dealt[at + 1] = (long) o << 32 | keys[o];
            }
        }
    }

    private @Nullable String join(int from, int to) {
        int capacity = Integer.highestOneBit(Math.max(8, to - from)) * 2;
        if (firsts.length < capacity) {
            slotKeys = new int[capacity];
            slotValues = new long[capacity];
            firsts = new int[capacity];
            others = new int[capacity];
        }
        int mask = capacity - 1;
        Arrays.fill(firsts, 0, capacity, -1);
        int t = 0;
        // Operations come in the order of transactions, so whose they are is found by going on from the one before.
        for (int i = from; i < to; i++) {
            int key = (int) dealt[2 * i + 1];
            if ((key & 1) == 1) {
                int o = (int) (dealt[2 * i + 1] >>> 32);
                t = transaction(o, t);
                left(key >>> 1, dealt[2 * i], t, mask);
                sources[o] = NONE;
            }
        }
        t = 0;
        for (int i = from; i < to; i++) {
            int key = (int) dealt[2 * i + 1];
            if ((key & 1) == 0) {
                int o = (int) (dealt[2 * i + 1] >>> 32);
                t = transaction(o, t);
                String wrong = asked(o, t, slot(key >>> 1, dealt[2 * i], mask));
                if (wrong != null) {
                    return wrong;
                }
            }
        }
        return null;
    }

    /** The transaction of an operation, not before the given one: in steps that double, then by bisection. */
    private int transaction(int operation, int from) {
        int low = from;
        int step = 1;
        while (low + step < starts.length && starts[low + step] <= operation) {
            low += step;
            step <<= 1;
        }
        for (; step > 0; step >>= 1) {
            if (low + step < starts.length && starts[low + step] <= operation) {
                low += step;
            }
        }
        return low;
    }

    private int slot(int key, long value, int mask) {
        int i = (int) hash(key, value) & mask;
        while (firsts[i] >= 0 && (slotKeys[i] != key || slotValues[i] != value)) {
            i = i + 1 & mask;
        }
        return i;
    }

    private void left(int key, long value, int t, int mask) {
        int i = slot(key, value, mask);
        if (firsts[i] < 0) {
            slotKeys[i] = key;
            slotValues[i] = value;
            firsts[i] = t;
            others[i] = NO_OTHER;
        } else {
            others[i] = others[i] == NO_OTHER ? t : MANY;
        }
    }

    /** Of the transactions that left the value, and the initial one, all but the reader itself: it must be one. */
    private @Nullable String asked(int o, int t, int slot) {
        int first = firsts[slot];
        int other = first < 0 ? NO_OTHER : others[slot];
        if (first == t) {
            first = other;
            other = NO_OTHER;
        } else if (other == t) {
            other = NO_OTHER;
        }
        boolean initial = values[o] == table.initialValue();
        if (first == MANY || other != NO_OTHER || (first >= 0 && initial)) {
            return Names.read(table, t, o) + ", which several left there";
        }
        if (first < 0 && !initial) {
            return Names.read(table, t, o) + ", which nobody left there";
        }
        sources[o] = initial ? INITIAL : first;
        return null;
    }
}
