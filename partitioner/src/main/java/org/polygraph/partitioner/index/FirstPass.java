package org.polygraph.partitioner.index;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.model.StoppedException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/**
 * The pass over transactions before the passes over keys: which operations matter outside their transaction, which
 * transactions contradict themselves, and which ones count.
 *
 * @param roles of each operation, see {@link TransactionScan}; {@code HIDDEN} in transactions that were not scanned
 * @param sums the keys with additions, of which reads are {@code HIDDEN}; null if there are none
 * @param violations what {@link ListAnomalies} finds; else transactions that count and contradict themselves, at most {@link IndexedHistory#MOST_VIOLATIONS};
 *     if there are any, unknown outcomes were left unresolved
 */
@SuppressWarnings("ArrayRecordComponent") // a bundle of results, never compared
record FirstPass(
        CommitStatus commitStatus, byte[] roles, @Nullable Sums sums, List<Violation> violations) {
    private static final int CHECK_EVERY = 1 << 14;

    /**
     * Linear time, one byte an operation.
     *
     * @throws StoppedException if it is to stop
     */
    static FirstPass of(
            HistoryTable recorded,
            IndexedHistory.Indeterminate indeterminate,
            TransactionScan.Reads reads,
            BooleanSupplier stop) {
        Sums sums = Sums.of(recorded);
        HistoryTable table = sums == null ? recorded : sums.plain();
        CommitStatus commitStatus = CommitStatus.ofCommitted(table);
        TransactionScan scan = new TransactionScan(table, reads);
        IntArrayList brokenCommitted = new IntArrayList();
        IntArrayList brokenIndeterminate = new IntArrayList();
        boolean maybe = indeterminate == IndexedHistory.Indeterminate.MAYBE;
        byte unknown = TransactionStatus.INDETERMINATE.code();
        for (int t = 0; t < table.transactions(); t++) {
            if ((t & CHECK_EVERY - 1) == 0) {
                StoppedException.check(stop);
            }
            boolean committed = commitStatus.isCounted(t);
            if (committed || (maybe && table.statuses()[t] == unknown)) {
                int broken = scan.scan(t);
                if (broken < 0 && table.hasRows()) {
                    broken = brokenRow(table, t);
                }
                if (sums != null) {
                    int ofSum = sums.scan(t, scan.roles());
                    broken = broken < 0 ? ofSum : broken;
                }
                int repeated = table.firstRepeatedRow(t);
                broken = repeated < 0 ? broken : repeated;
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
        if (sums != null) {
            sums.hideReads(scan.roles());
        }
        List<Violation> ofLists = ListAnomalies.of(table, indeterminate);
        return new FirstPass(
                commitStatus,
                scan.roles(),
                sums,
                ofLists.isEmpty() ? inconsistent(table, commitStatus, brokenCommitted, sums) : ofLists);
    }

    /** The first insert of a row that the transaction itself left, or delete of one that it deleted itself; or -1. */
    private static int brokenRow(HistoryTable table, int transaction) {
        for (int o = table.firstOperation(transaction); o < table.operationsEnd(transaction); o++) {
            if (table.isInsert(o) || table.isDelete(o)) {
                int own = table.lastWrite(transaction, table.key(o), o);
                if (own >= 0 && table.isDelete(own) == table.isDelete(o)) {
                    return o;
                }
            }
        }
        return -1;
    }

    /**
     * Drops each transaction of unknown outcome that is not founded ({@link FoundedTransactions}).
     *
     * @param versions in which each read of a counted transaction has a candidate
     * @param uncommitted as {@link VersionIndexBuilder} found them
     * @return a violation if some counted transaction is not founded; nothing was dropped then
     */
    List<Violation> unfounded(
            HistoryTable table,
            VersionIndex versions,
            IntArrayList uncommitted,
            int[] sessionOf,
            BooleanSupplier stop) {
        boolean[] founded = FoundedTransactions.of(versions, commitStatus.states(), sessionOf, uncommitted, stop);
        for (int t = 0; t < founded.length; t++) {
            if (!founded[t] && commitStatus.isCounted(t)) {
                return List.of(UnfoundedReads.violation(table, roles, commitStatus, founded));
            }
        }
        for (int t = 0; t < founded.length; t++) {
            if (!founded[t] && commitStatus.of(t) == CommitStatus.OPTIONAL) {
                commitStatus.set(t, CommitStatus.DROPPED);
            }
        }
        return List.of();
    }

    /** The same for a history without an index of its versions. */
    List<Violation> unfounded(HistoryTable table, BooleanSupplier stop) {
        int[] sessionOf = IndexedHistory.sessionOf(table);
        VersionIndexBuilder builder =
                new VersionIndexBuilder(table.keys().size(), sessionOf, commitStatus.states(), table::initialValue);
        builder.stopIf(stop);
        VersionIndex versions =
                builder.build(table.operationStarts(), table.operationKeys(), table.operationValues(), roles);
        return unfounded(table, versions, builder.uncommitted(), sessionOf, stop);
    }

    /**
     * Names transactions that contradict themselves.
     *
     * @param broken (transaction, operation) pairs; the first few become violations
     */
    static List<Violation> inconsistent(
            HistoryTable table, CommitStatus commitStatus, IntArrayList broken, @Nullable Sums sums) {
        ReadAnomalies anomalies = new ReadAnomalies(table, commitStatus);
        List<Violation> violations = new ArrayList<>();
        for (int i = 0; i < broken.size() && violations.size() < IndexedHistory.MOST_VIOLATIONS; i += 2) {
            int read = broken.getInt(i + 1);
            violations.add(
                    sums != null && sums.has(table.key(read))
                            ? sums.inconsistent(broken.getInt(i), read)
                            : anomalies.inconsistent(broken.getInt(i), read));
        }
        return violations;
    }

    /**
     * Names impossible reads.
     *
     * @param impossible (key, transaction) pairs; the first few become violations
     */
    static List<Violation> impossible(HistoryTable table, CommitStatus commitStatus, IntArrayList impossible) {
        ReadAnomalies anomalies = new ReadAnomalies(table, commitStatus);
        IntArrayList reads = new IntArrayList();
        for (int i = 0; i < impossible.size() && reads.size() < IndexedHistory.MOST_VIOLATIONS; i += 2) {
            reads.add(table.firstRead(impossible.getInt(i + 1), impossible.getInt(i)));
        }
        return anomalies.impossible(reads, IndexedHistory.MOST_VIOLATIONS);
    }

    /**
     * Names impossible reads, among them inserts and deletes as reads of existences.
     *
     * @param impossible (key of the index, transaction) pairs; the first few become violations
     */
    static List<Violation> impossible(
            HistoryTable table, CommitStatus commitStatus, IntArrayList impossible, RowKeys rows) {
        ReadAnomalies anomalies = new ReadAnomalies(table, commitStatus);
        IntArrayList ofKeys = new IntArrayList();
        List<Violation> ofRows = new ArrayList<>();
        for (int i = 0; i < impossible.size(); i += 2) {
            int key = impossible.getInt(i);
            if (!rows.isExistence(key)) {
                ofKeys.add(key);
                ofKeys.add(impossible.getInt(i + 1));
            } else if (ofRows.size() < IndexedHistory.MOST_VIOLATIONS) {
                ofRows.add(anomalies.impossibleRow(impossible.getInt(i + 1), rows.keyOf(key)));
            }
        }
        List<Violation> violations = new ArrayList<>(impossible(table, commitStatus, ofKeys));
        violations.addAll(
                ofRows.subList(0, Math.min(ofRows.size(), IndexedHistory.MOST_VIOLATIONS - violations.size())));
        return violations;
    }
}
