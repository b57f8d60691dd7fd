package org.polygraph.partitioner.index;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.columnar.HistoryTable;
import org.polygraph.storage.model.Outcome;

/**
 * A history after its first pass: who counts, and the {@link VersionIndex}; or the reads that are impossible whatever
 * the order.
 */
public final class IndexedHistory {
    /** No more violations of single reads than this are reported. */
    public static final int MOST_VIOLATIONS = 10;

    private final HistoryTable table;
    private final Counting counting;
    private final int[] sessionOf;
    private final @Nullable VersionIndex versions;
    private final List<Violation> violations;

    private IndexedHistory(
            HistoryTable table,
            Counting counting,
            int[] sessionOf,
            @Nullable VersionIndex versions,
            List<Violation> violations) {
        this.table = table;
        this.counting = counting;
        this.sessionOf = sessionOf;
        this.versions = versions;
        this.violations = List.copyOf(violations);
    }

    /** What becomes of transactions whose client never learnt the outcome. */
    public enum Indeterminate {
        /** Committed only if observed. */
        MAYBE,
        /** Treated as aborted. */
        ABORT
    }

    /** Indexes a history: linear time, see {@link VersionIndex} for memory. */
    public static IndexedHistory of(HistoryTable table, Indeterminate indeterminate) {
        Counting counting = Counting.ofCommitted(table);
        TransactionScan scan = new TransactionScan(table);
        IntArrayList brokenCommitted = new IntArrayList();
        IntArrayList brokenIndeterminate = new IntArrayList();
        boolean maybe = indeterminate == Indeterminate.MAYBE;
        byte unknown = Outcome.INDETERMINATE.code();
        for (int t = 0; t < table.transactions(); t++) {
            boolean committed = counting.isCounted(t);
            if (committed || (maybe && table.outcomes()[t] == unknown)) {
                int broken = scan.scan(t);
                if (broken >= 0) {
                    if (committed) {
                        brokenCommitted.add(t);
                        brokenCommitted.add(broken);
                    } else {
                        brokenIndeterminate.add(t);
                        brokenIndeterminate.add(broken);
                    }
                }
            }
        }
        ReadAnomalies anomalies = new ReadAnomalies(table, counting);
        int[] sessionOf = sessionOf(table);
        if (brokenCommitted.isEmpty() && maybe) {
            IntArrayList broken = new IntArrayList();
            for (int i = 0; i < brokenIndeterminate.size(); i += 2) {
                broken.add(brokenIndeterminate.getInt(i));
            }
            IndeterminateResolution.resolve(table, scan.roles(), counting, broken);
            for (int i = 0; i < brokenIndeterminate.size(); i += 2) {
                if (counting.isCounted(brokenIndeterminate.getInt(i))) {
                    brokenCommitted.add(brokenIndeterminate.getInt(i));
                    brokenCommitted.add(brokenIndeterminate.getInt(i + 1));
                }
            }
        }
        List<Violation> violations = new ArrayList<>();
        for (int i = 0; i < brokenCommitted.size() && violations.size() < MOST_VIOLATIONS; i += 2) {
            violations.add(anomalies.inconsistent(brokenCommitted.getInt(i), brokenCommitted.getInt(i + 1)));
        }
        if (!violations.isEmpty()) {
            return new IndexedHistory(table, counting, sessionOf, null, violations);
        }
        VersionIndexBuilder builder =
                new VersionIndexBuilder(table.keys().size(), sessionOf, counting.states(), table.initialValue());
        VersionIndex versions = builder.build(
                table.operationStarts(), null, table.operationKeys(), table.operationValues(), scan.roles());
        IntArrayList impossible = builder.impossible();
        for (int i = 0; i < impossible.size() && violations.size() < MOST_VIOLATIONS; i += 2) {
            violations.add(anomalies.impossible(impossible.getInt(i), impossible.getInt(i + 1)));
        }
        return new IndexedHistory(table, counting, sessionOf, versions, violations);
    }

    private static int[] sessionOf(HistoryTable table) {
        int[] sessionOf = new int[table.transactions()];
        int[] starts = table.sessionStarts();
        for (int s = 0; s < table.sessions(); s++) {
            Arrays.fill(sessionOf, starts[s], starts[s + 1], s);
        }
        return sessionOf;
    }

    public HistoryTable table() {
        return table;
    }

    public Counting counting() {
        return counting;
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
