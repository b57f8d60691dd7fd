package org.polygraph.solver;

import java.util.Arrays;

/**
 * Keys whose values are sums. A write adds to its key or sets it; a read is right iff its value is what the last write
 * before it that sets the key left, or the initial value, plus what was added since. Items are in the order of keys.
 *
 * @param starts by key: its first item; and the number of items
 * @param initial by key
 * @param transactions by item
 * @param kinds by item: {@link #READ}, {@link #ADD} or {@link #SET}
 * @param values by item
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record SumItems(int[] starts, long[] initial, int[] transactions, byte[] kinds, long[] values) {
    public static final byte READ = 0;
    public static final byte ADD = 1;
    public static final byte SET = 2;

    int keys() {
        return initial.length;
    }

    /** By transaction: its first place in {@link #keysOf}; and the number of items. */
    int[] startsOf(int transactionCount) {
        int[] of = new int[transactionCount + 1];
        for (int t : transactions) {
            of[t + 1]++;
        }
        Arrays.parallelPrefix(of, Integer::sum);
        return of;
    }

    /** The keys of the items of each transaction. */
    int[] keysOf(int[] startsOf) {
        int[] next = startsOf.clone();
        int[] keysOf = new int[transactions.length];
        for (int key = 0; key < keys(); key++) {
            for (int i = starts[key]; i < starts[key + 1]; i++) {
                keysOf[next[transactions[i]]++] = key;
            }
        }
        return keysOf;
    }
}
