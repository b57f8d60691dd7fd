package org.polygraph.partitioner.index;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.util.Arrays;
import java.util.List;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.columnar.HistoryTable;

/**
 * Whom each read read from, operation by operation: what the axioms of RC and RA are about. Where a value was written more
 * than once, or it is open whether its writer committed, the read is left {@link #OPEN}.
 *
 * <p>Linear time, by {@link KeyBuckets}. Memory: 4 bytes an operation; 17 more while it works.
 */
public final class ReadsFrom {
    /** The implicit initial transaction. */
    public static final int INITIAL = -1;
    /** A write, a read of an own write, or an operation of a transaction that does not count. */
    public static final int NONE = -2;
    /** Several writers may be it. */
    public static final int OPEN = -3;

    private final HistoryTable table;
    private final Counting counting;
    private final int[] sources;
    private final IntArrayList open;
    private final List<Violation> violations;

    private ReadsFrom(
            HistoryTable table, Counting counting, int[] sources, IntArrayList open, List<Violation> violations) {
        this.table = table;
        this.counting = counting;
        this.sources = sources;
        this.open = open;
        this.violations = List.copyOf(violations);
    }

    /**
     * Finds the writer of every external read.
     *
     * @param level RC judges every read of a key by itself; at the others the second must return what the first did
     */
    public static ReadsFrom of(HistoryTable table, IndexedHistory.Indeterminate indeterminate, IsolationLevel level) {
        FirstPass pass = FirstPass.of(
                table,
                indeterminate,
                level == IsolationLevel.RC ? TransactionScan.Reads.EACH : TransactionScan.Reads.FIRST);
        int[] sources = new int[table.operations()];
        Arrays.fill(sources, NONE);
        IntArrayList open = new IntArrayList();
        ReadsFrom result = new ReadsFrom(table, pass.counting(), sources, open, pass.violations());
        if (!pass.violations().isEmpty()) {
            return result;
        }
        IntArrayList impossible = new IntArrayList();
        result.find(pass.roles(), impossible);
        if (impossible.isEmpty()) {
            return result;
        }
        List<Violation> violations =
                new ReadAnomalies(table, pass.counting()).impossible(impossible, IndexedHistory.MOST_VIOLATIONS);
        return new ReadsFrom(table, pass.counting(), sources, open, violations);
    }

    private void find(byte[] roles, IntArrayList impossible) {
        KeyBuckets buckets = new KeyBuckets(
                table.keys().size(),
                table.operationStarts(),
                null,
                table.operationKeys(),
                table.operationValues(),
                roles,
                counting.states(),
                KeyBuckets.Tag.OPERATION);
        WritersByValue writers = new WritersByValue();
        long initial = table.initialValue();
        for (int b = 0; b < buckets.count(); b++) {
            buckets.sort(b);
            for (int k = 0; k < buckets.keys(b); k++) {
                int first = buckets.start(k, 0);
                int reads = buckets.start(k, 1);
                int end = buckets.start(k + 1, 0);
                if (reads == end) {
                    continue;
                }
                writers.clear(reads - first);
                int[] tags = buckets.tags();
                long[] values = buckets.values();
                for (int w = first; w < reads; w++) {
                    writers.add(values[w], tags[w]);
                }
                for (int r = reads; r < end; r++) {
                    int writer = writers.find(values[r]);
                    if (writer == WritersByValue.SEVERAL) {
                        writer = other(transaction(tags[r]), values[r], tags, values, first, reads);
                    }
                    settle(tags[r], writer, values[r] == initial, impossible);
                }
            }
        }
        open.unstableSort(null);
        impossible.unstableSort(null);
    }

    /** Of several writers of the value the only one that is not the reader itself, or SEVERAL. */
    private static int other(int reader, long value, int[] writers, long[] values, int from, int to) {
        int found = WritersByValue.NONE;
        for (int w = from; w < to; w++) {
            if (values[w] == value && writers[w] != reader) {
                if (found != WritersByValue.NONE) {
                    return WritersByValue.SEVERAL;
                }
                found = writers[w];
            }
        }
        return found;
    }

    /** @param writer as of {@link WritersByValue#find} */
    private void settle(int operation, int writer, boolean initial, IntArrayList impossible) {
        boolean own = writer >= 0
                && operation >= table.operationStarts()[writer]
                && operation < table.operationStarts()[writer + 1];
        int source = writer == WritersByValue.SEVERAL || (writer >= 0 && initial && !own)
                ? OPEN
                : initial ? INITIAL : own || writer < 0 ? NONE : writer;
        boolean optionalReader = counting.optional() > 0 && counting.of(transaction(operation)) == Counting.OPTIONAL;
        if (source == NONE) {
            // What reads the impossible has not committed: resolution has dropped it, unless it counts.
            impossible.add(operation);
        } else if (optionalReader || (source >= 0 && counting.of(source) == Counting.OPTIONAL)) {
            source = OPEN;
        }
        sources[operation] = source;
        if (source == OPEN) {
            open.add(operation);
        }
    }

    private int transaction(int operation) {
        int found = Arrays.binarySearch(table.operationStarts(), operation);
        if (found < 0) {
            return -found - 2;
        }
        // Transactions without operations start where the next one does.
        while (table.operationStarts()[found + 1] == operation) {
            found++;
        }
        return found;
    }

    public HistoryTable table() {
        return table;
    }

    public Counting counting() {
        return counting;
    }

    /** By operation: a transaction, {@link #INITIAL}, {@link #NONE} or {@link #OPEN}. Nobody writes to it. */
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
