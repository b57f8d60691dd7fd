package org.polygraph.storage.analysis;

import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.Operations;
import org.polygraph.storage.table.RecordedCounts;

/**
 * Counts of a history. They include the operations of all transactions, also aborted ones.
 *
 * @param sessions sessions with at least one transaction
 * @param writes operations, inserts and deletes among them
 * @param queries reads that are predicates
 * @param predicateWrites writes that are predicates
 * @param writtenKeys keys that are written at least once
 * @param repeatedWrites writes, not of aborted transactions, of a value that their key already had: by an earlier write
 *     or as its initial value; 0 means that every read names its writer
 * @param timed transactions with both start and end
 * @param earliest the least start in ns; {@link HistoryTable#NO_TIME} without times
 * @param latest the largest end in ns; {@link HistoryTable#NO_TIME} without times
 * @param longest the largest end - start in ns; 0 without times
 * @param dictionaryBytes of keys and values, estimated
 */
public record HistoryStats(
        int sessions,
        int committed,
        int aborted,
        int indeterminate,
        int empty,
        int reads,
        int writes,
        int inserts,
        int deletes,
        int queries,
        int predicateWrites,
        int keys,
        int writtenKeys,
        int repeatedWrites,
        int maxOperations,
        int timed,
        long earliest,
        long latest,
        long longest,
        long arrayBytes,
        long dictionaryBytes) {

    /** Counts in one pass, and a sort of each key's writes. Memory: 8 bytes a write and 4 a key. */
    public static HistoryStats of(HistoryTable history) {
        HistoryTable table = history.withoutPredicates();
        RecordedCounts recorded = RecordedCounts.of(history);
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
        Times times = Times.of(table);
        return new HistoryStats(
                table.sessions(),
                outcomes[TransactionStatus.COMMITTED.code()],
                outcomes[TransactionStatus.ABORTED.code()],
                outcomes[TransactionStatus.INDETERMINATE.code()],
                empty,
                recorded.reads(),
                recorded.writes(),
                count(table, Operations.INSERT),
                count(table, Operations.DELETE),
                recorded.queries(),
                recorded.predicateWrites(),
                recorded.keys(),
                written.writtenKeys(),
                written.repeats(),
                maxOperations,
                times.timed,
                times.earliest,
                times.latest,
                times.longest,
                history.arrayBytes(),
                table.keys().bytes() + table.values().bytes());
    }

    private static int count(HistoryTable table, byte kind) {
        byte[] kinds = table.operationKinds();
        int count = 0;
        for (int o = 0; kinds != null && o < kinds.length; o++) {
            count += kinds[o] == kind ? 1 : 0;
        }
        return count;
    }

    public int transactions() {
        return committed + aborted + indeterminate;
    }

    /** Whether all values of each key differ, including its initial value. */
    public boolean uniqueValues() {
        return repeatedWrites == 0;
    }

    /** Latest end less earliest start in ns; 0 without times. */
    public long spanNanos() {
        return timed == 0 ? 0 : latest - earliest;
    }

    private record Times(int timed, long earliest, long latest, long longest) {
        static Times of(HistoryTable table) {
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
}
