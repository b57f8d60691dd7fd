package org.polygraph.storage.generate;

import java.io.IOException;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;
import org.polygraph.storage.table.Operations;
import org.polygraph.storage.table.SourceFiles;

/**
 * A range of rows, which ascend by (session, index). It collects what the store found, in any order, and makes tables
 * of it.
 *
 * <p>Memory: 8 bytes an operation; tables are made a few thousand transactions at a time.
 */
public final class GeneratedRows {
    /** Takes the rows as tables, in order. */
    @FunctionalInterface
    public interface Sink {
        void append(HistoryTable rows) throws IOException;
    }

    private static final int OPERATIONS_PER_TABLE = 1 << 17;

    private final TransactionPlan plan;
    private final long from;
    /**
     * By operation of the range: 1 + the write that was given to {@link SimulatedStore.Sink#read}; 0 for a write that
     * takes effect.
     */
    private final long[] found;

    /** @param to last row + 1; the range has at most 2^31 - 9 operations */
    public GeneratedRows(TransactionPlan plan, long from, long to) {
        this.plan = plan;
        this.from = from;
        found = new long[Math.toIntExact((to - from) * plan.operations())];
    }

    /** Returns the place of an operation of a transaction in the range. */
    public int place(long transaction, int operation) {
        return Math.toIntExact((plan.row(transaction) - from) * plan.operations() + operation);
    }

    /** Records that an operation reads the given write. */
    public void read(int place, long write) {
        found[place] = write + 1;
    }

    /**
     * Writes some rows to a sink.
     *
     * @param first the first row, not before the range
     * @param end the row after the last, not beyond the end of the range
     * @throws IllegalStateException if a read has no result: a bug, or a slice of the work is missing
     */
    public void writeTo(long first, long end, Sink sink) throws IOException {
        int perTable = Math.max(1, OPERATIONS_PER_TABLE / plan.operations());
        for (long row = first; row < end; row += perTable) {
            sink.append(table(row, Math.min(end, row + perTable), false));
        }
    }

    /** Returns all rows, whose positions are nearly the order of commits, as those of a log. */
    HistoryTable table() {
        return table(from, from + found.length / plan.operations(), true);
    }

    private HistoryTable table(long first, long end, boolean isLog) {
        Workload workload = plan.workload();
        HistoryTableBuilder builder = new HistoryTableBuilder(SourceFiles.Unit.ROW);
        builder.file("generated");
        builder.initialValue(code(builder, 0, 0));
        plan.metadata(builder);
        if (workload.savepoints > 0) {
            builder.withSavepoints();
        }
        for (long row = first; row < end; row++) {
            long t = plan.transactionOf(row);
            TransactionStatus outcome = plan.outcome(t);
            builder.begin(plan.session(t), plan.index(t), outcome, isLog ? t : row);
            if (workload.timed) {
                builder.times(plan.start(t), plan.end(t));
            }
            int scripted = plan.scripted(t);
            int undoes = plan.undoes(t);
            for (int o = 0; o < plan.operations(t); o++) {
                if (o == undoes) {
                    undone(builder, t);
                }
                operation(builder, t, o, o < scripted, found[Math.toIntExact((row - from) * plan.operations()) + o]);
            }
            builder.end();
        }
        try {
            return builder.build().withUndone();
        } catch (HistoryException e) {
            throw new IllegalStateException("two rows of one place", e);
        }
    }

    /** A write of a value that no other has, and a read of it, between a savepoint and the rollback to it. */
    private void undone(HistoryTableBuilder builder, long t) {
        long name = builder.values().code("undone");
        int id = builder.keys().id(plan.key(t, 0));
        long value = builder.values().code(-1 - t);
        builder.savepoint(Operations.SAVEPOINT, name);
        builder.write(id, value);
        builder.read(id, value);
        builder.savepoint(Operations.ROLLBACK_TO, name);
    }

    private void operation(HistoryTableBuilder builder, long t, int o, boolean scripted, long read) {
        int key = plan.key(t, o);
        int id = builder.keys().id(key);
        if (read == SimulatedStore.INSERTED + 1) {
            builder.insert(id, code(builder, plan.write(t, o), key));
            return;
        }
        if (read == SimulatedStore.DELETED + 1) {
            builder.delete(id);
            return;
        }
        boolean write = plan.isWrite(t, o);
        long version;
        if (scripted) {
            version = plan.scriptedWrite(t, o);
        } else if (read != 0) {
            write = false;
            version = read - 1;
        } else if (write) {
            version = plan.write(t, o);
        } else {
            throw new IllegalStateException("transaction " + t + ", operation " + o + " has no result");
        }
        long value = code(builder, version, key);
        // The keys of planted anomalies have unique values.
        boolean isGiven = plan.workload().versions && key < plan.workload().keys;
        if (isGiven && (!write || plan.outcome(t) == TransactionStatus.COMMITTED)) {
            value = builder.given(value, plan.version(version));
        }
        if (write) {
            builder.write(id, value);
        } else {
            builder.read(id, value);
        }
    }

    private long code(HistoryTableBuilder builder, long version, int key) {
        return version == 0 && plan.hasRows()
                ? ValueDictionary.NULL
                : builder.values().code(plan.value(version, key));
    }

    /** Returns the whole history. Its reads are found in one pass over all keys. */
    public static GeneratedRows all(TransactionPlan plan, Watch watch) {
        GeneratedRows rows = new GeneratedRows(plan, 0, plan.transactions());
        SimulatedStore store = new SimulatedStore(
                plan, 1, 0, (transaction, operation, write) -> rows.read(rows.place(transaction, operation), write));
        for (long t = 0; t < plan.transactions(); t++) {
            for (int o = plan.scripted(t); o < plan.operations(t); o++) {
                store.add(t, o, plan.key(t, o), plan.isWrite(t, o));
            }
            if ((t & 0xffff) == 0) {
                watch.done(t);
            }
        }
        store.finish();
        return rows;
    }

    /** Receives the number of transactions that are done. */
    @FunctionalInterface
    public interface Watch {
        void done(long transactions);
    }
}
