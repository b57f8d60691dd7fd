package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.longs.LongArrayList;

/**
 * The operations of a history without the codes that stand for predicates and for columns, and the places of these
 * codes. Each code is before an operation, or at the end of its transaction.
 */
final class PredicateMarks {
    private final Operations operations;
    private final IntArrayList transactions = new IntArrayList();
    private final IntArrayList places = new IntArrayList();
    private final LongArrayList codes = new LongArrayList();
    /** The mark that {@link #next} returns next. */
    private int cursor;

    PredicateMarks(Operations all) {
        for (int t = 0; t + 1 < all.starts().length; t++) {
            for (int o = all.starts()[t]; o < all.starts()[t + 1]; o++) {
                if (Predicates.isStandIn(all.values()[o])) {
                    transactions.add(t);
                    places.add(o - codes.size());
                    codes.add(all.values()[o]);
                }
            }
        }
        operations = all.without(Predicates::isStandIn);
    }

    /** The other operations. */
    Operations operations() {
        return operations;
    }

    int size() {
        return codes.size();
    }

    long code(int mark) {
        return codes.getLong(mark);
    }

    int transaction(int mark) {
        return transactions.getInt(mark);
    }

    /** The operation that a mark stands before. */
    int place(int mark) {
        return places.getInt(mark);
    }

    /** The first mark of a transaction or of a later one. */
    int first(int transaction) {
        int from = 0;
        for (int to = size(); from < to; ) {
            int middle = (from + to) >>> 1;
            if (transactions.getInt(middle) < transaction) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        return from;
    }

    /** Moves to the marks of a transaction. */
    void seek(int transaction) {
        cursor = first(transaction);
    }

    /** The number of the columns that a write carries; -1 if it carries none. */
    int columns(int operation) {
        int from = 0;
        for (int to = size(); from < to; ) {
            int middle = (from + to) >>> 1;
            if (places.getInt(middle) <= operation) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        // Columns come directly before their write, so they are the last mark there.
        boolean isHere = from > 0 && places.getInt(from - 1) == operation && Predicates.isRow(codes.getLong(from - 1));
        return isHere ? Predicates.rowNumber(codes.getLong(from - 1)) : -1;
    }

    /** The next code before an operation of a transaction, or before its end; 0 if there is none. */
    long next(int transaction, int operation) {
        boolean isHere =
                cursor < size() && transactions.getInt(cursor) == transaction && places.getInt(cursor) == operation;
        return isHere ? codes.getLong(cursor++) : 0;
    }
}
