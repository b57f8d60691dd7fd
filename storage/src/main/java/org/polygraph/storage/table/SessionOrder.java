package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.ints.IntArrays;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The order of a table: sessions by label, and the transactions of a session by index. So the order of the lines in a
 * file does not matter. Linear time if the input is in order, otherwise a sort within each session. Memory: 4 bytes a
 * transaction unless they are in order.
 */
final class SessionOrder {
    private final long[] labels;
    private final int[] starts;
    private final int @Nullable [] order;

    /**
     * @param sessionOf by transaction: its session
     * @param indexes by transaction
     * @param sessionLabels by session; all different
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

    /** The labels in ascending order. */
    long[] labels() {
        return labels;
    }

    /** By session in that order: the place of its first transaction; and the number of transactions. */
    int[] starts() {
        return starts;
    }

    /** By place in the table: the transaction; null if the input is in order. */
    int @Nullable [] order() {
        return order;
    }

    /** Reorders an array that is indexed by transaction; returns the array itself if it is in order and full. */
    byte[] moved(byte[] from) {
        int n = starts[labels.length];
        return order != null ? Transactions.select(from, order) : from.length == n ? from : Arrays.copyOf(from, n);
    }

    /** Like the other {@code moved}. */
    long[] moved(long[] from) {
        int n = starts[labels.length];
        return order != null ? Transactions.select(from, order) : from.length == n ? from : Arrays.copyOf(from, n);
    }
}
