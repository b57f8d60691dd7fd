package org.polygraph.partitioner.index;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.table.HistorySelection;
import org.polygraph.storage.table.HistoryTable;

/**
 * The transaction that each read read from, by operation. The axioms of RC and RA are stated over it. If a value was
 * written more than once, or if it is open whether its writer committed, the read remains {@link #OPEN}.
 *
 * <p>Linear time, by {@link KeyBuckets}. Memory: 4 bytes an operation; 17 more while it works. If a read
 * is open, a {@link VersionIndex} is built for a while to find the transactions that are not founded.
 */
public final class ReadsFrom {
    /** The implicit initial transaction. */
    public static final int INITIAL = -1;
    /** A write, a read of an own write, or an operation of a transaction that does not count. */
    public static final int NONE = -2;
    /** Several transactions may be the source. */
    public static final int OPEN = -3;

    private final HistoryTable table;
    private final CommitStatus commitStatus;
    private final int[] sources;
    private final IntArrayList open;
    private final List<Violation> violations;

    private ReadsFrom(
            HistoryTable table,
            CommitStatus commitStatus,
            int[] sources,
            IntArrayList open,
            List<Violation> violations) {
        this.table = table;
        this.commitStatus = commitStatus;
        this.sources = sources;
        this.open = open;
        this.violations = List.copyOf(violations);
    }

    /**
     * Finds the writer of every external read.
     *
     * @param level RC and PL2 judge every read of a key alone; at other levels a second read must return what the first
     *     did
     * @throws org.polygraph.storage.model.StoppedException if it is to stop
     */
    public static ReadsFrom of(
            HistoryTable table,
            IndexedHistory.Indeterminate indeterminate,
            IsolationLevel level,
            BooleanSupplier stop) {
        boolean each = level.readsAlone();
        FirstPass pass = FirstPass.of(
                table, indeterminate, each ? TransactionScan.Reads.EACH : TransactionScan.Reads.FIRST, stop);
        while (true) {
            ReadsFrom result = unread(table, pass);
            if (!pass.violations().isEmpty()) {
                return result;
            }
            KeyBuckets buckets = new KeyBuckets(
                    table.keys().size(),
                    table.operationStarts(),
                    table.operationKeys(),
                    table.operationValues(),
                    pass.roles(),
                    pass.commitStatus().states(),
                    KeyBuckets.Tag.OPERATION);
            IntArrayList impossible = new IntArrayList();
            buckets.findWriters(
                    result::transaction,
                    (key, operation, writer, value) -> result.settle(key, operation, writer, value, impossible),
                    stop);
            ReadsFrom settled = result.settled(impossible);
            if (!settled.violations.isEmpty() || settled.open.isEmpty()) {
                return settled;
            }
            int optional = pass.commitStatus().optional();
            List<Violation> unfounded = pass.unfounded(table, stop);
            if (!unfounded.isEmpty() || pass.commitStatus().optional() == optional) {
                return settled.with(unfounded);
            }
            // Reads from those that cannot have committed have other writers.
        }
    }

    /** Starts without any settled read. */
    private static ReadsFrom unread(HistoryTable table, FirstPass pass) {
        int[] sources = new int[table.operations()];
        Arrays.fill(sources, NONE);
        return new ReadsFrom(table, pass.commitStatus(), sources, new IntArrayList(), pass.violations());
    }

    /** The result, once every external read is settled. */
    private ReadsFrom settled(IntArrayList impossible) {
        open.unstableSort(null);
        if (impossible.isEmpty()) {
            return this;
        }
        impossible.unstableSort(null);
        List<Violation> found =
                new ReadAnomalies(table, commitStatus).impossible(impossible, IndexedHistory.MOST_VIOLATIONS);
        return with(found);
    }

    private ReadsFrom with(List<Violation> found) {
        return new ReadsFrom(table, commitStatus, sources, open, found);
    }

    /**
     * Settles the source of a read.
     *
     * @param writer as of {@link KeyBuckets.Found}
     */
    private void settle(int key, int operation, int writer, long value, IntArrayList impossible) {
        boolean initial = value == table.initialValue(key);
        boolean own =
                writer >= 0 && operation >= table.firstOperation(writer) && operation < table.operationsEnd(writer);
        int source = writer == WritersByValue.SEVERAL || (writer >= 0 && initial && !own)
                ? OPEN
                : initial ? INITIAL : own || writer < 0 ? NONE : writer;
        boolean optionalReader =
                commitStatus.optional() > 0 && commitStatus.of(transaction(operation)) == CommitStatus.OPTIONAL;
        if (source == NONE) {
            // The transaction is counted: resolution has dropped an indeterminate one with an impossible read.
            impossible.add(operation);
        } else if (optionalReader || (source >= 0 && commitStatus.of(source) == CommitStatus.OPTIONAL)) {
            source = OPEN;
        }
        sources[operation] = source;
        if (source == OPEN) {
            open.add(operation);
        }
    }

    private int transaction(int operation) {
        return HistorySelection.transactionOf(table, operation);
    }

    public HistoryTable table() {
        return table;
    }

    public CommitStatus commitStatus() {
        return commitStatus;
    }

    /** By operation: a transaction, {@link #INITIAL}, {@link #NONE} or {@link #OPEN}. Callers must not write to it. */
    public int[] sources() {
        return sources;
    }

    /** The operations whose source is {@link #OPEN}, ascending. */
    public int[] open() {
        return open.toIntArray();
    }

    /** Transactions that contradict themselves and impossible reads: if there are any, the level does not hold. */
    public List<Violation> violations() {
        return violations;
    }
}
