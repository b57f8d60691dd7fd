package org.polygraph.partitioner.index;

import it.unimi.dsi.fastutil.HashCommon;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import java.util.Arrays;
import org.polygraph.storage.table.HistoryTable;

/**
 * Finds whether every value is written to a key only once, without grouping operations by key: each write has a bit of
 * a table, and writes that share a bit are compared. Consecutive values have neighbouring bits, so a history whose
 * values count up is scanned in the order of memory. The answer is one-sided: "no" may be wrong.
 *
 * <p>Linear time. Memory: at most 1 byte an operation, as much again if any bit is shared, and 24 bytes for each write
 * that shares a bit; at most one write in {@value #SHARE} may.
 */
public final class DistinctWrites {
    /** At most one operation in this many may write with a shared bit. */
    private static final int SHARE = 8;
    /** Consecutive values of a run have neighbouring bits. */
    private static final int RUN_BITS = 22;

    private final HistoryTable table;
    private final long[] once;
    /** A second table of the same size, made when a bit is shared. */
    private long[] twice = new long[0];

    private final int mask;

    private DistinctWrites(HistoryTable table) {
        this.table = table;
        long bits = Math.max(Long.SIZE, Math.min(1L << 30, Long.highestOneBit(1 + 4L * table.operations()) * 2));
        once = new long[(int) (bits >>> 6)];
        mask = (int) (bits - 1);
    }

    /** Whether no key gets one value twice (dropped transactions included) and no write has the initial value. */
    public static boolean of(HistoryTable table) {
        if (table.initialState() != null) {
            return false;
        }
        DistinctWrites distinct = new DistinctWrites(table);
        if (distinct.isCertain(false)) {
            return true;
        }
        Arrays.fill(distinct.once, 0);
        Arrays.fill(distinct.twice, 0);
        return distinct.isCertain(true);
    }

    /** @param byKey false: whether values are unique in the whole history */
    private boolean isCertain(boolean byKey) {
        long initial = table.initialValue();
        long shared = 0;
        boolean isInitial = false;
        for (int o = 0; o < table.operations(); o++) {
            int slot = slot(code(table.key(o), table.value(o), byKey));
            // Reads are included without effect, because a branch on the kind of an operation would be mispredicted.
            long bit = (table.isWrite(o) ? 1L : 0) << slot;
            long both = once[slot >>> 6] & bit;
            if (both != 0) {
                twice = twice.length == 0 ? new long[once.length] : twice;
                twice[slot >>> 6] |= both;
                shared++;
            }
            once[slot >>> 6] |= bit;
            isInitial |= table.isWrite(o) & table.value(o) == initial;
        }
        return !isInitial && shared <= table.operations() / SHARE && (shared == 0 || areDifferent(byKey));
    }

    /** Whether the writes that share bits are distinct. */
    private boolean areDifferent(boolean byKey) {
        LongOpenHashSet seen = new LongOpenHashSet();
        for (int o = 0; o < table.operations(); o++) {
            if (table.isWrite(o)) {
                long code = code(table.key(o), table.value(o), byKey);
                int slot = slot(code);
                if ((twice[slot >>> 6] & 1L << slot) != 0 && !seen.add(code)) {
                    return false;
                }
            }
        }
        return true;
    }

    /** A hash of a write; equal writes have equal hashes. */
    private static long code(int key, long value, boolean byKey) {
        return byKey ? HashCommon.mix(value + HashCommon.mix(key)) : value;
    }

    private int slot(long code) {
        return (int) (code + HashCommon.mix(code >>> RUN_BITS)) & mask;
    }
}
