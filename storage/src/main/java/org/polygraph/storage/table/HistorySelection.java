package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.ints.Int2IntOpenHashMap;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.dictionary.KeyDictionary;

/**
 * Some operations of a history as a history of its own: sessions, indexes, statuses, times, places in the source, keys,
 * values, the initial value and the header stay as they are; transactions without any operation left are gone, unless they
 * are asked for.
 *
 * <p>Time and memory: linear in the part, not in the whole, apart from {@code log sessions} a transaction. The
 * dictionary of values is shared.
 */
public final class HistorySelection {
    private final HistoryTable table;
    private final int[] transactions;
    private final int[] keys;
    private final int[] operations;

    private HistorySelection(HistoryTable table, int[] transactions, int[] keys, int[] operations) {
        this.table = table;
        this.transactions = transactions;
        this.keys = keys;
        this.operations = operations;
    }

    /**
     * Takes a part.
     *
     * @param operations ids in the whole, strictly ascending; kept, not copied
     */
    public static HistorySelection of(HistoryTable whole, int[] operations) {
        IntArrayList transactions = new IntArrayList();
        IntArrayList starts = new IntArrayList();
        int end = -1;
        for (int i = 0; i < operations.length; i++) {
            int o = operations[i];
            if (o >= end) {
                int t = transactionOf(whole, o);
                transactions.add(t);
                starts.add(i);
                end = whole.operationStarts[t + 1];
            }
        }
        starts.add(operations.length);
        return of(whole, transactions.toIntArray(), starts.toIntArray(), operations);
    }

    /**
     * Takes a part that may have transactions of which no operation is left.
     *
     * @param transactions ids in the whole, strictly ascending, those of the operations among them; kept, not copied
     * @param operations as above
     */
    public static HistorySelection of(HistoryTable whole, int[] transactions, int[] operations) {
        int[] starts = new int[transactions.length + 1];
        int next = 0;
        for (int i = 0; i < transactions.length; i++) {
            int end = whole.operationStarts[transactions[i] + 1];
            while (next < operations.length && operations[next] < end) {
                next++;
            }
            starts[i + 1] = next;
        }
        return of(whole, transactions, starts, operations);
    }

    private static HistorySelection of(HistoryTable whole, int[] kept, int[] starts, int[] operations) {
        Int2IntOpenHashMap keyIds = new Int2IntOpenHashMap();
        keyIds.defaultReturnValue(-1);
        IntArrayList keys = new IntArrayList();
        int[] operationKeys = new int[operations.length];
        long[] operationValues = new long[operations.length];
        for (int i = 0; i < operations.length; i++) {
            int o = operations[i];
            int key = whole.operationKeys[o] >>> 1;
            int id = keyIds.get(key);
            if (id < 0) {
                id = keys.size();
                keyIds.put(key, id);
                keys.add(key);
            }
            operationKeys[i] = id << 1 | (whole.operationKeys[o] & 1);
            operationValues[i] = whole.operationValues[o];
        }
        int[] keptKeys = keys.toIntArray();
        HistoryTable table = table(whole, kept, starts, keptKeys, operationKeys, operationValues);
        return new HistorySelection(table, kept, keptKeys, operations);
    }

    /** The transaction of an operation, by binary search. */
    public static int transactionOf(HistoryTable whole, int operation) {
        int low = 0;
        int high = whole.transactions();
        while (high - low > 1) {
            int middle = (low + high) >>> 1;
            if (whole.operationStarts[middle] <= operation) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private static HistoryTable table(
            HistoryTable whole,
            int[] kept,
            int[] operationStarts,
            int[] keys,
            int[] operationKeys,
            long[] operationValues) {
        int n = kept.length;
        long[] sessionLabels = new long[n];
        int[] sessionStarts = new int[n + 1];
        int sessions = 0;
        byte[] statuses = new byte[n];
        long[] indexes = new long[n];
        long[] sources = new long[n];
        int end = -1;
        for (int i = 0; i < n; i++) {
            int t = kept[i];
            if (t >= end) {
                int s = whole.sessionOf(t);
                sessionLabels[sessions] = whole.sessionLabels[s];
                sessionStarts[sessions++] = i;
                end = whole.sessionStarts[s + 1];
            }
            statuses[i] = whole.statuses[t];
            indexes[i] = whole.indexes[t];
            sources[i] = whole.sources[t];
        }
        sessionStarts[sessions] = n;
        return new HistoryTable(
                Arrays.copyOf(sessionLabels, sessions),
                Arrays.copyOf(sessionStarts, sessions + 1),
                statuses,
                indexes,
                sources,
                times(whole.starts, kept),
                times(whole.ends, kept),
                operationStarts,
                operationKeys,
                operationValues,
                KeyDictionary.picked(whole.keys, keys),
                whole.values,
                whole.initialValue,
                whole.source,
                whole.metadata);
    }

    private static long @Nullable [] times(long @Nullable [] times, int[] kept) {
        if (times == null) {
            return null;
        }
        long[] picked = new long[kept.length];
        for (int i = 0; i < kept.length; i++) {
            picked[i] = times[kept[i]];
        }
        return picked;
    }

    /** The part as a history. */
    public HistoryTable table() {
        return table;
    }

    /** By transaction of the part: its id in the whole, ascending. The part's own array. */
    public int[] transactions() {
        return transactions;
    }

    /** By key of the part: its id in the whole. The part's own array. */
    public int[] keys() {
        return keys;
    }

    /** By operation of the part: its id in the whole, ascending. The part's own array. */
    public int[] operations() {
        return operations;
    }
}
