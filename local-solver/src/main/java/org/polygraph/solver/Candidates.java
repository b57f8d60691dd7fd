package org.polygraph.solver;

import java.util.Arrays;
import org.polygraph.solver.sat.IntStack;
import org.polygraph.solver.sat.SearchBudget;

/** The candidate writers of a read: the writers of one key, grouped by the class of their value. Memory: 4 bytes a writer. */
final class Candidates {
    static final int NONE = -1;

    private final Polygraph p;
    /** Writers (global index) by class, then index. */
    private final int[] writers;

    Candidates(Polygraph p, int key, SearchBudget budget) {
        this.p = p;
        int first = p.writerStart[key];
        int n = p.writerStart[key + 1] - first;
        budget.reserve(4L * n);
        long[] pairs = new long[n];
        for (int i = 0; i < n; i++) {
            pairs[i] = (long) p.writerClass[first + i] << 32 | (first + i);
            budget.tick();
        }
        Arrays.sort(pairs);
        writers = new int[n];
        for (int i = 0; i < n; i++) {
            writers[i] = (int) pairs[i];
        }
    }

    /** The transaction that is the only writer of a class; {@link #NONE} if the class has no writer or several. */
    int only(int valueClass) {
        int at = first(valueClass);
        return isOf(valueClass, at) && !isOf(valueClass, at + 1) ? p.writerTxn[writers[at]] : NONE;
    }

    /** Pushes every writer (global index) of a class. */
    void push(int valueClass, IntStack out) {
        for (int at = first(valueClass); isOf(valueClass, at); at++) {
            out.push(writers[at]);
        }
    }

    private boolean isOf(int valueClass, int at) {
        return at < writers.length && p.writerClass[writers[at]] == valueClass;
    }

    private int first(int valueClass) {
        int low = 0;
        int high = writers.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (p.writerClass[writers[middle]] < valueClass) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
