package org.polygraph.jobs.certificate.replay;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Names;
import org.polygraph.storage.table.HistoryTable;

/**
 * Whom each read returned, by values: a join of the external reads with the writes that transactions leave, on key and
 * value. Both are dealt into parts by the hash of key and value, each small enough that its table stays in cache.
 *
 * <p>Linear time, however the values are spread over keys. Memory: 4 bytes an operation, 4 a key, and 16 more an operation
 * while it works.
 */
final class SourcesByValue {
    /** The implicit initial transaction. */
    static final int INITIAL = -1;
    /** A write, a read of an own write, or an operation that does not count. */
    static final int NONE = -2;
    /** While joining: a write that its transaction leaves in the key. */
    private static final int LEFT = -3;
    /** While joining: a read that follows no own write of the key, */
    private static final int ASKED = -4;
    /** or that reads what its own transaction leaves there later. */
    private static final int ASKED_OWN = -5;

    /** Further writers of a value, where there is none and where there are several. */
    private static final int NO_OTHER = -1;

    private static final int MANY = -2;

    private static final int PART = 1 << 13;
    private static final int MOST_PARTS = 1 << 11;

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
    /** Whether it ended at a read that has several sources. */
    boolean isAmbiguous;

    /** Writes of part p are dealt to [partStarts[2p], partStarts[2p + 1]), its reads from there to partStarts[2p + 2]. */
    private int[] partStarts = new int[0];

    /** Two longs an operation: its value, and (a write's transaction or the number of a read, key). */
    private long[] dealt = new long[0];

    private int bits;

    /** The table of a part: the first write of the slot's key and value, or -1. */
    private int[] slots = new int[0];

    /** By write of the part: who else left the value, {@link #NO_OTHER} or {@link #MANY}. */
    private int[] others = new int[0];

    SourcesByValue(HistoryTable table, boolean[] counted) {
        this.table = table;
        this.counted = counted;
        starts = table.operationStarts();
        keys = table.operationKeys();
        values = table.operationValues();
        sources = new int[table.operations()];
    }

    /**
     * Finds them.
     *
     * @return the first read that has no source or several, or does not return its own write; or null
     */
    @Nullable
    String find() {
        String wrong = lookAtEach();
        if (wrong != null) {
            return wrong;
        }
        deal();
        for (int p = 0; p + 1 < partStarts.length && wrong == null; p += 2) {
            wrong = join(partStarts[p], partStarts[p + 1], partStarts[p + 2]);
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
            boolean asks = false;
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
                    asks = true;
                    continue;
                }
                ownReads++;
                sources[o] = NONE;
                if (values[own] != values[o]) {
                    return Names.read(table, o) + ", but its own latest write is " + Names.value(table, values[own]);
                }
            }
            for (int o = from; asks && o < to; o++) {
                int own = latest[keys[o] >>> 1];
                if (sources[o] == ASKED && own >= from && values[own] == values[o]) {
                    sources[o] = ASKED_OWN;
                }
            }
        }
        return null;
    }

    private static long hash(int key, long value) {
        long h = (value ^ key * 0xD6E8FEB86659FD93L) * 0x9E3779B97F4A7C15L;
        h = (h ^ h >>> 32) * 0xC2B2AE3D27D4EB4FL;
        return h ^ h >>> 29;
    }

    private void deal() {
        bits = 0;
        while (1 << bits < MOST_PARTS && (long) PART << bits < sources.length) {
            bits++;
        }
        int[] next = new int[(2 << bits) + 1];
        for (int o = 0; o < sources.length; o++) {
            if (sources[o] != NONE) {
                next[part(o) + 1]++;
            }
        }
        for (int p = 1; p < next.length; p++) {
            next[p] += next[p - 1];
        }
        partStarts = next.clone();
        int all = partStarts[partStarts.length - 1];
        if (all > (Integer.MAX_VALUE - 8) / 2) {
            throw new OutOfMemoryError("more operations than one array holds");
        }
        dealt = new long[2 * all];
        for (int t = 0; t < counted.length; t++) {
            for (int o = starts[t]; o < starts[t + 1]; o++) {
                if (sources[o] != NONE) {
                    int at = 2 * next[part(o)]++;
                    dealt[at] = values[o];
                    boolean left = sources[o] == LEFT;
                    dealt[at + 1] = (long) (left ? t : o) << 32 | keys[o] >>> 1;
                    sources[o] = left ? NONE : sources[o];
                }
            }
        }
    }

    private int part(int o) {
        int part = (int) (hash(keys[o] >>> 1, values[o]) >>> 40) & (1 << bits) - 1;
        return 2 * part + (~keys[o] & 1);
    }

    private @Nullable String join(int from, int reads, int to) {
        int capacity = Integer.highestOneBit(Math.max(8, reads - from)) * 4;
        if (slots.length < capacity) {
            slots = new int[capacity];
        }
        if (others.length < reads - from) {
            others = new int[capacity];
        }
        int mask = capacity - 1;
        Arrays.fill(slots, 0, capacity, -1);
        for (int i = from; i < reads; i++) {
            int slot = slot(i, mask);
            int first = slots[slot];
            if (first < 0) {
                slots[slot] = i;
                others[i - from] = NO_OTHER;
            } else {
                others[first - from] = others[first - from] == NO_OTHER ? number(i) : MANY;
            }
        }
        for (int i = reads; i < to; i++) {
            int first = slots[slot(i, mask)];
            String wrong =
                    first < 0 ? asked(number(i), -1, NO_OTHER) : asked(number(i), number(first), others[first - from]);
            if (wrong != null) {
                return wrong;
            }
        }
        return null;
    }

    /** A write's transaction, a read's number. */
    private int number(int i) {
        return (int) (dealt[2 * i + 1] >>> 32);
    }

    /** Where the key and value of a dealt operation are, or would be. */
    private int slot(int i, int mask) {
        long value = dealt[2 * i];
        int key = (int) dealt[2 * i + 1];
        int slot = (int) hash(key, value) & mask;
        for (int j; (j = slots[slot]) >= 0; slot = slot + 1 & mask) {
            if (dealt[2 * j] == value && (int) dealt[2 * j + 1] == key) {
                break;
            }
        }
        return slot;
    }

    /**
     * Of the transactions that left the value, and the initial one, all but the reader itself: it must be one.
     *
     * @param first a transaction, or -1 if there is none
     * @param other {@link #NO_OTHER}, a second one, or {@link #MANY}
     */
    private @Nullable String asked(int o, int first, int other) {
        int source = first;
        int more = other;
        if (sources[o] == ASKED_OWN) {
            // It is among them.
            boolean isFirst = o >= starts[first] && o < starts[first + 1];
            source = isFirst ? other : first;
            more = other == MANY ? MANY : NO_OTHER;
        }
        boolean initial = values[o] == table.initialValue();
        if (more != NO_OTHER || (source >= 0 && initial)) {
            isAmbiguous = true;
            return Names.read(table, o) + ", which several left there";
        }
        if (source < 0 && !initial) {
            return Names.read(table, o) + ", which nobody left there";
        }
        sources[o] = initial ? INITIAL : source;
        return null;
    }
}
