package org.polygraph.jobs.certificate.replay;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Names;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.Operations;

/**
 * The transaction that each read read from, by values: a hash join of the external reads with the last writes of
 * transactions, on key and value. Both are partitioned by the hash of key and value, so that the hash table of a
 * partition stays in cache.
 *
 * <p>Linear time for any distribution of values over keys. Memory: 4 bytes per operation, 4 per key, and 16 more per
 * operation during the join.
 */
final class SourcesByValue {
    /** The implicit initial transaction. */
    static final int INITIAL = -1;
    /** A write, a read of an own write, or an operation that does not count. */
    static final int NONE = -2;
    /** While joining: the last write of the key in its transaction. */
    private static final int LEFT = -3;
    /** While joining: a read that follows no own write of the key. */
    private static final int ASKED = -4;
    /** While joining: such a read of a value that its own transaction later leaves in the key. */
    private static final int ASKED_OWN = -5;

    /** In place of the second writer of a value: there is none. */
    private static final int NO_OTHER = -1;
    /** In place of the second writer of a value: there are several. */
    private static final int MANY = -2;

    private static final int PARTITION = 1 << 13;
    private static final int MOST_PARTITIONS = 1 << 11;

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
    /** Whether {@link #find} ended at a read that has several possible sources. */
    boolean isAmbiguous;

    /**
     * Partition p has its writes in [partitions[2p], partitions[2p + 1]) and its reads from there to partitions[2p +
     * 2].
     */
    private int[] partitions = new int[0];

    /** Two longs per operation: its value, and (transaction of a write or operation of a read, key). */
    private long[] joined = new long[0];

    private int bits;

    /** The hash table of a partition: the first write of the slot's key and value, or -1. */
    private int[] slots = new int[0];

    /** By write of the partition: the second writer of the value, {@link #NO_OTHER} or {@link #MANY}. */
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
     * Finds the sources of all reads.
     *
     * @return the first read that has no source or several, or does not return its own write; or null
     */
    @Nullable
    String find() {
        String wrong = classify();
        if (wrong != null) {
            return wrong;
        }
        partition();
        for (int p = 0; p + 1 < partitions.length && wrong == null; p += 2) {
            wrong = join(partitions[p], partitions[p + 1], partitions[p + 2]);
        }
        joined = new long[0];
        return wrong;
    }

    /** Checks reads of own writes and classifies the other operations, transaction by transaction. */
    private @Nullable String classify() {
        // By key: the last write so far; it belongs to the current transaction iff it is not before its first
        // operation.
        int[] latest = new int[table.keys().size()];
        Arrays.fill(latest, -1);
        for (int t = 0; t < counted.length; t++) {
            int from = starts[t];
            int to = starts[t + 1];
            if (!counted[t]) {
                Arrays.fill(sources, from, to, NONE);
                continue;
            }
            boolean hasExternalRead = false;
            for (int o = from; o < to; o++) {
                int key = Operations.key(keys[o]);
                int own = latest[key];
                if (Operations.isWrite(keys[o])) {
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
                    hasExternalRead = true;
                    continue;
                }
                ownReads++;
                sources[o] = NONE;
                if (values[own] != values[o]) {
                    return Names.read(table, o) + ", but its own latest write is " + Names.value(table, values[own]);
                }
            }
            for (int o = from; hasExternalRead && o < to; o++) {
                int own = latest[Operations.key(keys[o])];
                if (sources[o] == ASKED && own >= from && values[own] == values[o]) {
                    sources[o] = ASKED_OWN;
                }
            }
        }
        return null;
    }

    static long hash(int key, long value) {
        long h = (value ^ key * 0xD6E8FEB86659FD93L) * 0x9E3779B97F4A7C15L;
        h = (h ^ h >>> 32) * 0xC2B2AE3D27D4EB4FL;
        return h ^ h >>> 29;
    }

    private void partition() {
        bits = 0;
        while (1 << bits < MOST_PARTITIONS && (long) PARTITION << bits < sources.length) {
            bits++;
        }
        int[] next = new int[(2 << bits) + 1];
        for (int o = 0; o < sources.length; o++) {
            if (sources[o] != NONE) {
                next[partitionOf(o) + 1]++;
            }
        }
        for (int p = 1; p < next.length; p++) {
            next[p] += next[p - 1];
        }
        partitions = next.clone();
        int all = partitions[partitions.length - 1];
        if (all > (Integer.MAX_VALUE - 8) / 2) {
            throw new OutOfMemoryError("more operations than one array holds");
        }
        joined = new long[2 * all];
        for (int t = 0; t < counted.length; t++) {
            for (int o = starts[t]; o < starts[t + 1]; o++) {
                if (sources[o] != NONE) {
                    int at = 2 * next[partitionOf(o)]++;
                    joined[at] = values[o];
                    boolean left = sources[o] == LEFT;
                    joined[at + 1] = (long) (left ? t : o) << 32 | Operations.key(keys[o]);
                    sources[o] = left ? NONE : sources[o];
                }
            }
        }
    }

    private int partitionOf(int o) {
        int partition = (int) (hash(Operations.key(keys[o]), values[o]) >>> 40) & (1 << bits) - 1;
        return 2 * partition + (~keys[o] & 1);
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
            String wrong = first < 0 ? setSource(i, -1, NO_OTHER) : setSource(i, number(first), others[first - from]);
            if (wrong != null) {
                return wrong;
            }
        }
        return null;
    }

    /** The transaction of a write, the operation of a read. */
    private int number(int i) {
        return (int) (joined[2 * i + 1] >>> 32);
    }

    /** The slot of the operation's key and value, or the empty one where they belong. */
    private int slot(int i, int mask) {
        long value = joined[2 * i];
        int key = (int) joined[2 * i + 1];
        int slot = (int) hash(key, value) & mask;
        for (int j; (j = slots[slot]) >= 0; slot = slot + 1 & mask) {
            if (joined[2 * j] == value && (int) joined[2 * j + 1] == key) {
                break;
            }
        }
        return slot;
    }

    /**
     * Sets the source of a read: the only transaction, other than the reader, that left the value, or the initial one.
     *
     * @param i the place of the read in {@link #joined}
     * @param first a transaction that left the value, or -1 if there is none
     * @param other a second one, {@link #NO_OTHER} or {@link #MANY}
     */
    private @Nullable String setSource(int i, int first, int other) {
        int o = number(i);
        int source = first;
        int more = other;
        if (sources[o] == ASKED_OWN) {
            // The reader is one of them.
            boolean isFirst = o >= starts[first] && o < starts[first + 1];
            source = isFirst ? other : first;
            more = other == MANY ? MANY : NO_OTHER;
        }
        // The key and the value of the operation itself are anywhere in memory.
        boolean initial = joined[2 * i] == table.initialValue((int) joined[2 * i + 1]);
        if (more != NO_OTHER || (source >= 0 && initial)) {
            isAmbiguous = true;
            return Names.read(table, o) + ", which several transactions wrote";
        }
        if (source < 0 && !initial) {
            return Names.read(table, o) + ", which no other counted transaction wrote last";
        }
        sources[o] = initial ? INITIAL : source;
        return null;
    }
}
