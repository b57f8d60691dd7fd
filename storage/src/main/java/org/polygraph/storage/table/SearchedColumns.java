package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.ints.Int2IntOpenHashMap;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.util.ArrayList;
import java.util.List;

/** The columns of the first terms of all conditions, with all values that they ever have; see {@link ColumnRows}. */
final class SearchedColumns {
    private final int rows;
    private final IntArrayList columns = new IntArrayList();
    private final List<ColumnValues> values = new ArrayList<>();
    /** By condition: the number of its first column here. */
    private final int[] ofCondition;

    /** @param rows the number of rows, whose keys are the first ones */
    SearchedColumns(HistoryTable table, Predicates predicates, int rows) {
        this.rows = rows;
        ofCondition = new int[predicates.conditions()];
        Int2IntOpenHashMap numbers = new Int2IntOpenHashMap();
        for (int c = 0; c < ofCondition.length; c++) {
            int column = predicates.condition(c).terms().get(0).column();
            if (!numbers.containsKey(column)) {
                numbers.put(column, columns.size());
                columns.add(column);
                values.add(
                        column == Condition.VALUE
                                ? ColumnValues.ofRows(table, predicates, rows)
                                : ColumnValues.ofColumn(table.values(), predicates.rows(), column));
            }
            ofCondition[c] = numbers.get(column);
        }
    }

    int rows() {
        return rows;
    }

    /** Returns by column a state in which no row has a value. */
    ColumnRows[] states() {
        ColumnRows[] states = new ColumnRows[values.size()];
        for (int i = 0; i < states.length; i++) {
            states[i] = new ColumnRows(values.get(i), rows);
        }
        return states;
    }

    /**
     * Moves a row to a version in all columns.
     *
     * @param exists false: it has no value
     * @param columnsOfRow the number of the columns of the version, negative for none
     */
    void move(ColumnRows[] states, int row, boolean exists, long value, int columnsOfRow) {
        for (int i = 0; i < states.length; i++) {
            int place = ColumnValues.NONE;
            if (exists && columns.getInt(i) == Condition.VALUE) {
                place = values.get(i).place(value);
            } else if (exists && columnsOfRow >= 0) {
                place = values.get(i).placeOf(columnsOfRow);
            }
            states[i].move(row, place);
        }
    }

    int of(int condition) {
        return ofCondition[condition];
    }
}
