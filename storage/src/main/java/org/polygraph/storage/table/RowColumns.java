package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import it.unimi.dsi.fastutil.objects.Object2IntOpenHashMap;
import java.util.ArrayList;
import java.util.List;

/**
 * The columns of the rows that writes carry: of each row the numbers of some columns, and the codes of their values.
 */
final class RowColumns {
    private final Object2IntOpenHashMap<String> names = new Object2IntOpenHashMap<>();
    private final List<String> columnNames = new ArrayList<>();
    private final IntArrayList ends = new IntArrayList();
    private final IntArrayList columns = new IntArrayList();
    private final LongArrayList codes = new LongArrayList();

    int column(String name) {
        int next = names.size();
        int number = names.computeIfAbsent(name, unused -> next);
        if (number == next) {
            columnNames.add(name);
        }
        return number;
    }

    String name(int column) {
        return columnNames.get(column);
    }

    /** Adds a column of the row that {@link #end} ends. */
    void add(int column, long code) {
        columns.add(column);
        codes.add(code);
    }

    /** Ends a row. @return its number */
    int end() {
        ends.add(columns.size());
        return ends.size() - 1;
    }

    int size() {
        return ends.size();
    }

    int first(int row) {
        return row == 0 ? 0 : ends.getInt(row - 1);
    }

    int end(int row) {
        return ends.getInt(row);
    }

    int columnAt(int place) {
        return columns.getInt(place);
    }

    long code(int place) {
        return codes.getLong(place);
    }

    /** The place of a column of a row, or -1 if the row lacks it. */
    int find(int row, int column) {
        for (int at = row < 0 ? 0 : first(row), end = row < 0 ? 0 : end(row); at < end; at++) {
            if (columns.getInt(at) == column) {
                return at;
            }
        }
        return -1;
    }

    long bytes() {
        return 4L * ends.size() + 12L * columns.size();
    }
}
