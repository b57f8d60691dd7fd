package org.polygraph.partitioner.index;

import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.model.StoppedException;
import org.polygraph.storage.table.HistoryTable;

/**
 * A history after its first pass: the transactions that count and the {@link VersionIndex}; or the reads that are
 * impossible in any order.
 */
public final class IndexedHistory {
    /** The most violations of single reads that are reported in full. */
    public static final int MOST_VIOLATIONS = 1000;

    private final HistoryTable table;
    private final CommitStatus commitStatus;
    private final int[] sessionOf;
    private final @Nullable VersionIndex versions;
    private final @Nullable Sums sums;
    private final List<Violation> violations;

    private IndexedHistory(
            HistoryTable table,
            CommitStatus commitStatus,
            int[] sessionOf,
            @Nullable VersionIndex versions,
            @Nullable Sums sums,
            List<Violation> violations) {
        this.table = table;
        this.sums = sums;
        this.commitStatus = commitStatus;
        this.sessionOf = sessionOf;
        this.versions = versions;
        this.violations = List.copyOf(violations);
    }

    /** How transactions are treated whose client does not know the outcome. */
    public enum Indeterminate {
        /** Committed only if observed. */
        MAYBE,
        /** Treated as aborted. */
        ABORT
    }

    /** Indexes a history: linear time, see {@link VersionIndex} for memory. */
    public static IndexedHistory of(HistoryTable table, Indeterminate indeterminate) {
        return of(table, indeterminate, () -> false);
    }

    /**
     * The same.
     *
     * @throws org.polygraph.storage.model.StoppedException if it is to stop
     */
    public static IndexedHistory of(HistoryTable table, Indeterminate indeterminate, BooleanSupplier stop) {
        FirstPass pass = FirstPass.of(table, indeterminate, TransactionScan.Reads.FIRST, stop);
        CommitStatus commitStatus = pass.commitStatus();
        if (!pass.violations().isEmpty()) {
            return impossible(table, commitStatus, pass.violations());
        }
        int[] sessionOf = sessionOf(table);
        if (table.hasRows()) {
            return ofRows(table, pass, sessionOf, stop);
        }
        while (true) {
            StoppedException.check(stop);
            VersionIndexBuilder builder =
                    new VersionIndexBuilder(table.keys().size(), sessionOf, commitStatus.states(), table::initialValue);
            builder.stopIf(stop);
            VersionIndex versions = builder.build(
                    table.operationStarts(), table.operationKeys(), table.operationValues(), pass.roles());
            List<Violation> violations = FirstPass.impossible(table, commitStatus, builder.impossible());
            int optional = commitStatus.optional();
            if (violations.isEmpty() && versions.ambiguous() > 0) {
                violations = pass.unfounded(table, versions, builder.uncommitted(), sessionOf, stop);
            }
            if (!violations.isEmpty() || commitStatus.optional() == optional) {
                Sums sums = pass.sums();
                violations = sums == null || !violations.isEmpty() ? violations : sums.impossible(commitStatus);
                return new IndexedHistory(table, commitStatus, sessionOf, versions, sums, violations);
            }
            // The index has no operations of those that cannot have committed.
        }
    }

    private static IndexedHistory ofRows(HistoryTable table, FirstPass pass, int[] sessionOf, BooleanSupplier stop) {
        CommitStatus commitStatus = pass.commitStatus();
        while (true) {
            RowOperations operations = new RowOperations(table, pass.roles(), commitStatus.states());
            VersionIndexBuilder builder = new VersionIndexBuilder(
                    operations.keys(),
                    sessionOf,
                    commitStatus.states(),
                    key -> operations.rows().isExistence(key) ? table.initialValue() : table.initialValue(key));
            VersionIndex versions = operations.index(builder);
            if (builder.uncommitted().isEmpty()) {
                List<Violation> impossible =
                        FirstPass.impossible(table, commitStatus, builder.impossible(), operations.rows());
                impossible = impossible.isEmpty() ? operations.surplus() : impossible;
                int optional = commitStatus.optional();
                if (impossible.isEmpty() && versions.ambiguous() > 0) {
                    impossible = pass.unfounded(table, versions, builder.uncommitted(), sessionOf, stop);
                }
                if (!impossible.isEmpty() || commitStatus.optional() == optional) {
                    return new IndexedHistory(table, commitStatus, sessionOf, versions, null, impossible);
                }
            }
            // Without these, inserts and deletes of others may be impossible too.
            for (int i = 0; i < builder.uncommitted().size(); i++) {
                commitStatus.set(builder.uncommitted().getInt(i), CommitStatus.DROPPED);
            }
        }
    }

    /** A history that single reads or transactions refute. */
    public static IndexedHistory impossible(HistoryTable table, CommitStatus commitStatus, List<Violation> violations) {
        return new IndexedHistory(table, commitStatus, sessionOf(table), null, null, violations);
    }

    /** The session of each transaction of a table. */
    public static int[] sessionOf(HistoryTable table) {
        int[] starts = table.sessionStarts();
        int[] sessionOf = new int[starts[starts.length - 1]];
        for (int s = 0; s + 1 < starts.length; s++) {
            Arrays.fill(sessionOf, starts[s], starts[s + 1], s);
        }
        return sessionOf;
    }

    /** The same history with an index of its own, for rules that decide reads tentatively. */
    public IndexedHistory copy() {
        return new IndexedHistory(table, commitStatus, sessionOf, versions().copy(), sums, violations);
    }

    /** The same history with one unknown outcome decided, and an index of its own. */
    public IndexedHistory deciding(int transaction, boolean committed) {
        CommitStatus decided = commitStatus.decided(transaction, committed);
        return new IndexedHistory(table, decided, sessionOf, versions().copy(), sums, violations);
    }

    public HistoryTable table() {
        return table;
    }

    public CommitStatus commitStatus() {
        return commitStatus;
    }

    /** The keys with additions whose sums are not known; null if there are none. */
    public @Nullable Sums sums() {
        return sums;
    }

    /** The session of each transaction. */
    public int[] sessionOf() {
        return sessionOf;
    }

    /** Impossible reads and inconsistent transactions; none means that {@link #versions} may be used. */
    public List<Violation> violations() {
        return violations;
    }

    /**
     * The version index.
     *
     * @throws IllegalStateException if there are {@link #violations}
     */
    public VersionIndex versions() {
        if (versions == null || !violations.isEmpty()) {
            throw new IllegalStateException("a history with impossible reads has no version index");
        }
        return versions;
    }
}
