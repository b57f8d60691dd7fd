package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.HashCommon;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import org.polygraph.storage.dictionary.ValueDictionary;

/**
 * The rows of a history in an order of its transactions, and the changes that led to them. A search for matching rows
 * visits those of one range of one column.
 */
final class ReplayedRows {
    static final int NONE = -1;
    private final HistoryTable table;
    private final Predicates predicates;
    private final SearchedColumns columns;
    private final ColumnRows[] searched;

    /** By row: whether it exists, its value, the number of its columns, and the transaction that wrote it last. */
    private final boolean[] exists;

    private final long[] values;
    private final int[] columnsOf;
    private final int[] writers;
    /** By row: a number of its state. Equal numbers are of equal states. */
    private final long[] changes;

    private long clock;
    private long hash;

    // The changes: the row, and what it was before.
    private final IntArrayList changed = new IntArrayList();
    private final ByteList existed = new ByteList();
    private final LongArrayList valuesBefore = new LongArrayList();
    private final IntArrayList columnsBefore = new IntArrayList();
    private final IntArrayList writersBefore = new IntArrayList();
    private final LongArrayList changesBefore = new LongArrayList();
    private final IntArrayList found = new IntArrayList();

    /** Prepares the state before the first transaction. */
    ReplayedRows(HistoryTable table, Predicates predicates) {
        this.table = table;
        this.predicates = predicates;
        int rows = table.keys().size();
        columns = new SearchedColumns(table, predicates, rows);
        searched = columns.states();
        exists = new boolean[rows];
        values = new long[rows];
        columnsOf = new int[rows];
        writers = new int[rows];
        changes = new long[rows];
        for (int row = 0; row < rows; row++) {
            set(row, table.existsAtFirst(row), table.initialValue(row), NONE, NONE);
        }
    }

    /** What a read of the row returns. */
    long value(int row) {
        return exists[row] ? values[row] : ValueDictionary.NULL;
    }

    boolean exists(int row) {
        return exists[row];
    }

    /** The transaction that wrote the row last, or {@link #NONE}. */
    int writer(int row) {
        return writers[row];
    }

    /** A number that differs from all earlier ones once the row has changed, or has been {@link #touch touched}. */
    long change(int row) {
        return changes[row];
    }

    void touch(int row) {
        changes[row] = ++clock;
    }

    /** A hash of the rows as they are. */
    long hash() {
        return hash;
    }

    /** The number of changes, for {@link #takeBack}. */
    int size() {
        return changed.size();
    }

    /** Takes back all changes after the first ones. */
    void takeBack(int first) {
        for (int i = changed.size() - 1; i >= first; i--) {
            int row = changed.getInt(i);
            set(row, existed.get(i) != 0, valuesBefore.getLong(i), columnsBefore.getInt(i), writersBefore.getInt(i));
            changes[row] = changesBefore.getLong(i);
        }
        changed.size(first);
        existed.truncate(first);
        valuesBefore.size(first);
        columnsBefore.size(first);
        writersBefore.size(first);
        changesBefore.size(first);
    }

    /** Forgets all changes, which cannot be taken back then. */
    void keep() {
        changed.clear();
        existed.clear();
        valuesBefore.clear();
        columnsBefore.clear();
        writersBefore.clear();
        changesBefore.clear();
    }

    private long hashOf(int row) {
        return exists[row]
                ? HashCommon.mix(HashCommon.mix(values[row] + 31L * columnsOf[row]) ^ HashCommon.mix(~(long) row))
                : 0;
    }

    void write(int row, boolean isDelete, long value, int columnsOfRow, int transaction) {
        changed.add(row);
        existed.add((byte) (exists[row] ? 1 : 0));
        valuesBefore.add(values[row]);
        columnsBefore.add(columnsOf[row]);
        writersBefore.add(writers[row]);
        changesBefore.add(changes[row]);
        set(row, !isDelete, value, columnsOfRow, transaction);
    }

    private void set(int row, boolean lives, long code, int columnsOfRow, int writer) {
        hash ^= hashOf(row);
        exists[row] = lives;
        values[row] = code;
        columnsOf[row] = columnsOfRow;
        writers[row] = writer;
        hash ^= hashOf(row);
        touch(row);
        columns.move(searched, row, lives, code, columnsOfRow);
    }

    boolean matches(int condition, int row) {
        return exists[row] && matches(condition, values[row], columnsOf[row]);
    }

    private boolean matches(int condition, long value, int columnsOfRow) {
        return predicates.condition(condition).matches(table.values(), predicates.rows(), value, columnsOfRow);
    }

    /** Adds the rows that match. */
    void collect(int condition, IntArrayList matching) {
        found.clear();
        searched[columns.of(condition)].collect(
                predicates.condition(condition).terms().get(0), found);
        for (int i = 0; i < found.size(); i++) {
            if (matches(condition, found.getInt(i))) {
                matching.add(found.getInt(i));
            }
        }
    }
}
