package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import it.unimi.dsi.fastutil.longs.LongSet;
import java.util.Arrays;
import org.polygraph.storage.dictionary.ValueDictionary;

/**
 * Evaluates the predicates of a history on the states of an order of events. It visits the rows that a result has and
 * those that the first term of its condition finds in the state.
 */
final class PredicateReplay {
    static final int NONE = -1;

    /**
     * Receives the operations that an order does not explain, the defaults only if reads and writes are checked too. A
     * writer is the last one of the row in the state, or {@link #NONE}.
     */
    @FunctionalInterface
    interface Sink {
        /** A result has a row that does not match, or lacks one that does. */
        void pair(int transaction, int predicate, int row, int writer);

        /** A read returns another value than the state has. */
        default void read(int transaction, int operation, int writer) {}

        /** An insert finds a row, or a delete finds none. */
        default void existence(int transaction, int operation, int writer) {}

        /** A write overwrites a version that another transaction committed after the snapshot of the writer. */
        default void overlap(int transaction, int operation, int writer) {}
    }

    private final HistoryTable table;
    private final PredicateMarks marks;
    private final Predicates predicates;
    private final int[] order;
    private final int[] position;
    private final int perTransaction;
    private final Sink sink;
    /** Whether reads and writes are checked too. */
    private final boolean isOfAll;

    /** By row: whether it exists, its value and the number of its columns. */
    private final boolean[] exists;

    private final long[] value;
    private final int[] columns;
    /** By row: the transaction that wrote it last. */
    private final int[] writers;

    private final SearchedColumns columnsSearched;
    /** By number of a searched column: the rows by their values. */
    private final ColumnRows[] searched;

    /** By row: the last predicate, plus one, whose result has the row. */
    private final int[] inResult;

    private final IntArrayList found = new IntArrayList();
    /** By number of columns: the last predicate, plus one, that was evaluated on them, and whether it matched. */
    private final int[] evaluated;

    private final boolean[] matched;

    // The earlier states of the rows that an open transaction has written, as its snapshot has them.
    private final IntArrayList changed = new IntArrayList();
    private final Undo undo = new Undo();

    /** Earlier states of rows, the last one first. */
    private static final class Undo {
        private final ByteList exists = new ByteList();
        private final LongArrayList values = new LongArrayList();
        private final IntArrayList columns = new IntArrayList();
        private final IntArrayList writers = new IntArrayList();
    }

