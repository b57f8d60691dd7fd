package org.polygraph.jobs.verdict;

import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/**
 * The size of a history, all of it: reads and writes include those of transactions that do not count.
 *
 * @param keys distinct keys
 */
public record Counts(
        long sessions,
        long transactionsCommitted,
        long transactionsAborted,
        long transactionsIndeterminate,
        long reads,
        long writes,
        long keys) {
    /** Of a history that could not be read. */
    public static final Counts NONE = new Counts(0, 0, 0, 0, 0, 0, 0);

    /** One pass over the outcomes and the operations. */
    public static Counts of(HistoryTable table) {
        long[] byOutcome = new long[TransactionStatus.values().length];
        for (byte outcome : table.statuses()) {
            byOutcome[outcome]++;
        }
        long writes = table.writes();
        return new Counts(
                table.sessions(),
                byOutcome[TransactionStatus.COMMITTED.code()],
                byOutcome[TransactionStatus.ABORTED.code()],
                byOutcome[TransactionStatus.INDETERMINATE.code()],
                table.operations() - writes,
                writes,
                table.keys().size());
    }

    /** Whatever their outcome. */
    public long transactions() {
        return transactionsCommitted + transactionsAborted + transactionsIndeterminate;
    }

    public long operations() {
        return reads + writes;
    }
}
