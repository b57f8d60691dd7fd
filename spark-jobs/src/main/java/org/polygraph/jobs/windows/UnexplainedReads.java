package org.polygraph.jobs.windows;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.util.Arrays;
import java.util.function.IntUnaryOperator;

/**
 * Reads of values that neither the left border has nor another transaction of the window writes. Only reads that are violated in the
 * present order are looked at, which are few.
 */
final class UnexplainedReads {
    private static final int NONE = -1;
    private static final int SEVERAL = -2;

    private final Cell all;
    private final IntUnaryOperator keys;
    private final long[] left;
    private final boolean[] isAsked;
    private final KeyValues asked = new KeyValues();
    /** By pair: the transaction that writes it, {@link #NONE} or {@link #SEVERAL}. */
    private final IntArrayList writers = new IntArrayList();

    /**
     * Finds these reads.
     *
     * @param present the events of the window in their present order
     * @param isMoving by index in the window: whether the event is in the problem
     * @param keys the number of the key of an operation
     * @param left by number of a key: the value at the left border
     */
    UnexplainedReads(
            Cell all,
            VisibleOperations visible,
            int[] present,
            boolean[] isMoving,
            IntUnaryOperator keys,
            long[] left) {
        this.all = all;
        this.keys = keys;
        this.left = left;
        this.isAsked = new boolean[left.length];
        long[] last = left.clone();
        for (int i = 0; i < present.length; i++) {
            int t = present[i];
            for (int o = all.firstOperation(t); isMoving[i] && o < all.operationsEnd(t); o++) {
                if (!visible.isVisible(o)) {
                    continue;
                }
                int key = keys.applyAsInt(o);
                if (all.isWrite(o)) {
                    last[key] = all.code(o);
                } else if (last[key] != all.code(o)) {
                    isAsked[key] = true;
                    asked.add(key, all.code(o));
                }
            }
        }
        writers.size(asked.size());
        Arrays.fill(writers.elements(), NONE);
        for (int i = 0; i < present.length; i++) {
            int t = present[i];
            for (int o = all.firstOperation(t); isMoving[i] && o < all.operationsEnd(t); o++) {
                if (all.isWrite(o) && visible.isVisible(o) && isAsked[keys.applyAsInt(o)]) {
                    wrote(asked.find(keys.applyAsInt(o), all.code(o)), t);
                }
            }
        }
    }

    private void wrote(int pair, int t) {
        if (pair >= 0 && writers.getInt(pair) != t) {
            writers.set(pair, writers.getInt(pair) == NONE ? t : SEVERAL);
        }
    }

    boolean has(int read, int reader) {
        int key = keys.applyAsInt(read);
        int pair = isAsked[key] && left[key] != all.code(read) ? asked.find(key, all.code(read)) : -1;
        int writer = pair < 0 ? SEVERAL : writers.getInt(pair);
        return writer == NONE || (writer >= 0 && all.isSameTransaction(writer, reader));
    }
}
