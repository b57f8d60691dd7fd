package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.ints.Int2LongMap;
import it.unimi.dsi.fastutil.ints.Int2LongOpenHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.dictionary.KeyDictionary;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.model.TransactionStatus;

/**
 * A history that refers to no other one. Its keys are numbers from 0, and its values are integers that represent the
 * value codes of another history.
 */
public final class CodedHistory {
    private CodedHistory() {}

    /**
     * Makes such a history.
     *
     * @param sessionStarts by session: its first transaction; and the number of transactions
     * @param statuses by transaction, see {@link TransactionStatus#code}
     * @param starts by transaction; null if no transaction has times
     * @param ends like {@code starts}
     * @param operations without inserts and deletes; not kept
     * @param initialValues by key: the code of the value before the first transaction
     */
    public static HistoryTable of(
            int[] sessionStarts,
            byte[] statuses,
            long @Nullable [] starts,
            long @Nullable [] ends,
            Operations operations,
            long[] initialValues) {
        KeyDictionary keys = new KeyDictionary();
        Int2LongMap state = new Int2LongOpenHashMap(initialValues.length);
        for (int k = 0; k < initialValues.length; k++) {
            keys.id((long) k);
            state.put(k, ValueDictionary.asInteger(initialValues[k]));
        }
        long[] values = new long[operations.size()];
        for (int o = 0; o < values.length; o++) {
            values[o] = ValueDictionary.asInteger(operations.values()[o]);
        }
        long[] labels = new long[sessionStarts.length - 1];
        long[] indexes = new long[statuses.length];
        for (int s = 0; s < labels.length; s++) {
            labels[s] = s;
            for (int t = sessionStarts[s]; t < sessionStarts[s + 1]; t++) {
                indexes[t] = t - sessionStarts[s];
            }
        }
        return new HistoryTable(
                new Header(new SourceFiles(List.of(), SourceFiles.Unit.ROW), 0, state, Map.of()),
                keys,
                new ValueDictionary(),
                new Sessions(labels, sessionStarts),
                new Transactions(statuses, indexes, new long[statuses.length], starts, ends),
                new Operations(operations.starts(), operations.keys(), values, null));
    }
}
