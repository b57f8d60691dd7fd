package org.polygraph.storage.table;

import java.io.Serializable;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.dictionary.KeyDictionary;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.lists.ListCodes;
import org.polygraph.storage.lists.ListReads;
import org.polygraph.storage.model.TransactionStatus;

/**
 * The transactions of one piece of a history in the order of the input, not yet sorted or compared with other pieces.
 * Ids of sessions, keys and values are the piece's own, in order of first appearance. {@link #addTo}
 * with all pieces in their order therefore gives the ids that a single reader would have given. No method writes to the
 * arrays.
 *
 * <p>Memory: 12 bytes an operation, 25 a transaction, 41 with times, 8 an element of a list that was read, and labels.
 *
 * @param sessionLabels by session of the piece
 * @param sessionOf by transaction
 * @param transactions their sources are positions in the file; lines count from 1 at the start of the piece
 * @param operations with the piece's ids of keys and codes of values
 * @param initialValue the piece's code of the initial value; null if its header has none
 * @param metadata header fields as JSON, in their order
 * @param lists the lists that some value codes stand for; null if the piece has neither appends nor reads of lists
 * @param lines how many lines the piece has; 0 where positions are not lines
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record HistoryRows(
        long[] sessionLabels,
        int[] sessionOf,
        Transactions transactions,
        Operations operations,
        KeyDictionary.Labels keys,
        ValueDictionary.Labels values,
        @Nullable Long initialValue,
        Map<String, String> metadata,
        @Nullable ListReads lists,
        long lines)
        implements Serializable {
    /** Returns the bytes of heap, approximately. */
    public long bytes() {
        return (transactions.starts() == null ? 25L : 41L) * transactions.size()
                + (long) HistoryTable.BYTES_PER_OPERATION * operations.size()
                + keys.bytes()
                + values.bytes()
                + (lists == null ? 0 : lists.bytes());
    }

    /**
     * Adds these rows to a builder, with their keys, values and header, as their reader would have.
     *
     * @param before what to add to the positions of the transactions
     * @return false if the initial value differs from that of an earlier piece; then nothing more can be added
     */
    public boolean addTo(HistoryTableBuilder builder, long before) {
        ValueDictionary.Codes codes = builder.values().addAll(values);
        int[] ids = builder.keys().addAll(keys);
        ListReads reads = lists;
        int[] listsThere = reads == null ? new int[0] : builder.lists().addAll(reads, ids, codes);
        if (initialValue != null && !builder.hasInitialValue(code(initialValue, codes, listsThere))) {
            return false;
        }
        metadata.forEach(builder::metadata);
        builder.checkLimit(0);
        int[] starts = operations.starts();
        byte[] kinds = operations.kinds();
        for (int t = 0; t < transactions.size(); t++) {
            builder.begin(
                    sessionLabels[sessionOf[t]],
                    transactions.indexes()[t],
                    TransactionStatus.ofCode(transactions.statuses()[t]),
                    transactions.sources()[t] + before);
            for (int o = starts[t]; o < starts[t + 1]; o++) {
                int keyAndKind = operations.keys()[o];
                builder.operation(
                        Operations.withKey(keyAndKind, ids[Operations.key(keyAndKind)]),
                        code(operations.values()[o], codes, listsThere));
                if (kinds != null && kinds[o] != 0) {
                    builder.kind(builder.operations() - 1, kinds[o]);
                }
            }
            if (transactions.starts() != null && transactions.ends() != null) {
                builder.times(transactions.starts()[t], transactions.ends()[t]);
            }
            builder.end();
        }
        return true;
    }

    /** The builder's code of a value of the piece. */
    private static long code(long code, ValueDictionary.Codes values, int[] lists) {
        if (ListCodes.isRead(code)) {
            return ListCodes.read(lists[ListCodes.list(code)]);
        }
        return code == ListCodes.BEFORE_APPEND ? code : values.of(code);
    }
}
