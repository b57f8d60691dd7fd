package org.polygraph.storage.analysis;

import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.Operations;
import org.polygraph.storage.table.RecordedCounts;

/**
 * Counts of a history. They include the operations of all transactions, also aborted ones.
 *
 * @param sessions sessions with at least one transaction
 * @param recorded operations and keys; inserts and deletes are writes
 * @param maxOperations the most operations of one transaction
 * @param memoryBytes of the history in memory, with keys and values, estimated
 */
public record HistoryStats(
        int sessions,
        Transactions transactions,
        RecordedCounts recorded,
        int maxOperations,
        Writes writes,
        Times times,
        long memoryBytes) {
    /** @param empty those without operations */
    public record Transactions(int committed, int aborted, int indeterminate, int empty) {
        public int all() {
            return committed + aborted + indeterminate;
        }
    }

    /**
     * What is written.
     *
     * @param keys keys that are written at least once
     * @param repeated writes, not of aborted transactions, of a value that their key already had from an earlier write
     *     or initially; 0 means that every read names its writer
     * @param undone writes that a rollback to a savepoint undid, which are no other number's
     */
    public record Writes(int inserts, int deletes, int keys, int repeated, int undone) {}

    /**
     * Times of the transactions with both start and end, in ns.
     *
     * @param timed the number of these transactions
     * @param earliest the least start; {@link HistoryTable#NO_TIME} without times
     * @param latest the largest end; {@link HistoryTable#NO_TIME} without times
     * @param longest the largest end - start; 0 without times
     */
    public record Times(int timed, long earliest, long latest, long longest) {
        /** Returns the latest end less the earliest start; 0 without times. */
        public long span() {
            return timed == 0 ? 0 : latest - earliest;
        }

        private static Times of(HistoryTable table) {
            long[] starts = table.starts();
            long[] ends = table.ends();
            if (starts == null || ends == null) {
                return new Times(0, HistoryTable.NO_TIME, HistoryTable.NO_TIME, 0);
            }
            int timed = 0;
            long earliest = Long.MAX_VALUE;
            long latest = Long.MIN_VALUE;
            long longest = 0;
            for (int t = 0; t < starts.length; t++) {
                if (starts[t] != HistoryTable.NO_TIME && ends[t] != HistoryTable.NO_TIME) {
                    timed++;
                    earliest = Math.min(earliest, starts[t]);
                    latest = Math.max(latest, ends[t]);
                    longest = Math.max(longest, ends[t] - starts[t]);
                }
            }
            return timed == 0
                    ? new Times(0, HistoryTable.NO_TIME, HistoryTable.NO_TIME, 0)
                    : new Times(timed, earliest, latest, longest);
        }
    }

    /** Counts in one pass, and a sort of each key's writes. Memory: 8 bytes a write and 4 a key. */
    public static HistoryStats of(HistoryTable history) {
        HistoryTable table = history.withoutPredicates();
        int[] operations = RecordedCounts.ofTransactions(history);
        int[] outcomes = new int[TransactionStatus.values().length];
        int empty = 0;
        int maxOperations = 0;
        for (int t = 0; t < table.transactions(); t++) {
            outcomes[table.statuses()[t]]++;
            empty += operations[t] == 0 ? 1 : 0;
            maxOperations = Math.max(maxOperations, operations[t]);
        }
        WrittenValues written = WrittenValues.of(table);
        return new HistoryStats(
                table.sessions(),
                new Transactions(
                        outcomes[TransactionStatus.COMMITTED.code()],
                        outcomes[TransactionStatus.ABORTED.code()],
                        outcomes[TransactionStatus.INDETERMINATE.code()],
                        empty),
                RecordedCounts.of(history),
                maxOperations,
                new Writes(
                        count(table, Operations.INSERT),
                        count(table, Operations.DELETE),
                        written.writtenKeys(),
                        written.repeats(),
                        history.hasSavepoints()
                                ? history.withUndone().writes()
                                        - history.asRead().writes()
                                : 0),
                Times.of(table),
                history.arrayBytes() + table.keys().bytes() + table.values().bytes());
    }

    private static int count(HistoryTable table, byte kind) {
        byte[] kinds = table.operationKinds();
        int count = 0;
        for (int o = 0; kinds != null && o < kinds.length; o++) {
            count += kinds[o] == kind ? 1 : 0;
        }
        return count;
    }

    /** Whether all values of each key differ, including its initial value. */
    public boolean uniqueValues() {
        return writes.repeated == 0;
    }
}
