package org.polygraph.jobs.decision;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.index.RowKeys;
import org.polygraph.partitioner.index.VersionIndex;
import org.polygraph.solver.Polygraph;
import org.polygraph.solver.proof.KeyKind;

/**
 * The keys of a history for the solver, and one more key for each start that binds only if its transaction commits
 * ({@link RealTimeChain#openStarts}): the instant writes this key, and the transaction reads that write. So the instant
 * comes before the transaction if the transaction commits, and nothing is required otherwise. A known edge cannot
 * express this, because it would hold even if the transaction does not commit.
 *
 * <p>Without such starts the arrays are those of the index; otherwise they are copies, 16 bytes a reader or writer.
 */
final class SolverKeys {
    private final int ofHistory;
    private final int[] writerStarts;
    private final int[] writers;
    private final int[] writerClasses;
    private final int[] readerStarts;
    private final int[] readers;
    private final int[] readerClasses;
    private final KeyKind @Nullable [] kinds;

    SolverKeys(VersionIndex index, RealTimeChain chain, boolean mayOverlap) {
        int[] open = chain.openStarts();
        ofHistory = index.keys();
        int n = open.length;
        kinds = kinds(index.rows(), ofHistory, n, mayOverlap);
        if (n == 0) {
            writerStarts = index.writerStarts();
            writers = index.writerTransactions();
            writerClasses = index.writerClasses();
            readerStarts = index.readerStarts();
            readers = index.readerTransactions();
            readerClasses = index.readerClasses();
            return;
        }
        int writes = index.writerStarts()[ofHistory];
        int reads = index.readerStarts()[ofHistory];
        writerStarts = Arrays.copyOf(index.writerStarts(), ofHistory + 1 + n);
        writers = Arrays.copyOf(index.writerTransactions(), writes + n);
        writerClasses = Arrays.copyOf(index.writerClasses(), writes + n);
        readerStarts = Arrays.copyOf(index.readerStarts(), ofHistory + 1 + n);
        readers = Arrays.copyOf(index.readerTransactions(), reads + n);
        readerClasses = Arrays.copyOf(index.readerClasses(), reads + n);
        for (int i = 0; i < n; i++) {
            writers[writes + i] = chain.openInstant(i);
            writerClasses[writes + i] = writes + i;
            writerStarts[ofHistory + 1 + i] = writes + i + 1;
            readers[reads + i] = open[i];
            readerClasses[reads + i] = writes + i;
            readerStarts[ofHistory + 1 + i] = reads + i + 1;
        }
    }

    private static KeyKind @Nullable [] kinds(@Nullable RowKeys rows, int keys, int more, boolean mayOverlap) {
        if (rows == null && !mayOverlap) {
            return null;
        }
        KeyKind[] kinds = new KeyKind[keys + more];
        Arrays.fill(kinds, mayOverlap ? KeyKind.OVERLAPPING : KeyKind.PLAIN);
        for (int key = 0; rows != null && key < keys; key++) {
            if (rows.isExistence(key)) {
                kinds[key] = rows.isUnborn(key) ? KeyKind.ROW_UNBORN : KeyKind.ROW_BORN;
            } else if (rows.isRow(key)) {
                kinds[key] = KeyKind.OVERLAPPING;
            }
        }
        return kinds;
    }

    void addTo(Polygraph.Builder polygraph) {
        polygraph
                .writers(writerStarts, writers, writerClasses)
                .readers(readerStarts, readers, readerClasses)
                .kinds(kinds);
    }
}
