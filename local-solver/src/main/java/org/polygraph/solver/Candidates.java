package org.polygraph.solver;

import java.util.Arrays;
import org.polygraph.solver.sat.IntStack;
import org.polygraph.solver.sat.SearchBudget;

/**
 * The candidate writers of a read: the writers of one key, sorted by the class of their value. Memory: 8 bytes a
 * writer.
 */
final class Candidates {
    static final int NONE = -1;

    private final Polygraph p;
    /** Class and global index of each writer, ascending. */
    private final long[] writers;

    Candidates(Polygraph p, int key, SearchBudget budget) {
        this.p = p;
        int first = p.writerStart[key];
        int n = p.writerStart[key + 1] - first;
        budget.reserve(8L * n);
        writers = new long[n];
        for (int i = 0; i < n; i++) {
            writers[i] = (long) p.writerClass[first + i] << 32 | (first + i);
            budget.tick();
        }
        Arrays.sort(writers);
    }

    /** The transaction that is the only writer of a class; {@link #NONE} if the class has no writer or several. */
    int only(int valueClass) {
        int at = first(valueClass);
        return isOf(valueClass, at) && !isOf(valueClass, at + 1) ? p.writerTxn[(int) writers[at]] : NONE;
    }

    /** Pushes every writer (global index) of a class. */
    void push(int valueClass, IntStack out) {
        for (int at = first(valueClass); isOf(valueClass, at); at++) {
            out.push((int) writers[at]);
        }
    }

    private boolean isOf(int valueClass, int at) {
        return at < writers.length && (int) (writers[at] >> 32) == valueClass;
    }

    private int first(int valueClass) {
        int found = Arrays.binarySearch(writers, (long) valueClass << 32);
        return found < 0 ? ~found : found;
    }
}
