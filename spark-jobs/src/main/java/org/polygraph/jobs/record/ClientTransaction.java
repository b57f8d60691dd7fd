package org.polygraph.jobs.record;

import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.List;

/** The operations of a transaction. Each operation is executed and then recorded. */
final class ClientTransaction {
    private static final String SAVEPOINT = "polygraph";

    private final KeyValueTable table;
    private final HistoryRecorder.Transaction recorded;
    private final Runnable before;
    private final boolean missesAreReads;

    /**
     * @param before runs before each operation
     * @param missesAreReads whether an update or a delete that finds no row is a read of its key
     */
    ClientTransaction(
            KeyValueTable table, HistoryRecorder.Transaction recorded, Runnable before, boolean missesAreReads) {
        this.table = table;
        this.recorded = recorded;
        this.before = before;
        this.missesAreReads = missesAreReads;
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

    /** Reads a row that may be missing, and returns whether it is there. */
    boolean readRow(int key) throws SQLException {
        before.run();
        Long value = table.row(key);
        recorded.read((long) key, value);
        return value != null;
    }

    /** Updates a row that may be missing. */
    void writeRow(int key, long value) throws SQLException {
        before.run();
        if (table.update(key, value)) {
            recorded.write((long) key, value);
        } else {
            missed(key);
        }
    }

    void insert(int key, long value) throws SQLException {
        before.run();
        table.insert(key, value);
        recorded.insert((long) key, value);
    }

    /** Deletes a row that may be missing. */
    void delete(int key) throws SQLException {
        before.run();
        if (table.delete(key)) {
            recorded.delete((long) key);
        } else {
            missed(key);
        }
    }

    private void missed(int key) {
        if (missesAreReads) {
            recorded.read((long) key, null);
        }
    }

    /** Reads the rows whose values are between the bounds. */
    void readBetween(long lo, long hi) throws SQLException {
        before.run();
        recorded.readBetween(lo, hi, table.between(lo, hi));
    }

    boolean canWriteBetween() {
        return table.returnsUpdatedKeys();
    }

    boolean canDeleteBetween() {
        return table.returnsDeletedKeys();
    }

    /** Updates the rows whose values are between the bounds. */
    void writeBetween(long lo, long hi, long value) throws SQLException {
        before.run();
        recorded.writeBetween(lo, hi, value, table.updateBetween(lo, hi, value));
    }

    /** Deletes the rows whose values are between the bounds. */
    void deleteBetween(long lo, long hi) throws SQLException {
        before.run();
        recorded.deleteBetween(lo, hi, table.deleteBetween(lo, hi));
    }

    /** Executes and records operations that a rollback to a savepoint undoes. */
    void undone(Operations operations) throws SQLException {
        before.run();
        Savepoint savepoint = table.connection().setSavepoint(SAVEPOINT);
        recorded.savepoint(SAVEPOINT);
        operations.run();
        table.connection().rollback(savepoint);
        recorded.rollbackTo(SAVEPOINT);
    }

    /** Executes operations. */
    @FunctionalInterface
    interface Operations {
        void run() throws SQLException;
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
