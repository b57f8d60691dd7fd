package org.polygraph.storage.testkit;

import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;

/** Builds a table; source positions count transactions in the order they ended. */
final class TableSink implements TransactionSink {
    private final HistoryTableBuilder builder = new HistoryTableBuilder();
    private final boolean timed;
    private long position;

    TableSink(String name, boolean timed) {
        this.timed = timed;
        builder.file(name);
        builder.initialValue(builder.values().code(0));
    }

    @Override
    public void begin(int session, long index, TransactionStatus outcome, long start, long end) {
        builder.begin(session, index, outcome, ++position);
        if (timed) {
            builder.times(start, end);
        }
    }

    @Override
    public void operation(boolean write, int key, long value) {
        int id = builder.keys().id(key);
        long code = builder.values().code(value);
        if (write) {
            builder.write(id, code);
        } else {
            builder.read(id, code);
        }
    }

    @Override
    public void end() {
        builder.end();
    }

    HistoryTable table() {
        try {
            return builder.build();
        } catch (HistoryException e) {
            throw new IllegalStateException("two transactions with one session and index", e);
        }
    }
}
