package org.polygraph.jobs.windows;

import java.util.Arrays;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryRows;
import org.polygraph.storage.table.Operations;
import org.polygraph.storage.table.Transactions;

/** The rows of a piece with the operations that the level judges: all levels but lin, which windows refuse, leave out refused compare-and-sets. */
final class JudgedRows {
    private JudgedRows() {}

    /**
     * Returns the rows with the status of transactions that load initial rows; the same rows if there are none.
     *
     * @param upTo by session of the piece: the last index of such a transaction
     */
    static HistoryRows loaded(HistoryRows rows, long[] upTo) {
        Transactions all = rows.transactions();
        byte[] statuses = all.statuses().clone();
        boolean isLoaded = false;
        for (int t = 0; t < statuses.length; t++) {
            long last = upTo[rows.sessionOf()[t]];
            if (last != Long.MIN_VALUE && all.indexes()[t] <= last) {
                statuses[t] = TransactionStatus.INITIAL.code();
                isLoaded = true;
            }
        }
        return isLoaded
                ? with(
                        rows,
                        new Transactions(statuses, all.indexes(), all.sources(), all.starts(), all.ends()),
                        rows.operations())
                : rows;
    }

    private static HistoryRows with(HistoryRows rows, Transactions transactions, Operations operations) {
        return new HistoryRows(
                rows.sessionLabels(),
                rows.sessionOf(),
                transactions,
                operations,
                rows.keys(),
                rows.values(),
                rows.initialValue(),
                rows.initialState(),
                rows.lists(),
                rows.undone(),
                rows.lines());
    }

    /** Returns the rows without refused compare-and-sets; the same rows if there are none. */
    static HistoryRows of(HistoryRows rows) {
        if (!rows.values().hasOthers()) {
            return rows;
        }
        Operations all = rows.operations();
        int[] starts = new int[all.starts().length];
        int[] keys = new int[all.size()];
        long[] values = new long[all.size()];
        byte[] kinds = all.kinds() == null ? null : new byte[all.size()];
        int n = 0;
        for (int t = 0; t + 1 < starts.length; t++) {
            for (int o = all.starts()[t]; o < all.starts()[t + 1]; o++) {
                if (!rows.values().isOther(all.values()[o])) {
                    keys[n] = all.keys()[o];
                    if (kinds != null && all.kinds() != null) {
                        kinds[n] = all.kinds()[o];
                    }
                    values[n++] = all.values()[o];
                }
            }
            starts[t + 1] = n;
        }
        return with(
                rows,
                rows.transactions(),
                new Operations(
                        starts,
                        Arrays.copyOf(keys, n),
                        Arrays.copyOf(values, n),
                        kinds == null ? null : Arrays.copyOf(kinds, n)));
    }
}
