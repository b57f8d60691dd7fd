package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.ints.Int2ObjectOpenHashMap;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import it.unimi.dsi.fastutil.objects.Object2IntOpenHashMap;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The predicates of a history: conditions, and the keys of the rows that matched; and the columns of the rows that were
 * written. The codes that stand for them in the operations lie outside those of values and of lists.
 */
public final class Predicates {
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
    /** Writes that found no row, which leave nothing. */
    private final Int2ObjectOpenHashMap<Unknown> idle = new Int2ObjectOpenHashMap<>();

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
    public record Unknown(boolean isDelete, long value, int row, long count) {}

    /** Adds a write of unknown rows, or of none. @return the code that stands for it */
    long add(Condition condition, Unknown write) {
        long code = add(condition, new IntArrayList(), false);
        (write.count() == 0 ? idle : unknown).put(number(code), write);
        return code;
    }

    /** What a predicate writes, if its rows are unknown; else null. */
    @Nullable
    Unknown unknown(int predicate) {
        return unknown.get(predicate);
    }

    /** What a predicate writes, if its rows are unknown or there are none; else null. */
    @Nullable
    Unknown writeOf(int predicate) {
        Unknown write = unknown.get(predicate);
        return write == null ? idle.get(predicate) : write;
    }

    /** Whether a code stands for a write whose rows are unknown. */
    boolean isUnknown(long code) {
        return isOne(code) && unknown(number(code)) != null;
    }

    /** Adds the values that writes of unknown rows leave. */
    void addUnknownValues(LongOpenHashSet values) {
        for (Unknown write : unknown.values()) {
            values.add(write.value());
        }
    }

    boolean hasUnknown() {
        return !unknown.isEmpty();
    }

    /**
     * Adds a predicate that names its rows.
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

    /** Whether a code stands for a predicate. */
    public static boolean isOne(long code) {
        return code >= FIRST && code < END;
    }

    static int number(long code) {
        return (int) (code - FIRST);
    }

    /** The code that stands for the columns of what the next operation writes. */
    static long row(int row) {
        return FIRST_ROW + row;
    }

    /** Whether a code stands for a predicate or for the columns of the next write. */
    static boolean isStandIn(long code) {
        return code >= FIRST && code < END_OF_ROWS;
    }

    /** Whether an operation of a history as it was recorded reads a row. */
    static boolean isReadOfRow(HistoryTable raw, int operation) {
        return !raw.isWrite(operation) && !isStandIn(raw.value(operation));
    }

    /** The number of the columns that a write of a history as it was recorded carries; -1 if it carries none. */
    static int columnsOf(HistoryTable raw, int write) {
        return write > 0 && isRow(raw.value(write - 1)) ? rowNumber(raw.value(write - 1)) : -1;
    }

    /** Whether a code stands for the columns of the next write. */
    public static boolean isRow(long code) {
        return code >= FIRST_ROW && code < END_OF_ROWS;
    }

    /** The number of the columns that a code stands for. */
    public static int rowNumber(long code) {
        return (int) (code - FIRST_ROW);
    }

    /**
     * A predicate in its recorded form.
     *
     * @param keys of the rows that matched; null if they are not known
     * @param isRead whether reads of these rows come just before it; else it writes them, and if they are known, the
     *     writes follow
     * @param write what it writes if its rows are not known, or there are none; else null
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Recording(
            Condition condition,
            int @Nullable [] keys,
            boolean isRead,
            @Nullable Unknown write) {}

    /** The predicate that a code stands for. */
    public Recording recording(long code) {
        int p = number(code);
        return new Recording(condition(conditionOf(p)), unknown(p) == null ? keys(p) : null, isRead(p), writeOf(p));
    }

    /** Receives the columns of a row. */
    @FunctionalInterface
    public interface ColumnSink<E extends Exception> {
        void column(String name, long code) throws E;
    }

    /** Passes on the columns of a row in the order in which it was recorded. */
    public <E extends Exception> void columns(int row, ColumnSink<E> sink) throws E {
        for (int at = rows.first(row); at < rows.end(row); at++) {
            sink.column(rows.name(rows.columnAt(at)), rows.code(at));
        }
    }

    /** The name of a column of a condition's term. */
    public String column(int number) {
        return rows.name(number);
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

    int conditionOf(int predicate) {
        return kinds.getInt(predicate) >> 1;
    }

    /** Whether the values of the rows that matched are read just before it. */
    boolean isRead(int predicate) {
        return (kinds.getInt(predicate) & 1) != 0;
    }

    /** The keys of the rows that matched. */
    int[] keys(int predicate) {
        return keys.subList(firstKey(predicate), keysEnd(predicate)).toIntArray();
    }

    /** The place of the first key of the rows that matched, see {@link #keyAt}. */
    int firstKey(int predicate) {
        return predicate == 0 ? 0 : ends.getInt(predicate - 1);
    }

    int keysEnd(int predicate) {
        return ends.getInt(predicate);
    }

    int keyAt(int place) {
        return keys.getInt(place);
    }

    long bytes() {
        return 8L * kinds.size() + 300L * conditions.size() + 4L * keys.size() + rows.bytes();
    }
}
