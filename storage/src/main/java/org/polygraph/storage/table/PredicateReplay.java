package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.booleans.BooleanArrayList;
import it.unimi.dsi.fastutil.ints.Int2ObjectOpenHashMap;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import it.unimi.dsi.fastutil.longs.LongSet;
import java.util.Arrays;

/**
 * Evaluates the predicates of a history on the states of an order of events. It visits the rows that a result has and
 * those that the first term of its condition finds in the state.
 */
final class PredicateReplay {
    private static final int NONE = -1;

    private final HistoryTable table;
    private final PredicateMarks marks;
    private final Predicates predicates;
    private final boolean[] counted;
    private final int[] order;
    private final int perTransaction;

    /** By row: whether it exists, its value and the number of its columns. */
    private final boolean[] exists;

    private final long[] value;
    private final int[] columns;
    /** By column that a condition searches first: the rows by their values. */
    private final Int2ObjectOpenHashMap<ColumnRows> searched = new Int2ObjectOpenHashMap<>();
    /** The columns of {@link #searched}. */
    private final int[] searchedColumns;

    /** By row: the last predicate, plus one, whose result has the row. */
    private final int[] inResult;

    private final IntArrayList found = new IntArrayList();
    private final LongSet wrong = new LongOpenHashSet();

    // The earlier states of the rows that an open transaction has written, as its snapshot has them.
    private final IntArrayList changed = new IntArrayList();
    private final Undo undo = new Undo();

    /** Earlier states of rows, the last one first. */
    private static final class Undo {
        private final BooleanArrayList exists = new BooleanArrayList();
        private final LongArrayList values = new LongArrayList();
        private final IntArrayList columns = new IntArrayList();
    }

    /**
     * Prepares the replay.
     *
     * @param table with the operations of the marks
     * @param rows their number, which have the first keys
     */
    PredicateReplay(
            HistoryTable table,
            PredicateMarks marks,
            Predicates predicates,
            int rows,
            boolean[] counted,
            int[] position) {
        this.table = table;
        this.marks = marks;
        this.predicates = predicates;
        this.counted = counted;
        perTransaction = position.length / Math.max(1, table.transactions());
        order = order(counted, position, perTransaction);
        exists = new boolean[rows];
        value = new long[rows];
        columns = new int[rows];
        inResult = new int[rows];
        searchedColumns = searched(rows);
        for (int row = 0; row < rows; row++) {
            set(row, table.existsAtFirst(row), table.initialValue(row), NONE);
        }
    }

    private static int[] order(boolean[] counted, int[] position, int perTransaction) {
        int[] order = new int[position.length];
        Arrays.fill(order, NONE);
        for (int e = 0; e < position.length; e++) {
            if (counted[e / perTransaction]) {
                order[position[e]] = e;
            }
        }
        return order;
    }

    private int[] searched(int rows) {
        Int2ObjectOpenHashMap<LongOpenHashSet> codes = new Int2ObjectOpenHashMap<>();
        for (int c = 0; c < predicates.conditions(); c++) {
            codes.putIfAbsent(predicates.condition(c).terms().get(0).column(), new LongOpenHashSet());
        }
        LongOpenHashSet ofValue = codes.get(Condition.VALUE);
        for (int row = 0; row < rows && ofValue != null; row++) {
            ofValue.add(table.initialValue(row));
        }
        for (int o = 0; o < table.operations() && ofValue != null; o++) {
            if (table.isWrite(o)) {
                ofValue.add(table.value(o));
            }
        }
        RowColumns all = predicates.rows();
        for (int row = 0; row < all.size(); row++) {
            for (int at = all.first(row); at < all.end(row); at++) {
                LongOpenHashSet ofColumn = codes.get(all.columnAt(at));
                if (ofColumn != null) {
                    ofColumn.add(all.code(at));
                }
            }
        }
        codes.forEach((column, some) -> searched.put((int) column, new ColumnRows(table.values(), some, rows)));
        return searched.keySet().toIntArray();
    }

    LongSet wrong() {
        for (int e : order) {
            if (e == NONE) {
                continue;
            }
            int t = e / perTransaction;
            if (perTransaction == 1) {
                run(t, true);
            } else if (e % 2 == 0) {
                if (marks.first(t) < marks.first(t + 1)) {
                    changed.clear();
                    run(t, true);
                    restore();
                }
            } else {
                run(t, false);
            }
        }
        return wrong;
    }

    private void run(int t, boolean evaluates) {
        boolean keeps = evaluates && perTransaction == 2;
        marks.seek(t);
        for (int o = table.firstOperation(t); o <= table.operationsEnd(t); o++) {
            int written = NONE;
            for (long code; (code = marks.next(t, o)) != 0; ) {
                if (Predicates.isRow(code)) {
                    written = Predicates.rowNumber(code);
                } else if (Predicates.isOne(code) && evaluates) {
                    evaluate(Predicates.number(code));
                }
            }
            if (o < table.operationsEnd(t) && table.isWrite(o)) {
                int row = table.key(o);
                if (keeps) {
                    changed.add(row);
                    undo.exists.add(exists[row]);
                    undo.values.add(value[row]);
                    undo.columns.add(columns[row]);
                }
                set(row, !table.isDelete(o), table.value(o), written);
            }
        }
    }

    private void restore() {
        for (int i = changed.size() - 1; i >= 0; i--) {
            set(changed.getInt(i), undo.exists.getBoolean(i), undo.values.getLong(i), undo.columns.getInt(i));
        }
        undo.exists.clear();
        undo.values.clear();
        undo.columns.clear();
    }

    private void set(int row, boolean lives, long code, int columnsOfRow) {
        exists[row] = lives;
        value[row] = code;
        columns[row] = columnsOfRow;
        for (int column : searchedColumns) {
            int at = column == Condition.VALUE ? 0 : predicates.rows().find(columnsOfRow, column);
            ColumnRows rows = searched.get(column);
            if (!lives || at < 0) {
                rows.remove(row);
            } else {
                rows.move(
                        row,
                        column == Condition.VALUE ? code : predicates.rows().code(at));
            }
        }
    }

    /** Finds the rows that are missing in a result, and those that should not be in it. */
    private void evaluate(int predicate) {
        int c = predicates.conditionOf(predicate);
        Condition condition = predicates.condition(c);
        for (int row : predicates.keys(predicate)) {
            inResult[row] = predicate + 1;
            if (!matches(condition, row)) {
                wrong.add(PredicateReads.pair(c, row));
            }
        }
        found.clear();
        searched.get(condition.terms().get(0).column())
                .collect(condition.terms().get(0), found);
        for (int i = 0; i < found.size(); i++) {
            int row = found.getInt(i);
            if (inResult[row] != predicate + 1 && matches(condition, row)) {
                wrong.add(PredicateReads.pair(c, row));
            }
        }
    }

    private boolean matches(Condition condition, int row) {
        return exists[row] && condition.matches(table.values(), predicates.rows(), value[row], columns[row]);
    }
}
