package org.polygraph.partitioner.sliced;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.index.CommitStatus;
import org.polygraph.partitioner.index.FirstPass;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.index.TransactionScan;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/**
 * The same {@link IndexedHistory}, to the last reader and violation, put together from {@link IndexSlice}s: what is done
 * where the whole history is, while slices are made elsewhere.
 *
 * <p>Unknown outcomes are resolved here (they need both ends of every read, and are few); where there are none, nothing
 * is scanned here.
 */
public final class SlicedIndexing {
    private final HistoryTable table;
    private final KeySlices slices;
    private final CommitStatus commitStatus;
    private final List<Violation> violations;

    private SlicedIndexing(
            HistoryTable table, KeySlices slices, CommitStatus commitStatus, List<Violation> violations) {
        this.table = table;
        this.slices = slices;
        this.commitStatus = commitStatus;
        this.violations = violations;
    }

    /**
     * Decides who counts.
     *
     * @param slices who is in which
     */
    public static SlicedIndexing of(HistoryTable table, IndexedHistory.Indeterminate indeterminate, KeySlices slices) {
        if (indeterminate == IndexedHistory.Indeterminate.MAYBE && anyUnknown(table.statuses())) {
            FirstPass pass = FirstPass.of(table, indeterminate, TransactionScan.Reads.FIRST);
            return new SlicedIndexing(table, slices, pass.commitStatus(), pass.violations());
        }
        return new SlicedIndexing(table, slices, CommitStatus.ofCommitted(table), List.of());
    }

    private static boolean anyUnknown(byte[] outcomes) {
        byte unknown = TransactionStatus.INDETERMINATE.code();
        for (byte outcome : outcomes) {
            if (outcome == unknown) {
                return true;
            }
        }
        return false;
    }

    public KeySlices slices() {
        return slices;
    }

    /** Who counts: dropped transactions need not be dealt out. */
    public CommitStatus commitStatus() {
        return commitStatus;
    }

    /** The result, if it is known without any slice: some transaction contradicts itself. */
    public @Nullable IndexedHistory known() {
        return violations.isEmpty() ? null : IndexedHistory.impossible(table, commitStatus, violations);
    }

    /**
     * Puts slices together.
     *
     * @param sizes {@link IndexSlice#sizes} of every slice that has operations, in any order
     */
    public SliceMerge merge(Iterable<byte[]> sizes) {
        return new SliceMerge(table, commitStatus, slices, sizes);
    }
}
