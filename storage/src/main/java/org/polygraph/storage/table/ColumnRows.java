package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.longs.Long2IntOpenHashMap;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import java.util.Arrays;
import org.polygraph.storage.dictionary.ValueDictionary;

/**
 * The rows of a state by the values of one column, in lists. A list has the rows of some neighbouring integers, or of
 * one value that is not an integer. A row moves in constant time. A search visits few rows besides those that it finds.
 */
final class ColumnRows {
    private static final int MOST_LISTS = 1 << 12;
    private static final int NONE = -1;

    private final ValueDictionary values;
    private final long[] integers;
    private final int shift;
    /** The list of each value that is not an integer, by the code of the value. */
    private final Long2IntOpenHashMap others = new Long2IntOpenHashMap();

    private final int[] firsts;
    /** By row: its list. */
    private final int[] list;

    private final int[] next;
    private final int[] previous;

    /** @param codes of all values that the column ever has */
    ColumnRows(ValueDictionary values, LongOpenHashSet codes, int rows) {
        this.values = values;
        long[] found = new long[codes.size()];
        int n = 0;
        int[] lists = {0};
        for (long code : codes) {
            if (values.isInteger(code)) {
                found[n++] = values.integer(code);
            }
        }
        integers = Arrays.copyOf(found, n);
        Arrays.sort(integers);
        int bits = 0;
        while (n >> bits > MOST_LISTS) {
            bits++;
        }
        shift = bits;
        lists[0] = (n >> shift) + 1;
        for (long code : codes) {
            if (!values.isInteger(code)) {
                others.put(code, lists[0]++);
            }
        }
        firsts = new int[lists[0]];
        Arrays.fill(firsts, NONE);
        list = new int[rows];
        Arrays.fill(list, NONE);
        next = new int[rows];
        previous = new int[rows];
    }

    /** The list of a value. @param code one of the codes that the constructor got */
    int listOf(long code) {
        return values.isInteger(code) ? place(values.integer(code)) >> shift : others.get(code);
    }

    /** Returns the first place of an integer that is not below the given one. */
    private int place(long integer) {
        int at = Arrays.binarySearch(integers, integer);
        return at < 0 ? -at - 1 : at;
    }

    void remove(int row) {
        if (list[row] == NONE) {
            return;
        }
        if (previous[row] == NONE) {
            firsts[list[row]] = next[row];
        } else {
            next[previous[row]] = next[row];
        }
        if (next[row] != NONE) {
            previous[next[row]] = previous[row];
        }
        list[row] = NONE;
    }

    /** Moves a row to the list of its value. */
    void move(int row, int to) {
        if (list[row] == to) {
            return;
        }
        remove(row);
        list[row] = to;
        next[row] = firsts[to];
        previous[row] = NONE;
        if (firsts[to] != NONE) {
            previous[firsts[to]] = row;
        }
        firsts[to] = row;
    }

    /** Adds the rows that may satisfy a term. All rows that satisfy it are among them. */
    void collect(Condition.Term term, IntArrayList found) {
        long[] codes = term.codes();
        if (codes == null) {
            int last = term.high() == Long.MAX_VALUE ? integers.length : place(term.high() + 1);
            for (int at = place(term.low()) >> shift; at <= last >> shift && term.low() <= term.high(); at++) {
                collect(at, found);
            }
            return;
        }
        for (int i = 0; i < codes.length; i++) {
            long code = codes[i];
            boolean isKnown = values.isInteger(code)
                    ? Arrays.binarySearch(integers, values.integer(code)) >= 0
                    : others.containsKey(code);
            boolean isRepeated = false;
            for (int j = 0; j < i && isKnown; j++) {
                isRepeated |= (values.isInteger(codes[j]) || others.containsKey(codes[j]))
                        && listOf(codes[j]) == listOf(code);
            }
            if (isKnown && !isRepeated) {
                collect(listOf(code), found);
            }
        }
    }

    private void collect(int from, IntArrayList found) {
        for (int row = firsts[from]; row != NONE; row = next[row]) {
            found.add(row);
        }
    }
}
