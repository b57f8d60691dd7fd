package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntArrays;
import java.util.Arrays;
import org.polygraph.storage.model.TransactionStatus;

/**
 * The writers of a row that a predicate may see, where transactions take effect in real time: not those that start
 * after it has ended, and not those that another writer of the row overwrote before it started. Each row has a few of
 * them at a time, however many versions it has.
 *
 * <p>Memory: 16 bytes a write and 4 a key. Time: one sort of the transactions; a binary search a question.
 */
final class PairWindows {
    /** Conditions with more readers keep all writers. */
    private static final int MOST_READERS = 8;

    private final HistoryTable table;
    private final long[] starts;
    private final long[] ends;
    private final long skew;
    /** By row: its committed writers with times are [first[row], first[row + 1]), ascending by start. */
    private final int[] first;

    private final long[] writerStarts;
    /** By writer: the least end of it and of the later ones of its row. */
    private final long[] leastEnds;

    /** By condition: the transactions that evaluate it. */
    private final IntArrayList[] readers;

    /** @param skew the most by which two clocks differ, ns */
    PairWindows(
            HistoryTable table, PredicateMarks marks, Predicates predicates, long[] starts, long[] ends, long skew) {
        this.table = table;
        this.starts = starts;
        this.ends = ends;
        this.skew = skew;
        int[] byStart = new int[table.transactions()];
        Arrays.setAll(byStart, t -> t);
        IntArrays.mergeSort(byStart, (a, b) -> Long.compare(starts[a], starts[b]));
        first = new int[table.keys().size() + 1];
        for (int t : byStart) {
            for (int o = table.firstOperation(t); isTimed(t) && o < table.operationsEnd(t); o++) {
                if (table.isWrite(o)) {
                    first[table.key(o) + 1]++;
                }
            }
        }
        for (int row = 1; row < first.length; row++) {
            first[row] += first[row - 1];
        }
        writerStarts = new long[first[first.length - 1]];
        leastEnds = new long[writerStarts.length];
        int[] next = first.clone();
        for (int t : byStart) {
            for (int o = table.firstOperation(t); isTimed(t) && o < table.operationsEnd(t); o++) {
                if (table.isWrite(o)) {
                    int at = next[table.key(o)]++;
                    writerStarts[at] = starts[t];
                    leastEnds[at] = ends[t];
                }
            }
        }
        for (int row = 0; row + 1 < first.length; row++) {
            for (int at = first[row + 1] - 2; at >= first[row]; at--) {
                leastEnds[at] = Math.min(leastEnds[at], leastEnds[at + 1]);
            }
        }
        readers = new IntArrayList[predicates.conditions()];
        Arrays.setAll(readers, c -> new IntArrayList(1));
        for (int t = 0; t < table.transactions(); t++) {
            for (int mark = marks.first(t); mark < marks.first(t + 1); mark++) {
                if (Predicates.isOne(marks.code(mark))) {
                    readers[predicates.conditionOf(Predicates.number(marks.code(mark)))].add(t);
                }
            }
        }
    }

    /** Whether the times bound when a transaction takes effect. One of unknown outcome may do so after its end. */
    private boolean isTimed(int t) {
        return table.status(t) == TransactionStatus.COMMITTED
                && starts[t] != HistoryTable.NO_TIME
                && ends[t] != HistoryTable.NO_TIME;
    }

    /**
     * The least end of the writers of a row that start after a transaction has ended: no later reader sees its write.
     */
    long overwritten(int row, int writer) {
        if (!isTimed(writer)) {
            return Long.MAX_VALUE;
        }
        int low = first[row];
        int high = first[row + 1];
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (writerStarts[middle] - skew > ends[writer]) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low == first[row + 1] ? Long.MAX_VALUE : leastEnds[low];
    }

    /** Whether some transaction that evaluates a condition may see what a writer leaves, and what it overwrites. */
    boolean mayMatter(int condition, int writer, long overwritten) {
        IntArrayList of = readers[condition];
        if (of.size() > MOST_READERS || !isTimed(writer)) {
            return true;
        }
        for (int i = 0; i < of.size(); i++) {
            int reader = of.getInt(i);
            if (!isTimed(reader) || (starts[reader] - skew <= overwritten && ends[reader] >= starts[writer] - skew)) {
                return true;
            }
        }
        return false;
    }
}
