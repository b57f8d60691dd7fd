package org.polygraph.jobs.verdict;

import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.RecordedCounts;

/** The size of a history. Reads and writes include those of transactions that do not count. */
public record Counts(
        long sessions,
        long transactionsCommitted,
        long transactionsAborted,
        long transactionsIndeterminate,
        long reads,
        long writes,
        long keys) {
    /** The counts of a history that could not be read. */
    public static final Counts NONE = new Counts(0, 0, 0, 0, 0, 0, 0);

    /** Counts in one pass over statuses and operations. */
    public static Counts of(HistoryTable table) {
        long[] byStatus = new long[TransactionStatus.values().length];
        for (byte status : table.statuses()) {
            byStatus[status]++;
        }
        RecordedCounts recorded = RecordedCounts.of(table);
        return new Counts(
                table.sessions(),
                byStatus[TransactionStatus.COMMITTED.code()] + byStatus[TransactionStatus.INITIAL.code()],
                byStatus[TransactionStatus.ABORTED.code()],
                byStatus[TransactionStatus.INDETERMINATE.code()],
                recorded.reads(),
                recorded.writes(),
                recorded.keys());
    }

    /** The number of transactions of any status. */
    public long transactions() {
        return transactionsCommitted + transactionsAborted + transactionsIndeterminate;
    }

    public long operations() {
        return reads + writes;
    }
}
