package org.polygraph.storage.table;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.dictionary.KeyDictionary;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.lists.ListReads;

/**
 * Transactions of one piece of a history as its reader met them, neither sorted nor held against those of other pieces. Ids of
 * sessions, keys and values are the piece's own, in order of first appearance, so {@link HistoryTableBuilder#add} of all
 * pieces in their order gives the ids that one reader would have given. Nobody writes to the arrays.
 *
 * <p>Memory: 12 bytes an operation, 25 a transaction, 41 with times, 8 an element of a list that was read, and labels.
 *
 * @param sessionLabels of the piece's sessions
 * @param sessionOf by transaction
 * @param indexes by transaction: what its reader gave
 * @param positions by transaction: its line, byte or row; lines from 1 where the piece begins
 * @param statuses by transaction, see {@link org.polygraph.storage.model.TransactionStatus#code}
 * @param starts by transaction; null if none has times
 * @param ends by transaction; null if none has times
 * @param operationStarts as in {@link HistoryTable}
 * @param operationKeys as in {@link HistoryTable}, by the piece's ids
 * @param operationValues as in {@link HistoryTable}, by the piece's codes
 * @param keys the piece's keys
 * @param values the piece's values
 * @param hasInitialValue whether the piece says an initial value
 * @param initialValue the piece's code of it
 * @param metadata header fields as JSON texts, in their order
 * @param lists what stands for reads of lists among the values; null if the piece has neither these nor appends
 * @param lines how many lines the piece has; 0 where positions are no lines
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
public record HistoryRows(
        long[] sessionLabels,
        int[] sessionOf,
        long[] indexes,
        long[] positions,
        byte[] statuses,
        long @Nullable [] starts,
        long @Nullable [] ends,
        int[] operationStarts,
        int[] operationKeys,
        long[] operationValues,
        KeyDictionary.Labels keys,
        ValueDictionary.Labels values,
        boolean hasInitialValue,
        long initialValue,
        Map<String, String> metadata,
        @Nullable ListReads lists,
        long lines) {
    public int transactions() {
        return statuses.length;
    }

    public int operations() {
        return operationKeys.length;
    }

    /** Bytes of heap, about. */
    public long bytes() {
        return (starts == null ? 25L : 41L) * transactions()
                + (long) HistoryTable.BYTES_PER_OPERATION * operations()
                + keys.bytes()
                + values.bytes()
                + (lists == null ? 0 : lists.bytes());
    }
}
