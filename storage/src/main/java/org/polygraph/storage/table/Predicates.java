package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.ints.Int2ObjectOpenHashMap;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.objects.Object2IntOpenHashMap;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The predicates of a history: conditions, and the keys of the rows that matched; and the columns of the rows that were
 * written. The codes that stand for them in the operations lie outside those of values and of lists.
 */
final class Predicates {
    private static final long FIRST = Long.MIN_VALUE + (1L << 45);
    private static final long END = Long.MIN_VALUE + (1L << 46);
    private static final long END_OF_ROWS = Long.MIN_VALUE + (1L << 47);
    private static final long FIRST_ROW = END + 1;

    private final Object2IntOpenHashMap<String> labels = new Object2IntOpenHashMap<>();
    private final List<Condition> conditions = new ArrayList<>();
    /** By predicate: the number of its condition, and whether it is a read, in the lowest bit. */
    private final IntArrayList kinds = new IntArrayList();

    private final IntArrayList ends = new IntArrayList();
    private final IntArrayList keys = new IntArrayList();
    private final Int2ObjectOpenHashMap<Unknown> unknown = new Int2ObjectOpenHashMap<>();
    private final RowColumns rows;

    Predicates() {
        this(new RowColumns());
    }

    /** @param rows the columns of the rows that were written */
    Predicates(RowColumns rows) {
        this.rows = rows;
    }

    /**
     * A write of rows that the history does not name.
     *
     * @param value that it leaves, if it is no delete
     * @param row the columns that it leaves; negative for none
     * @param count of the rows; negative if it is not known
     */
    record Unknown(boolean isDelete, long value, int row, long count) {}

    /** Adds a write of unknown rows. @return the code that stands for it */
    long add(Condition condition, Unknown write) {
        long code = add(condition, new IntArrayList(), false);
        unknown.put(number(code), write);
        return code;
    }

    /** What a predicate writes, if its rows are unknown; else null. */
    @Nullable
    Unknown unknown(int predicate) {
        return unknown.get(predicate);
    }

    boolean hasUnknown() {
        return !unknown.isEmpty();
    }

    /**
     * Adds one.
     *
     * @param read whether the values of the rows that matched are read just before it
     * @return the code that stands for the predicate
     */
    long add(Condition condition, IntArrayList matched, boolean read) {
        int next = conditions.size();
        int number = labels.computeIfAbsent(condition.label(), unused -> next);
        if (number == next) {
            conditions.add(condition);
        }
        kinds.add(number << 1 | (read ? 1 : 0));
        keys.addAll(matched);
        ends.add(keys.size());
        return FIRST + kinds.size() - 1;
    }

    static boolean isOne(long code) {
        return code >= FIRST && code < END;
    }

    static int number(long code) {
        return (int) (code - FIRST);
    }

    /** The code that stands for the columns of what the next operation writes. */
    static long row(int row) {
        return FIRST_ROW + row;
    }

    /** Whether a code stands for anything but a value or a list. */
    static boolean isStandIn(long code) {
        return code >= FIRST && code < END_OF_ROWS;
    }

    static boolean isRow(long code) {
        return code >= FIRST_ROW && code < END_OF_ROWS;
    }

    static int rowNumber(long code) {
        return (int) (code - FIRST_ROW);
    }

    /** The columns of the rows that were written. */
    RowColumns rows() {
        return rows;
    }

    int size() {
        return kinds.size();
    }

    int conditions() {
        return conditions.size();
    }

    Condition condition(int number) {
        return conditions.get(number);
    }

    /** The number of the condition of a predicate. */
    int conditionOf(int predicate) {
        return kinds.getInt(predicate) >> 1;
    }

    /** Whether the values of the rows that matched are read just before it. */
    boolean isRead(int predicate) {
        return (kinds.getInt(predicate) & 1) != 0;
    }

    /** The keys of the rows that matched. */
    int[] keys(int predicate) {
        int from = predicate == 0 ? 0 : ends.getInt(predicate - 1);
        return keys.subList(from, ends.getInt(predicate)).toIntArray();
    }

    long bytes() {
        return 8L * kinds.size() + 300L * conditions.size() + 4L * keys.size() + rows.bytes();
    }
}
