package org.polygraph.jobs.decision;

import java.util.Arrays;
import org.polygraph.partitioner.index.VersionIndex;
import org.polygraph.solver.Polygraph;

/**
 * The keys of a history for the solver, and one more for each start that binds only if its transaction commits ({@link
 * RealTimeChain#openStarts}): the tick writes it, the transaction reads what the tick wrote. That asks for the tick before the
 * transaction if that commits and for nothing otherwise, which is what a known edge cannot say: it would hold in any case,
 * and with it all that the session says of what comes later.
 *
 * <p>Without such starts the arrays are those of the index; otherwise copies, 16 bytes a reader or writer.
 */
final class SolverKeys {
    private final int ofHistory;
    private final int[] writerStarts;
    private final int[] writers;
    private final int[] writerClasses;
    private final int[] readerStarts;
    private final int[] readers;
    private final int[] readerClasses;

    private SolverKeys(VersionIndex index, RealTimeChain ticks) {
        int[] open = ticks.openStarts();
        ofHistory = index.keys();
        int n = open.length;
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
            writers[writes + i] = ticks.openTick(i);
            writerClasses[writes + i] = writes + i;
            writerStarts[ofHistory + 1 + i] = writes + i + 1;
            readers[reads + i] = open[i];
            readerClasses[reads + i] = writes + i;
            readerStarts[ofHistory + 1 + i] = reads + i + 1;
        }
    }

    static SolverKeys of(VersionIndex index, RealTimeChain ticks) {
        return new SolverKeys(index, ticks);
    }

    void addTo(Polygraph.Builder polygraph) {
        polygraph.writers(writerStarts, writers, writerClasses).readers(readerStarts, readers, readerClasses);
    }
}
