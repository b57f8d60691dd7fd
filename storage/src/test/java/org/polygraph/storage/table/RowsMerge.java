package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.lists.ListCodes;
import org.polygraph.storage.lists.ListReads;
import org.polygraph.storage.model.TransactionStatus;

/**
 * Adds the rows of pieces to a builder, with their keys, values and headers. If all pieces are added in their order,
 * ids are those that a single reader would have given.
 */
public final class RowsMerge {
    private final HistoryTableBuilder builder;
    /** The code of the initial value in the headers so far; null if none has one. */
    private @Nullable Long initialValue;

    /** @param builder to add to */
    public RowsMerge(HistoryTableBuilder builder) {
        this.builder = builder;
    }

    /**
     * Adds the rows of a piece.
     *
     * @param before what to add to the positions of the transactions
     * @return false if the initial value differs from that of an earlier piece; then nothing more can be added
     */
    public boolean add(HistoryRows rows, long before) {
        LongUnaryOperator codes = code -> builder.values().code(rows.values(), code);
        int[] ids = builder.keys().addAll(rows.keys());
        ListReads reads = rows.lists();
        int[] lists = reads == null ? new int[0] : lists(reads, ids, codes);
        Long initial = rows.initialValue();
        if (initial != null && !isInitialValue(code(initial, codes, lists))) {
            return false;
        }
        builder.checkLimit(0);
        Transactions transactions = rows.transactions();
        int[] starts = rows.operations().starts();
        byte[] kinds = rows.operations().kinds();
        for (int t = 0; t < transactions.size(); t++) {
            builder.begin(
                    rows.sessionLabels()[rows.sessionOf()[t]],
                    transactions.indexes()[t],
                    TransactionStatus.ofCode(transactions.statuses()[t]),
                    transactions.sources()[t] + before);
            for (int o = starts[t]; o < starts[t + 1]; o++) {
                int keyAndKind = rows.operations().keys()[o];
                builder.operation(
                        Operations.withKey(keyAndKind, ids[Operations.key(keyAndKind)]),
                        code(rows.operations().values()[o], codes, lists));
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

    /** Adds the lists of a piece. @return by list there: the list here */
    private int[] lists(ListReads piece, int[] keys, LongUnaryOperator values) {
        int[] lists = new int[piece.elements().length];
        for (int i = 1; i < lists.length; i++) {
            LongArrayList elements = new LongArrayList();
            int at = i;
            for (; at > 0; at = piece.before()[at]) {
                elements.add(0, values.applyAsLong(piece.elements()[at]));
            }
            lists[i] = builder.lists().of(keys[~at], elements);
        }
        return lists;
    }

    private boolean isInitialValue(long code) {
        if (initialValue == null) {
            initialValue = code;
            builder.initialValue(code);
        }
        return initialValue == code;
    }

    /** The builder's code of a value of the piece. */
    private static long code(long code, LongUnaryOperator values, int[] lists) {
        if (ListCodes.isRead(code)) {
            return ListCodes.read(lists[ListCodes.list(code)]);
        }
        return values.applyAsLong(code);
    }
}
