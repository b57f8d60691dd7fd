package org.polygraph.partitioner.index;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.util.ArrayList;
import java.util.List;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/**
 * The pass over transactions before the passes over keys: which operations matter outside their transaction, which transactions
 * contradict themselves, and which ones count.
 *
 * @param roles of each operation, see {@link TransactionScan}; of dropped transactions none
 * @param violations transactions that count and contradict themselves, at most {@link IndexedHistory#MOST_VIOLATIONS};
 *     if there are any, unknown outcomes were left unresolved
 */
@SuppressWarnings("ArrayRecordComponent") // a bundle of results, never compared
public record FirstPass(CommitStatus commitStatus, byte[] roles, List<Violation> violations) {
    /** Linear time, one byte an operation. */
    public static FirstPass of(
            HistoryTable table, IndexedHistory.Indeterminate indeterminate, TransactionScan.Reads reads) {
        CommitStatus commitStatus = CommitStatus.ofCommitted(table);
        TransactionScan scan = new TransactionScan(table, reads);
        IntArrayList brokenCommitted = new IntArrayList();
        IntArrayList brokenIndeterminate = new IntArrayList();
        boolean maybe = indeterminate == IndexedHistory.Indeterminate.MAYBE;
        byte unknown = TransactionStatus.INDETERMINATE.code();
        for (int t = 0; t < table.transactions(); t++) {
            boolean committed = commitStatus.isCounted(t);
            if (committed || (maybe && table.statuses()[t] == unknown)) {
                int broken = scan.scan(t);
                if (broken >= 0) {
                    IntArrayList list = committed ? brokenCommitted : brokenIndeterminate;
                    list.add(t);
                    list.add(broken);
                }
            }
        }
        if (brokenCommitted.isEmpty() && maybe) {
            IntArrayList broken = new IntArrayList();
            for (int i = 0; i < brokenIndeterminate.size(); i += 2) {
                broken.add(brokenIndeterminate.getInt(i));
            }
            IndeterminateResolution.resolve(table, scan.roles(), commitStatus, broken);
            for (int i = 0; i < brokenIndeterminate.size(); i += 2) {
                if (commitStatus.isCounted(brokenIndeterminate.getInt(i))) {
                    brokenCommitted.add(brokenIndeterminate.getInt(i));
                    brokenCommitted.add(brokenIndeterminate.getInt(i + 1));
                }
            }
        }
        return new FirstPass(commitStatus, scan.roles(), inconsistent(table, commitStatus, brokenCommitted));
    }

    /**
     * Names transactions that contradict themselves.
     *
     * @param broken (transaction, operation) pairs; the first few become violations
     */
    public static List<Violation> inconsistent(HistoryTable table, CommitStatus commitStatus, IntArrayList broken) {
        ReadAnomalies anomalies = new ReadAnomalies(table, commitStatus);
        List<Violation> violations = new ArrayList<>();
        for (int i = 0; i < broken.size() && violations.size() < IndexedHistory.MOST_VIOLATIONS; i += 2) {
            violations.add(anomalies.inconsistent(broken.getInt(i), broken.getInt(i + 1)));
        }
        return violations;
    }

    /**
     * Names impossible reads.
     *
     * @param impossible (key, transaction) pairs; the first few become violations
     */
    public static List<Violation> impossible(HistoryTable table, CommitStatus commitStatus, IntArrayList impossible) {
        ReadAnomalies anomalies = new ReadAnomalies(table, commitStatus);
        IntArrayList reads = new IntArrayList();
        for (int i = 0; i < impossible.size() && reads.size() < IndexedHistory.MOST_VIOLATIONS; i += 2) {
            reads.add(anomalies.externalRead(impossible.getInt(i), impossible.getInt(i + 1)));
        }
        return anomalies.impossible(reads, IndexedHistory.MOST_VIOLATIONS);
    }
}
