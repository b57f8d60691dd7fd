package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.ints.IntArrays;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The order of a table: sessions ascend by label, so that a history means the same however its lines are shuffled, and transactions of
 * a session by index. Linear where they come in order, else a sort by session. Memory: 4 bytes a transaction unless they are in order.
 */
final class SessionOrder {
    private final long[] labels;
    private final int[] starts;
    private final int @Nullable [] order;

    /**
     * @param sessionOf by transaction: its session
     * @param indexes by transaction
     * @param n how many transactions there are
     * @param sessionLabels by session, each once
     */
    SessionOrder(int[] sessionOf, long[] indexes, int n, long[] sessionLabels) {
        labels = sessionLabels.clone();
        Arrays.sort(labels);
        int[] rank = new int[labels.length];
        for (int s = 0; s < rank.length; s++) {
            rank[s] = Arrays.binarySearch(labels, sessionLabels[s]);
        }
        starts = new int[labels.length + 1];
        boolean isSorted = true;
        for (int t = 0; t < n; t++) {
            starts[rank[sessionOf[t]] + 1]++;
            if (t > 0) {
                int a = rank[sessionOf[t - 1]];
                int b = rank[sessionOf[t]];
                isSorted &= a < b || (a == b && indexes[t - 1] < indexes[t]);
            }
        }
        for (int s = 0; s < labels.length; s++) {
            starts[s + 1] += starts[s];
        }
        order = isSorted ? null : sorted(sessionOf, indexes, rank, n);
        // The arrays are not kept: the builder lets go of them one by one.
    }

    private int[] sorted(int[] sessionOf, long[] indexes, int[] rank, int n) {
        int[] next = starts.clone();
        int[] sorted = new int[n];
        for (int t = 0; t < n; t++) {
            sorted[next[rank[sessionOf[t]]]++] = t;
        }
        for (int s = 0; s < labels.length; s++) {
            int from = starts[s];
            int to = starts[s + 1];
            for (int i = from + 1; i < to; i++) {
                if (indexes[sorted[i - 1]] >= indexes[sorted[i]]) {
                    IntArrays.mergeSort(sorted, from, to, (a, b) -> Long.compare(indexes[a], indexes[b]));
                    break;
                }
            }
        }
        return sorted;
    }

    /** By rank. */
    long[] labels() {
        return labels;
    }

    /** By rank: the place of its first transaction; and the end of the last. */
    int[] starts() {
        return starts;
    }

    /** By place: the transaction; null if they are in order. */
    int @Nullable [] order() {
        return order;
    }

    /** What is given by transaction, in this order; the array itself where it is already. */
    byte[] moved(byte[] from) {
        int n = starts[labels.length];
        if (order == null) {
            return from.length == n ? from : Arrays.copyOf(from, n);
        }
        byte[] to = new byte[n];
        for (int i = 0; i < n; i++) {
            to[i] = from[order[i]];
        }
        return to;
    }

    /** The same of longs. */
    long[] moved(long[] from) {
        int n = starts[labels.length];
        if (order == null) {
            return from.length == n ? from : Arrays.copyOf(from, n);
        }
        long[] to = new long[n];
        for (int i = 0; i < n; i++) {
            to[i] = from[order[i]];
        }
        return to;
    }
}
