package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.longs.Long2IntOpenHashMap;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import java.util.Arrays;
import org.polygraph.storage.dictionary.ValueDictionary;

/** The places of the values that a column ever has: first those of integers, ascending, then those of other values. */
final class ColumnValues {
    static final int NONE = -1;

    private final ValueDictionary values;
    private final long[] integers;
    /** The place of each value that is not an integer, by the code of the value. */
    private final Long2IntOpenHashMap others = new Long2IntOpenHashMap();
    /** By number of columns: the place of their value, or {@link #NONE}. Empty for the values of rows. */
    private final int[] ofColumns;

    private ColumnValues(ValueDictionary values, LongOpenHashSet codes, int columns) {
        this.values = values;
        long[] found = new long[codes.size()];
        int n = 0;
        for (long code : codes) {
            if (values.isInteger(code)) {
                found[n++] = values.integer(code);
            }
        }
        integers = Arrays.copyOf(found, n);
        Arrays.sort(integers);
        others.defaultReturnValue(NONE);
        for (long code : codes) {
            if (!values.isInteger(code)) {
                others.put(code, n++);
            }
        }
        ofColumns = new int[columns];
    }

    /** The values that rows ever have. @param rows the number of rows, whose keys are the first ones */
    static ColumnValues ofRows(HistoryTable table, Predicates predicates, int rows) {
        LongOpenHashSet codes = new LongOpenHashSet();
        predicates.addUnknownValues(codes);
        for (int row = 0; row < rows; row++) {
            codes.add(table.initialValue(row));
        }
        for (int o = 0; o < table.operations(); o++) {
            if (table.isWrite(o)) {
                codes.add(table.value(o));
            }
        }
        return new ColumnValues(table.values(), codes, 0);
    }

    /** The values of one of the columns that writes carry. */
    static ColumnValues ofColumn(ValueDictionary values, RowColumns all, int column) {
        LongOpenHashSet codes = new LongOpenHashSet();
        for (int number = 0; number < all.size(); number++) {
            int at = all.find(number, column);
            if (at >= 0) {
                codes.add(all.code(at));
            }
        }
        ColumnValues places = new ColumnValues(values, codes, all.size());
        for (int number = 0; number < all.size(); number++) {
            int at = all.find(number, column);
            places.ofColumns[number] = at < 0 ? NONE : places.place(all.code(at));
        }
        return places;
    }

    int integers() {
        return integers.length;
    }

    int size() {
        return integers.length + others.size();
    }

    /** The place of a value, or {@link #NONE} if the column never has it. */
    int place(long code) {
        if (!values.isInteger(code)) {
            return others.get(code);
        }
        int at = Arrays.binarySearch(integers, values.integer(code));
        return at < 0 ? NONE : at;
    }

    /** The place of the value of a row that carries columns, or {@link #NONE} if it lacks this one. */
    int placeOf(int columns) {
        return ofColumns[columns];
    }

    /** The first place of the integers within the bounds of a term; of all integers if it has a modulus. */
    int from(Condition.Term term) {
        return term.isRange() ? lowest(term.low()) : 0;
    }

    /** The place after these integers. It may be before the first one. */
    int to(Condition.Term term) {
        return !term.isRange() || term.high() == Long.MAX_VALUE ? integers.length : lowest(term.high() + 1);
    }

    private int lowest(long integer) {
        int at = Arrays.binarySearch(integers, integer);
        return at < 0 ? -at - 1 : at;
    }
}
