package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.ints.Int2ObjectOpenHashMap;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntArrays;
import it.unimi.dsi.fastutil.ints.IntOpenHashSet;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import it.unimi.dsi.fastutil.longs.LongArrays;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.dictionary.ValueDictionary;

/**
 * All versions that rows have ever had, also aborted ones. They give the rows that may match a condition.
 *
 * <p>Memory: 8 bytes a write, 12 more for each column that a condition searches, and 16 for each write with columns.
 */
final class RowVersions {
    /** The number for no version. */
    static final long NONE = -1;

    private final HistoryTable table;
    private final ValueDictionary values;
    private final RowColumns columns;

    /** By row: its first place in {@link #had}; at the end the number of places. */
    private final int[] starts;

    /**
     * The different integers that rows ever had, by row and ascending. Made at the first search, like the lists below,
     * because most large histories need none.
     */
    private long @Nullable [] had;

    /** By row: the number of its writes. */
    private final int[] writes;

    /** Writes with columns: the key, the value, and the number of the columns. */
    private final IntArrayList keysOfWide = new IntArrayList();

    private final LongArrayList valuesOfWide = new LongArrayList();
    private final IntArrayList columnsOfWide = new IntArrayList();
    /** By key: the places in these lists. */
    private final Int2ObjectOpenHashMap<IntArrayList> wide = new Int2ObjectOpenHashMap<>();
    /** The searches for bounds of a column are under 2 * column, and those for values under 2 * column + 1. */
    private final Int2ObjectOpenHashMap<VersionSearch> searches = new Int2ObjectOpenHashMap<>();

    /** @param table as it was recorded */
    RowVersions(HistoryTable table, Predicates predicates) {
        this.table = table;
        values = table.values();
        columns = predicates.rows();
        starts = new int[table.keys().size() + 1];
        writes = new int[table.keys().size()];
        for (int o = 0; o < table.operations(); o++) {
            // The operations of conditions have no keys.
            if (table.isWrite(o)) {
                writes[table.key(o)]++;
            }
        }
    }

    private synchronized long[] versions() {
        long[] all = had;
        if (all == null) {
            all = had();
            had = all;
            addWide();
        }
        return all;
    }

    private void addWide() {
        for (int o = 0; o < table.operations(); o++) {
            int carried = table.isWrite(o) ? Predicates.columnsOf(table, o) : -1;
            if (carried >= 0) {
                wide.computeIfAbsent(table.key(o), unused -> new IntArrayList()).add(keysOfWide.size());
                keysOfWide.add(table.key(o));
                valuesOfWide.add(table.value(o));
                columnsOfWide.add(carried);
            }
        }
    }

    private long[] had() {
        int rows = table.keys().size();
        int[] counts = new int[rows + 2];
        for (int o = 0; o < table.operations(); o++) {
            if (isInteger(o)) {
                counts[table.key(o) + 2]++;
            }
        }
        for (int k = 0; k < rows; k++) {
            counts[k + 2] += counts[k + 1] + (values.isInteger(table.initialValue(k)) ? 1 : 0);
        }
        long[] all = new long[counts[rows + 1]];
        for (int k = 0; k < rows; k++) {
            if (values.isInteger(table.initialValue(k))) {
                all[counts[k + 1]++] = values.integer(table.initialValue(k));
            }
        }
        for (int o = 0; o < table.operations(); o++) {
            if (isInteger(o)) {
                all[counts[table.key(o) + 1]++] = values.integer(table.value(o));
            }
        }
        int n = 0;
        for (int k = 0; k < rows; k++) {
            Arrays.sort(all, counts[k], counts[k + 1]);
            starts[k] = n;
            for (int i = counts[k]; i < counts[k + 1]; i++) {
                if (n == starts[k] || all[n - 1] != all[i]) {
                    all[n++] = all[i];
                }
            }
        }
        starts[rows] = n;
        return Arrays.copyOf(all, n);
    }

    private boolean isInteger(int o) {
        return table.isWrite(o) && values.isInteger(table.value(o));
    }

    /** The number of rows, which have the first keys. */
    int rows() {
        return writes.length;
    }

    int writes(int row) {
        return writes[row];
    }

    /**
     * Ascending: the rows of which some version satisfies the first term of a condition. If the term has a modulus, all
     * rows that ever have an integer.
     */
    int[] candidates(Condition condition) {
        Condition.Term term = condition.terms().get(0);
        IntOpenHashSet found = new IntOpenHashSet();
        long[] codes = term.codes();
        if (term.isRange()) {
            search(term.column(), false).collect(term.low(), term.high(), found);
        } else if (codes == null) {
            search(term.column(), false).collect(Long.MIN_VALUE, Long.MAX_VALUE, found);
        } else {
            for (long code : codes) {
                search(term.column(), true).collect(code, code, found);
            }
        }
        int[] rows = found.toIntArray();
        IntArrays.quickSort(rows);
        return rows;
    }

    private VersionSearch search(int column, boolean ofCodes) {
        long[] all = versions();
        return searches.computeIfAbsent(2 * column + (ofCodes ? 1 : 0), unused -> {
            LongArrayList found = new LongArrayList();
            IntArrayList keys = new IntArrayList();
            if (column == Condition.VALUE) {
                for (int k = 0; k + 1 < starts.length; k++) {
                    for (int i = starts[k]; i < starts[k + 1]; i++) {
                        found.add(all[i]);
                        keys.add(k);
                    }
                }
            } else {
                for (int i = 0; i < keysOfWide.size(); i++) {
                    int at = columns.find(columnsOfWide.getInt(i), column);
                    if (at >= 0 && (ofCodes || values.isInteger(columns.code(at)))) {
                        found.add(ofCodes ? columns.code(at) : values.integer(columns.code(at)));
                        keys.add(keysOfWide.getInt(i));
                    }
                }
            }
            return new VersionSearch(found, keys);
        });
    }

    /**
     * Identifies a row and those of its versions that match; {@link #NONE} if none does. The same number may stand for
     * two conditions that the same versions match.
     *
     * @param number of the condition
     */
    long matched(Condition condition, int number, int row) {
        long[] all = versions();
        if (condition.isOfValue()) {
            Condition.Term term = condition.terms().get(0);
            for (int i = starts[row]; !term.isRange() && i < starts[row + 1]; i++) {
                if (term.includes(all[i])) {
                    return of(number, row);
                }
            }
            if (!term.isRange()) {
                return NONE;
            }
            int from = place(all, row, term.low());
            int to = term.high() == Long.MAX_VALUE ? starts[row + 1] : place(all, row, term.high() + 1);
            // Values of a row are at places of its own, so both places identify it.
            return from >= to ? NONE : (long) from << 32 | to;
        }
        IntArrayList places = wide.get(row);
        for (int i = 0; places != null && i < places.size(); i++) {
            int at = places.getInt(i);
            if (condition.matches(values, columns, valuesOfWide.getLong(at), columnsOfWide.getInt(at))) {
                return of(number, row);
            }
        }
        return NONE;
    }

    private static long of(int condition, int row) {
        return Long.MIN_VALUE | (long) condition << 32 | row;
    }

    /** Returns the first place of a value of a row that is not below a bound. */
    private int place(long[] all, int row, long bound) {
        int at = LongArrays.binarySearch(all, starts[row], starts[row + 1], bound);
        return at < 0 ? -at - 1 : at;
    }
}