    /**
     * Prepares the replay.
     *
     * @param table with the operations of the marks
     * @param searched the columns that its conditions search
     * @param isOfAll whether reads and writes are checked too
     */
    PredicateReplay(
            HistoryTable table,
            PredicateMarks marks,
            Predicates predicates,
            SearchedColumns searched,
            boolean[] counted,
            int[] position,
            Sink sink,
            boolean isOfAll) {
        this.table = table;
        this.marks = marks;
        this.predicates = predicates;
        this.position = position;
        this.sink = sink;
        this.isOfAll = isOfAll;
        perTransaction = position.length / Math.max(1, table.transactions());
        order = order(counted, position, perTransaction);
        columnsSearched = searched;
        int rows = searched.rows();
        exists = new boolean[rows];
        value = new long[rows];
        columns = new int[rows];
        inResult = new int[rows];
        writers = new int[rows];
        evaluated = new int[predicates.rows().size()];
        matched = new boolean[evaluated.length];
        this.searched = searched.states();
        for (int row = 0; row < rows; row++) {
            set(row, table.existsAtFirst(row), table.initialValue(row), NONE, NONE);
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

    /**
     * Returns pairs of a condition and a row that an order does not explain, a few for each transaction and each writer
     * ({@link FoundWriters}). If there are none, the order explains all pairs.
     */
    static LongSet wrong(
            HistoryTable table,
            PredicateMarks marks,
            Predicates predicates,
            SearchedColumns searched,
            boolean[] counted,
            int[] position) {
        LongSet wrong = new LongOpenHashSet();
        FoundWriters writers = new FoundWriters(table.transactions());
        Sink sink = (transaction, predicate, row, writer) -> {
            if (writers.isNeeded(transaction, writer)) {
                wrong.add(PredicateReads.pair(predicates.conditionOf(predicate), row));
            }
        };
        new PredicateReplay(table, marks, predicates, searched, counted, position, sink, false).run();
        return wrong;
    }

    void run() {
        for (int e : order) {
            if (e == NONE) {
                continue;
            }
            int t = e / perTransaction;
            if (perTransaction == 1) {
                run(t, true, true);
            } else if (e % 2 == 0) {
                if (isOfAll || marks.first(t) < marks.first(t + 1)) {
                    changed.clear();
                    run(t, true, false);
                    restore();
                }
            } else {
                run(t, false, true);
            }
        }
    }

    private void run(int t, boolean evaluates, boolean commits) {
        boolean keeps = !commits;
        int end = keeps ? lastEvaluated(t) : table.operationsEnd(t);
        marks.seek(t);
        for (int o = table.firstOperation(t); o <= end; o++) {
            int written = NONE;
            for (long code; (code = marks.next(t, o)) != 0; ) {
                if (Predicates.isRow(code)) {
                    written = Predicates.rowNumber(code);
                } else if (Predicates.isOne(code) && evaluates) {
                    evaluate(t, Predicates.number(code));
                }
            }
            if (o == table.operationsEnd(t)) {
                break;
            }
            int row = table.key(o);
            if (table.isWrite(o)) {
                if (isOfAll && commits) {
                    check(t, o, row);
                }
                if (keeps) {
                    changed.add(row);
                    undo.exists.add((byte) (exists[row] ? 1 : 0));
                    undo.values.add(value[row]);
                    undo.columns.add(columns[row]);
                    undo.writers.add(writers[row]);
                }
                set(row, !table.isDelete(o), table.value(o), written, t);
            } else if (isOfAll && evaluates && table.value(o) != (exists[row] ? value[row] : ValueDictionary.NULL)) {
                sink.read(t, o, writers[row]);
            }
        }
    }

    /**
     * The last operation that a predicate comes before, or that is checked at the snapshot. What follows only writes.
     */
    private int lastEvaluated(int t) {
        int last = table.firstOperation(t) - 1;
        for (int mark = marks.first(t + 1) - 1, first = marks.first(t); mark >= first; mark--) {
            if (Predicates.isOne(marks.code(mark))) {
                last = marks.place(mark);
                break;
            }
        }
        // A predicate may come after the last operation.
        int o = Math.max(last, isOfAll ? table.operationsEnd(t) - 1 : last);
        while (o > last && table.isWrite(o)) {
            o--;
        }
        return o;
    }

    private void check(int t, int operation, int row) {
        int writer = writers[row];
        if (table.isInsert(operation) ? exists[row] : table.isDelete(operation) && !exists[row]) {
            sink.existence(t, operation, writer);
        } else if (perTransaction == 2
                && writer != NONE
                && writer != t
                && position[2 * writer + 1] > position[2 * t]
                && (exists[row] || !table.hasRows())) {
            sink.overlap(t, operation, writer);
        }
    }

    private void restore() {
        for (int i = changed.size() - 1; i >= 0; i--) {
            set(
                    changed.getInt(i),
                    undo.exists.get(i) != 0,
                    undo.values.getLong(i),
                    undo.columns.getInt(i),
                    undo.writers.getInt(i));
        }
        undo.exists.clear();
        undo.values.clear();
        undo.columns.clear();
        undo.writers.clear();
    }

    private void set(int row, boolean lives, long code, int columnsOfRow, int writer) {
        exists[row] = lives;
        value[row] = code;
        columns[row] = columnsOfRow;
        writers[row] = writer;
        columnsSearched.move(searched, row, lives, code, columnsOfRow);
    }

    /** Finds the rows that are missing in a result, and those that should not be in it. */
    private void evaluate(int t, int predicate) {
        Condition condition = predicates.condition(predicates.conditionOf(predicate));
        ColumnRows rows = searched[columnsSearched.of(predicates.conditionOf(predicate))];
        Condition.Term first = condition.terms().get(0);
        if (condition.terms().size() == 1 && first.isRange()) {
            evaluate(t, predicate, rows, first);
            return;
        }
        boolean isOfColumns = condition.isOfColumns();
        for (int at = predicates.firstKey(predicate); at < predicates.keysEnd(predicate); at++) {
            int row = predicates.keyAt(at);
            inResult[row] = predicate + 1;
            if (!matches(condition, isOfColumns, predicate, row)) {
                sink.pair(t, predicate, row, writers[row]);
            }
        }
        found.clear();
        rows.collect(first, found);
        for (int i = 0; i < found.size(); i++) {
            int row = found.getInt(i);
            if (inResult[row] != predicate + 1 && matches(condition, isOfColumns, predicate, row)) {
                sink.pair(t, predicate, row, writers[row]);
            }
        }
    }

    /** The same for a condition of bounds alone. Rows are visited only if their number is not that of the result. */
    private void evaluate(int t, int predicate, ColumnRows rows, Condition.Term bounds) {
        int from = rows.values().from(bounds);
        int to = rows.values().to(bounds);
        int right = 0;
        for (int at = predicates.firstKey(predicate); at < predicates.keysEnd(predicate); at++) {
            int row = predicates.keyAt(at);
            int place = rows.place(row);
            if (place < from || place >= to) {
                sink.pair(t, predicate, row, writers[row]);
            } else if (inResult[row] != predicate + 1) {
                right++;
            }
            inResult[row] = predicate + 1;
        }
        if (rows.count(from, to) == right) {
            return;
        }
        found.clear();
        rows.collect(bounds, found);
        for (int i = 0; i < found.size(); i++) {
            int row = found.getInt(i);
            int place = rows.place(row);
            if (inResult[row] != predicate + 1 && place >= from && place < to) {
                sink.pair(t, predicate, row, writers[row]);
            }
        }
    }

    private boolean matches(Condition condition, boolean isOfColumns, int predicate, int row) {
        if (!exists[row]) {
            return false;
        }
        int of = columns[row];
        if (!isOfColumns || of == NONE) {
            return condition.matches(table.values(), predicates.rows(), value[row], of);
        }
        // The rows that one operation writes share their columns.
        if (evaluated[of] != predicate + 1) {
            evaluated[of] = predicate + 1;
            matched[of] = condition.matches(table.values(), predicates.rows(), value[row], of);
        }
        return matched[of];
    }
}
