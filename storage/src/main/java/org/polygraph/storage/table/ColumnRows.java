package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.longs.Long2IntOpenHashMap;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import java.util.Arrays;
import org.polygraph.storage.dictionary.ValueDictionary;

/**
 * The rows of a state by their values in one column. The values that the column ever has are at places: first integers,
 * ascending, then other values. Rows are in lists. A list has the rows of some neighbouring integers, or of one value
 * that is not an integer. A row moves in constant time. A search visits few rows besides those that it finds. A count
 * visits few rows.
 */
final class ColumnRows {
    static final int NONE = -1;
    private static final int MOST_LISTS = 1 << 12;

    private final ValueDictionary values;
    private final long[] integers;
    /** The place of each value that is not an integer, by the code of the value. */
    private final Long2IntOpenHashMap others = new Long2IntOpenHashMap();

    private final int shift;
    /** By list: its first row, and the number of its rows. */
    private final int[] firsts;

    private final int[] sizes;
    /** By row: the place of its value. */
    private final int[] places;

    private final int[] next;
    private final int[] previous;

    /**
     * Prepares a state in which no row has a value.
     *
     * @param codes all values that the column ever has
     */
    ColumnRows(ValueDictionary values, LongOpenHashSet codes, int rows) {
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
        int bits = 0;
        while (integers.length >> bits > MOST_LISTS) {
            bits++;
        }
        shift = bits;
        firsts = new int[(integers.length >> shift) + 1 + others.size()];
        Arrays.fill(firsts, NONE);
        sizes = new int[firsts.length];
        places = new int[rows];
        Arrays.fill(places, NONE);
        next = new int[rows];
        previous = new int[rows];
    }

    /** The place of a value, or {@link #NONE} if the column never has it. */
    int placeOf(long code) {
        return values.isInteger(code)
                ? Math.max(NONE, Arrays.binarySearch(integers, values.integer(code)))
                : others.get(code);
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

    /** The place of the value of a row, or {@link #NONE}. */
    int place(int row) {
        return places[row];
    }

    private int list(int place) {
        return place < integers.length ? place >> shift : (integers.length >> shift) + 1 + place - integers.length;
    }

    /** Moves a row to the place of its value, or to none. */
    void move(int row, int to) {
        int from = places[row];
        if (from == to) {
            return;
        }
        places[row] = to;
        int list = to == NONE ? NONE : list(to);
        if (from != NONE) {
            int before = list(from);
            if (before == list) {
                return;
            }
            remove(row, before);
        }
        if (list != NONE) {
            int first = firsts[list];
            next[row] = first;
            previous[row] = NONE;
            if (first != NONE) {
                previous[first] = row;
            }
            firsts[list] = row;
            sizes[list]++;
        }
    }

    private void remove(int row, int list) {
        int before = previous[row];
        int after = next[row];
        if (before == NONE) {
            firsts[list] = after;
        } else {
            next[before] = after;
        }
        if (after != NONE) {
            previous[after] = before;
        }
        sizes[list]--;
    }

    /** The number of rows whose places are [from, to), all of them places of integers. */
    int count(int from, int to) {
        if (from >= to) {
            return 0;
        }
        int first = from >> shift;
        int last = (to - 1) >> shift;
        int n = countOf(first, from, to);
        for (int list = first + 1; list < last; list++) {
            n += sizes[list];
        }
        return first == last ? n : n + countOf(last, from, to);
    }

    private int countOf(int list, int from, int to) {
        int n = 0;
        for (int row = firsts[list]; row != NONE; row = next[row]) {
            n += places[row] >= from && places[row] < to ? 1 : 0;
        }
        return n;
    }

    /** Adds the rows that may satisfy a term. All rows that satisfy it are among them. */
    void collect(Condition.Term term, IntArrayList found) {
        long[] codes = term.codes();
        if (codes == null) {
            int from = from(term);
            int to = to(term);
            for (int list = from >> shift; from < to && list <= (to - 1) >> shift; list++) {
                collect(list, found);
            }
            return;
        }
        for (int i = 0; i < codes.length; i++) {
            int place = placeOf(codes[i]);
            boolean isRepeated = false;
            for (int j = 0; j < i && place != NONE; j++) {
                int other = placeOf(codes[j]);
                isRepeated |= other != NONE && list(other) == list(place);
            }
            if (place != NONE && !isRepeated) {
                collect(list(place), found);
            }
        }
    }

    private void collect(int list, IntArrayList found) {
        for (int row = firsts[list]; row != NONE; row = next[row]) {
            found.add(row);
        }
    }
}
