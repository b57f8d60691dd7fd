package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.longs.LongArrayList;

/**
 * The predicates of a history: bounds, and the keys of the rows that matched. The codes that stand for them in the operations lie
 * outside those of values and of lists.
 */
final class Predicates {
    private static final long FIRST = Long.MIN_VALUE + (1L << 45);
    private static final long END = Long.MIN_VALUE + (1L << 46);
    /** Stands for an update of rows that the history does not name. */
    static final long OF_UNKNOWN_ROWS = END;

    private final LongArrayList low = new LongArrayList();
    private final LongArrayList high = new LongArrayList();
    private final IntArrayList reads = new IntArrayList();
    private final IntArrayList ends = new IntArrayList();
    private final IntArrayList keys = new IntArrayList();

    /**
     * Adds one.
     *
     * @param read whether the values of the rows that matched are read beside it
     * @return the code that stands for the predicate
     */
    long add(long lo, long hi, IntArrayList matched, boolean read) {
        reads.add(read ? 1 : 0);
        low.add(lo);
        high.add(hi);
        keys.addAll(matched);
        ends.add(keys.size());
        return FIRST + low.size() - 1;
    }

    static boolean isOne(long code) {
        return code >= FIRST && code < END;
    }

    static int number(long code) {
        return (int) (code - FIRST);
    }

    int size() {
        return low.size();
    }

    long low(int predicate) {
        return low.getLong(predicate);
    }

    long high(int predicate) {
        return high.getLong(predicate);
    }

    /** Whether the values of the rows that matched are read beside it. */
    boolean isRead(int predicate) {
        return reads.getInt(predicate) == 1;
    }

    /** The keys of the rows that matched. */
    int[] keys(int predicate) {
        int from = predicate == 0 ? 0 : ends.getInt(predicate - 1);
        return keys.subList(from, ends.getInt(predicate)).toIntArray();
    }

    long bytes() {
        return 20L * low.size() + 4L * keys.size();
    }
}
