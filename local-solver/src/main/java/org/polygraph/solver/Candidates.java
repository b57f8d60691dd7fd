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

    /**
     * Pushes the writers of a class that known edges do not exclude. Along a chain those that must come before the
     * writer which is read over are the first, and those that must come after the read are the last.
     *
     * @param before commit of the writer that candidates must come after, or a negative number
     * @param read event of the read
     */
    void pushPossible(int key, int valueClass, int before, int read, IntStack out) {
        int[] chains = p.chains;
        if (chains == null || p.reachability == null) {
            push(valueClass, out);
            return;
        }
        for (int at = first(valueClass); isOf(valueClass, at); ) {
            int end = endOfChain(chains, valueClass, at);
            int low = at;
            for (int high = end; before >= 0 && low < high; ) {
                int middle = (low + high) >>> 1;
                if (p.certain(p.overwrites(key, transaction(middle)), before)) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            for (; low < end && !p.certain(read, p.commit(transaction(low))); low++) {
                out.push((int) writers[low]);
            }
            at = end;
        }
    }

    private int transaction(int at) {
        return p.writerTxn[(int) writers[at]];
    }

    /** The place behind the last writer of the class that is in the chain of the writer at a place. */
    private int endOfChain(int[] chains, int valueClass, int at) {
        int t = transaction(at);
        int step = 1;
        while (t < chains.length && isOf(valueClass, at + step) && isInChain(chains, chains[t], at + step)) {
            step *= 2;
        }
        int low = at + step / 2 + (step == 1 ? 1 : 0);
        int high = Math.min(at + step, writers.length);
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (isOf(valueClass, middle) && t < chains.length && isInChain(chains, chains[t], middle)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private boolean isInChain(int[] chains, int chain, int at) {
        int t = transaction(at);
        return t < chains.length && chains[t] == chain;
    }

    private boolean isOf(int valueClass, int at) {
        return at < writers.length && (int) (writers[at] >> 32) == valueClass;
    }

    private int first(int valueClass) {
        int found = Arrays.binarySearch(writers, (long) valueClass << 32);
        return found < 0 ? ~found : found;
    }
}
