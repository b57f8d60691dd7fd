package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.longs.LongArrayList;

/**
 * The operations of a history without the codes that stand for predicates and for columns, and the places of these
 * codes. Each code is before an operation, or at the end of its transaction.
 */
final class PredicateMarks {
    private final Operations operations;
    /** By transaction: the number of marks before it; and the number of all. */
    private final int[] firsts;

    private final int[] places;
    private final long[] codes;
    /** The mark that {@link #next} returns next. */
    private int cursor;

    PredicateMarks(Operations all) {
        int[] starts = all.starts();
        IntArrayList places = new IntArrayList();
        LongArrayList codes = new LongArrayList();
        firsts = new int[starts.length];
        for (int t = 0; t + 1 < starts.length; t++) {
            for (int o = starts[t]; o < starts[t + 1]; o++) {
                if (Predicates.isStandIn(all.values()[o])) {
                    places.add(o - codes.size());
                    codes.add(all.values()[o]);
                }
            }
            firsts[t + 1] = codes.size();
        }
        this.places = places.toIntArray();
        this.codes = codes.toLongArray();
        operations = all.without(Predicates::isStandIn);
    }

    /** The other operations. */
    Operations operations() {
        return operations;
    }

    int size() {
        return codes.length;
    }

    long code(int mark) {
        return codes[mark];
    }

    /** The operation that a mark stands before. */
    int place(int mark) {
        return places[mark];
    }

    /** The first mark of a transaction; if it has none, that of the next one. */
    int first(int transaction) {
        return firsts[transaction];
    }

    /** Moves to the marks of a transaction. */
    void seek(int transaction) {
        cursor = firsts[transaction];
    }

    /** The number of the columns that a write carries; -1 if it carries none. */
    int columns(int operation) {
        int from = 0;
        for (int to = size(); from < to; ) {
            int middle = (from + to) >>> 1;
            if (places[middle] <= operation) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        // Columns come directly before their write, so they are the last mark there.
        boolean isHere = from > 0 && places[from - 1] == operation && Predicates.isRow(codes[from - 1]);
        return isHere ? Predicates.rowNumber(codes[from - 1]) : -1;
    }

    /** The next code before an operation of a transaction, or before its end; 0 if there is none. */
    long next(int transaction, int operation) {
        boolean isHere =
                cursor >= firsts[transaction] && cursor < firsts[transaction + 1] && places[cursor] == operation;
        return isHere ? codes[cursor++] : 0;
    }
}
