package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.HashCommon;
import it.unimi.dsi.fastutil.ints.Int2IntOpenHashMap;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import org.polygraph.storage.dictionary.ValueDictionary;

/**
 * The rows of a history in an order of its transactions, and the changes that led to them. Conditions are evaluated on
 * these rows. A search for matching rows visits those of one range of one column.
 */
final class ReplayedRows {
    static final int NONE = -1;
    private static final int ABSENT = -2;

    private final HistoryTable table;
    private final Predicates predicates;

    /** The columns of the first terms of all conditions, and the rows by their values in each. */
    private final IntArrayList columns = new IntArrayList();

    private final List<ColumnRows> searched = new ArrayList<>();
    /** By condition: the number of the column of its first term in these lists. */
    private final int[] ofCondition;
    /** By number of a searched column and number of columns of a write: the place of their value. */
    private final int[][] placesOfColumns;

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
    private final LongArrayList valuesBefore = new LongArrayList();
    /** {@link #ABSENT} if the row did not exist. */
    private final IntArrayList columnsBefore = new IntArrayList();

    private final IntArrayList writersBefore = new IntArrayList();
    private final LongArrayList changesBefore = new LongArrayList();
    private final IntArrayList found = new IntArrayList();

    /** By row: the last comparison with a result that has the row. */
    private final int[] inResult;

    private int comparisons;

    /**
     * Prepares the state before the first transaction.
     *
     * @param table as it was recorded
     * @param rows the number of rows, whose keys are the first ones
     */
    ReplayedRows(HistoryTable table, Predicates predicates, int rows) {
        this.table = table;
        this.predicates = predicates;
        ofCondition = new int[predicates.conditions()];
        Int2IntOpenHashMap numbers = new Int2IntOpenHashMap();
        for (int c = 0; c < ofCondition.length; c++) {
            int column = predicates.condition(c).terms().get(0).column();
            if (!numbers.containsKey(column)) {
                numbers.put(column, columns.size());
                columns.add(column);
                searched.add(new ColumnRows(table.values(), codes(column, rows), rows));
            }
            ofCondition[c] = numbers.get(column);
        }
        placesOfColumns = new int[columns.size()][];
        for (int i = 0; i < placesOfColumns.length; i++) {
            placesOfColumns[i] = places(columns.getInt(i), searched.get(i));
        }
        exists = new boolean[rows];
        values = new long[rows];
        columnsOf = new int[rows];
        writers = new int[rows];
        changes = new long[rows];
        inResult = new int[rows];
        begin();
    }

    /** Returns to the state before the first transaction, and forgets all changes. */
    void begin() {
        keep();
        for (int row = 0; row < exists.length; row++) {
            set(row, table.existsAtFirst(row), table.initialValue(row), NONE, NONE);
        }
    }

    /** All values that a column ever has. */
    private LongOpenHashSet codes(int column, int rows) {
        LongOpenHashSet codes = new LongOpenHashSet();
        RowColumns all = predicates.rows();
        for (int number = 0; column != Condition.VALUE && number < all.size(); number++) {
            int at = all.find(number, column);
            if (at >= 0) {
                codes.add(all.code(at));
            }
        }
        if (column == Condition.VALUE) {
            predicates.addUnknownValues(codes);
            for (int row = 0; row < rows; row++) {
                codes.add(table.initialValue(row));
            }
            for (int o = 0; o < table.operations(); o++) {
                if (table.isWrite(o)) {
                    codes.add(table.value(o));
                }
            }
        }
        return codes;
    }

    private int[] places(int column, ColumnRows rows) {
        RowColumns all = predicates.rows();
        int[] places = new int[column == Condition.VALUE ? 0 : all.size()];
        for (int number = 0; number < places.length; number++) {
            int at = all.find(number, column);
            places[number] = at < 0 ? NONE : rows.placeOf(all.code(at));
        }
        return places;
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
            int before = columnsBefore.getInt(i);
            set(row, before != ABSENT, valuesBefore.getLong(i), before, writersBefore.getInt(i));
            changes[row] = changesBefore.getLong(i);
        }
        forget(first);
    }

    /** Forgets all changes, which cannot be taken back then. */
    void keep() {
        forget(0);
    }

    private void forget(int first) {
        changed.size(first);
        valuesBefore.size(first);
        columnsBefore.size(first);
        writersBefore.size(first);
        changesBefore.size(first);
    }

    private long hashOf(int row) {
        return exists[row]
                ? HashCommon.mix(HashCommon.mix(values[row] + 31L * columnsOf[row]) ^ HashCommon.mix(~(long) row))
                : 0;
    }

    void write(int row, boolean isDelete, long value, int columnsOfRow, int transaction) {
        changed.add(row);
        valuesBefore.add(values[row]);
        columnsBefore.add(exists[row] ? columnsOf[row] : ABSENT);
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
        for (int i = 0; i < placesOfColumns.length; i++) {
            int place = NONE;
            if (lives && columns.getInt(i) == Condition.VALUE) {
                place = searched.get(i).placeOf(code);
            } else if (lives && columnsOfRow >= 0) {
                place = placesOfColumns[i][columnsOfRow];
            }
            searched.get(i).move(row, place);
        }
    }

    boolean matches(int condition, int row) {
        return exists[row]
                && predicates
                        .condition(condition)
                        .matches(table.values(), predicates.rows(), values[row], columnsOf[row]);
    }

    /** Adds the rows that match. */
    void collect(int condition, IntArrayList matching) {
        for (int row : candidates(condition)) {
            if (matches(condition, row)) {
                matching.add(row);
            }
        }
    }

    /** The rows that may match. */
    private int[] candidates(int condition) {
        found.clear();
        searched.get(ofCondition[condition])
                .collect(predicates.condition(condition).terms().get(0), found);
        return found.toIntArray();
    }

    /**
     * Compares the rows that a predicate names with those that match.
     *
     * @param sink receives a row that does not match, or that matches and is not named; states whether to go on
     * @return false if it was ended
     */
    boolean compare(int predicate, IntPredicate sink) {
        int number = predicates.conditionOf(predicate);
        Condition condition = predicates.condition(number);
        ColumnRows column = searched.get(ofCondition[number]);
        Condition.Term first = condition.terms().get(0);
        // Bounds of one column are those of places. Then rows are visited only if their number is not that of the
        // result.
        boolean isRange = condition.terms().size() == 1 && first.isRange();
        int from = column.from(first);
        int to = column.to(first);
        IntPredicate matches =
                isRange ? row -> column.place(row) >= from && column.place(row) < to : row -> matches(number, row);
        comparisons++;
        int right = 0;
        for (int at = predicates.firstKey(predicate); at < predicates.keysEnd(predicate); at++) {
            int row = predicates.keyAt(at);
            boolean isAgain = inResult[row] == comparisons;
            inResult[row] = comparisons;
            if (matches.test(row)) {
                right += isAgain ? 0 : 1;
            } else if (!sink.test(row)) {
                return false;
            }
        }
        if (isRange && column.count(from, to) == right) {
            return true;
        }
        for (int row : candidates(number)) {
            if (inResult[row] != comparisons && matches.test(row) && !sink.test(row)) {
                return false;
            }
        }
        return true;
    }
}
