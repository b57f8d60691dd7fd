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
 * Builds an {@link IndexedHistory} from {@link IndexSlice}s that other processes make. This class does the work of the
 * process that has the whole history; the result equals {@link IndexedHistory#of} in every reader and violation.
 *
 * <p>Unknown outcomes are resolved here, because this needs the writer and the reader of every read. A history without
 * unknown outcomes is not scanned here.
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
     * Decides which transactions count.
     *
     * @param slices the distribution of keys to slices
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

    /** The transactions that count; the others need not be dealt to slices. */
    public CommitStatus commitStatus() {
        return commitStatus;
    }

    /** The result, if no slice is needed because some transaction contradicts itself. */
    public @Nullable IndexedHistory known() {
        return violations.isEmpty() ? null : IndexedHistory.impossible(table, commitStatus, violations);
    }

    /**
     * Starts the merge of slices.
     *
     * @param sizes {@link IndexSlice#sizes} of every slice that has operations, in any order
     */
    public SliceMerge merge(Iterable<byte[]> sizes) {
        return new SliceMerge(table, commitStatus, slices, sizes);
    }
}
