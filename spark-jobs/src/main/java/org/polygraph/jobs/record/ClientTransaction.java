package org.polygraph.jobs.record;

import java.sql.SQLException;
import java.util.List;

/** The operations of a transaction: each is executed, then recorded. */
final class ClientTransaction {
    private final KeyValueTable table;
    private final HistoryRecorder.Transaction recorded;
    private final Runnable before;

    /** @param before runs before each operation */
    ClientTransaction(KeyValueTable table, HistoryRecorder.Transaction recorded, Runnable before) {
        this.table = table;
        this.recorded = recorded;
        this.before = before;
    }

    long read(int key) throws SQLException {
        before.run();
        long value = table.read(key);
        recorded.read((long) key, value);
        return value;
    }

    void write(int key, long value) throws SQLException {
        before.run();
        table.write(key, value);
        recorded.write((long) key, value);
    }

    void readList(int key) throws SQLException {
        before.run();
        List<Long> elements = table.list(key);
        recorded.read((long) key, elements);
    }

    void append(int key, long element) throws SQLException {
        before.run();
        table.append(key, element);
        recorded.append((long) key, element);
    }
}
