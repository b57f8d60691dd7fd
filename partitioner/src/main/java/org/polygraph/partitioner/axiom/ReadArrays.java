package org.polygraph.partitioner.axiom;

import java.util.Arrays;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.index.CommitStatus;
import org.polygraph.partitioner.index.ReadsFrom;
import org.polygraph.storage.table.HistoryTable;

/**
 * The reads with their sources and the writes, for RC and RA, in arrays.
 *
 * @param keys how many there are
 * @param operationStarts as in HistoryTable
 * @param operationKeys as in HistoryTable
 * @param sortedKeys the same, sorted within each long transaction; empty if there is none
 * @param sources by operation, as in ReadsFrom
 * @param states by transaction, as in CommitStatus
 * @param sessionOf by transaction
 */
@SuppressWarnings("ArrayRecordComponent") // a bundle of arrays, never compared
record ReadArrays(
        int keys,
        int[] operationStarts,
        int[] operationKeys,
        int[] sortedKeys,
        int[] sources,
        byte[] states,
        int[] sessionOf) {
    /** The writes of a longer transaction are found by binary search in the sorted copy. */
    static final int SHORT = 24;

    /** Shares the history's arrays. */
    static ReadArrays of(ReadsFrom reads, Events events) {
        HistoryTable table = reads.table();
        int[] starts = table.operationStarts();
        int[] sorted = new int[0];
        for (int t = 0; t + 1 < starts.length; t++) {
            if (starts[t + 1] - starts[t] > SHORT) {
                sorted = sorted.length == 0 ? table.operationKeys().clone() : sorted;
                Arrays.sort(sorted, starts[t], starts[t + 1]);
            }
        }
        return new ReadArrays(
                table.keys().size(),
                starts,
                table.operationKeys(),
                sorted,
                reads.sources(),
                reads.commitStatus().states(),
                events.chainsByTransaction());
    }

    int transactions() {
        return sessionOf.length;
    }

    boolean isCounted(int transaction) {
        return states[transaction] == CommitStatus.COUNTED;
    }
}
