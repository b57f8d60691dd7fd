package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import it.unimi.dsi.fastutil.longs.LongSet;

/** Finds the operations of a history with predicates that an order of events does not explain. */
final class PredicateReplay extends EventReplay {
    /**
     * Receives these operations, the defaults only if reads and writes are checked too. A writer is the last one of the
     * row in the state, or {@link ReplayedRows#NONE}.
     */
    @FunctionalInterface
    interface Sink {
        /** A result has a row that does not match, or lacks one that does. */
        void pair(int transaction, int predicate, int row, int writer);

        /** A read returns another value than the state has. */
        default void read(int transaction, int operation, int writer) {}

        /** An insert finds a row, or a delete finds none. */
        default void existence(int transaction, int operation, int writer) {}

        /** A write overwrites a version that another transaction committed after the snapshot of the writer. */
        default void overlap(int transaction, int operation, int writer) {}
    }

    private final int[] position;
    private final Sink sink;
    /** Whether reads and writes are checked too. */
    private final boolean isOfAll;

    private PredicateReplay(
            HistoryTable raw, Predicates predicates, ReplayedRows rows, int[] position, Sink sink, boolean isOfAll) {
        super(raw, predicates, rows);
        this.position = position;
        this.sink = sink;
        this.isOfAll = isOfAll;
    }

    /**
     * Passes on what an order does not explain, with reads and writes.
     *
     * @param raw as it was recorded; it names the rows of all writes
     * @param counted by transaction: whether it counts
     * @param position by event, one or two a transaction: its place
     */
    static void run(
            HistoryTable raw, Predicates predicates, ReplayedRows rows, boolean[] counted, int[] position, Sink sink) {
        new PredicateReplay(raw, predicates, rows, position, sink, true).run(counted, position);
    }

    /**
     * Returns pairs of a condition and a row that an order does not explain, a few for each transaction and each writer
     * ({@link FoundWriters}). If there are none, the order explains all pairs.
     */
    static LongSet wrong(
            HistoryTable raw, Predicates predicates, ReplayedRows rows, boolean[] counted, int[] position) {
        LongSet wrong = new LongOpenHashSet();
        FoundWriters writers = new FoundWriters(raw.transactions());
        Sink sink = (transaction, predicate, row, writer) -> {
            if (writers.isNeeded(transaction, writer)) {
                wrong.add(PredicateReads.pair(predicates.conditionOf(predicate), row));
            }
        };
        new PredicateReplay(raw, predicates, rows, position, sink, false).run(counted, position);
        return wrong;
    }

    @Override
    boolean isEvaluated(int operation) {
        return Predicates.isOne(raw.value(operation)) || (isOfAll && Predicates.isReadOfRow(raw, operation));
    }

    @Override
    public boolean result(int predicate) {
        return !evaluates
                || rows.compare(predicate, row -> {
                    sink.pair(transaction, predicate, row, rows.writer(row));
                    return true;
                });
    }

    @Override
    public boolean read(int operation, int row, long value) {
        if (isOfAll && evaluates && value != rows.value(row)) {
            sink.read(transaction, operation, rows.writer(row));
        }
        return true;
    }

    @Override
    public boolean write(int operation, int row, long value, int columns) {
        if (isOfAll && commits) {
            check(operation, row);
        }
        return super.write(operation, row, value, columns);
    }

    private void check(int operation, int row) {
        int writer = rows.writer(row);
        boolean exists = rows.exists(row);
        if (raw.isInsert(operation) ? exists : raw.isDelete(operation) && !exists) {
            sink.existence(transaction, operation, writer);
        } else if (!evaluates
                && writer != ReplayedRows.NONE
                && writer != transaction
                && position[2 * writer + 1] > position[2 * transaction]
                && (exists || !raw.hasRows())) {
            sink.overlap(transaction, operation, writer);
        }
    }
}
