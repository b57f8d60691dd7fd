package org.polygraph.jobs.record;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The table of a recording, through one connection. */
final class KeyValueTable implements AutoCloseable {

    private static final String BETWEEN = "v BETWEEN ? AND ?";

    private final Connection connection;
    private final PreparedStatement select;
    private final PreparedStatement update;
    private final PreparedStatement insert;
    private final PreparedStatement delete;
    private final @Nullable PreparedStatement append;
    private final @Nullable PreparedStatement selectBetween;
    private final @Nullable PreparedStatement updateBetween;
    private final @Nullable PreparedStatement deleteBetween;

    KeyValueTable(Connection connection, Dialect dialect, TableDefinition table) throws SQLException {
        this.connection = connection;
        String name = table.name();
        boolean predicates = table.predicates();
        select = connection.prepareStatement("SELECT v FROM " + name + " WHERE k = ?");
        update = connection.prepareStatement("UPDATE " + name + " SET v = ? WHERE k = ?");
        insert = connection.prepareStatement(table.insertion());
        delete = connection.prepareStatement("DELETE FROM " + name + " WHERE k = ?");
        append = table.lists()
                ? connection.prepareStatement("UPDATE " + name + " SET v = " + dialect.appended() + " WHERE k = ?")
                : null;
        selectBetween =
                predicates ? connection.prepareStatement("SELECT k, v FROM " + name + " WHERE " + BETWEEN) : null;
        updateBetween = predicates && dialect.returnsUpdatedKeys()
                ? connection.prepareStatement(
                        dialect.returningKeys("UPDATE " + name + " SET v = ? WHERE " + BETWEEN, "FINAL"))
                : null;
        deleteBetween = predicates && dialect.returnsDeletedKeys()
                ? connection.prepareStatement(dialect.returningKeys("DELETE FROM " + name + " WHERE " + BETWEEN, "OLD"))
                : null;
    }

    long read(int key) throws SQLException {
        Long value = row(key);
        requireRow(value != null, key);
        return Objects.requireNonNull(value);
    }

    /**
     * Returns the value of a row; null if there is none. PostgreSQL at repeatable read returns two rows of a key if
     * another transaction deleted the row since the snapshot and this one inserted it again; no operation of a history
     * expresses that.
     */
    @Nullable
    Long row(int key) throws SQLException {
        select.setInt(1, key);
        try (ResultSet row = select.executeQuery()) {
            Long value = row.next() ? Long.valueOf(row.getLong(1)) : null;
            if (value != null && row.next()) {
                throw twice();
            }
            return value;
        }
    }

    private static SQLException twice() {
        return new SQLException("a query returned two rows of one key");
    }

    List<Long> list(int key) throws SQLException {
        select.setInt(1, key);
        try (ResultSet row = select.executeQuery()) {
            requireRow(row.next(), key);
            String text = row.getString(1);
            List<Long> elements = new ArrayList<>();
            for (int from = 0; text != null && from < text.length(); ) {
                int to = text.indexOf(',', from);
                elements.add(Long.parseLong(text.substring(from, to)));
                from = to + 1;
            }
            return elements;
        }
    }

    void write(int key, long value) throws SQLException {
        requireRow(update(key, value), key);
    }

    /** Returns whether there was a row. */
    boolean update(int key, long value) throws SQLException {
        update.setLong(1, value);
        update.setInt(2, key);
        return update.executeUpdate() == 1;
    }

    /**
     * Inserts a row, and reads it again, which fails if there are two rows of the key (see {@link #row}). Without
     * this, a later query by value could return the older row alone, and the history would contain a read that misses
     * the transaction's own write.
     */
    void insert(int key, long value) throws SQLException {
        insert.setInt(1, key);
        insert.setLong(2, value);
        insert.executeUpdate();
        row(key);
    }

    /** Returns whether there was a row. */
    boolean delete(int key) throws SQLException {
        delete.setInt(1, key);
        return delete.executeUpdate() == 1;
    }

    void append(int key, long element) throws SQLException {
        PreparedStatement statement = Objects.requireNonNull(append, "a table of lists");
        statement.setString(1, element + ",");
        statement.setInt(2, key);
        requireRow(statement.executeUpdate() == 1, key);
    }

    /** Returns keys and values of the rows whose values are between the bounds. */
    Map<Long, Long> between(long lo, long hi) throws SQLException {
        PreparedStatement statement = Objects.requireNonNull(selectBetween, "a table with predicates");
        statement.setLong(1, lo);
        statement.setLong(2, hi);
        Map<Long, Long> found = new LinkedHashMap<>();
        try (ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                if (found.put(rows.getLong(1), rows.getLong(2)) != null) {
                    throw twice();
                }
            }
        }
        return found;
    }

    /** Whether the database returns which rows an update by a condition has changed. */
    boolean returnsUpdatedKeys() {
        return updateBetween != null;
    }

    /** Whether the database returns which rows a delete by a condition has changed. */
    boolean returnsDeletedKeys() {
        return deleteBetween != null;
    }

    /** Gives the rows whose values are between the bounds a value, and returns their keys. */
    Set<Long> updateBetween(long lo, long hi, long value) throws SQLException {
        PreparedStatement statement = Objects.requireNonNull(updateBetween, "an update that returns keys");
        statement.setLong(1, value);
        statement.setLong(2, lo);
        statement.setLong(3, hi);
        return keys(statement);
    }

    /** Deletes the rows whose values are between the bounds, and returns their keys. */
    Set<Long> deleteBetween(long lo, long hi) throws SQLException {
        PreparedStatement statement = Objects.requireNonNull(deleteBetween, "a delete that returns keys");
        statement.setLong(1, lo);
        statement.setLong(2, hi);
        return keys(statement);
    }

    private static Set<Long> keys(PreparedStatement statement) throws SQLException {
        Set<Long> keys = new LinkedHashSet<>();
        try (ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                keys.add(rows.getLong(1));
            }
        }
        return keys;
    }

    private static void requireRow(boolean found, int key) throws SQLException {
        if (!found) {
            throw new SQLException("the row of key " + key + " is not there; another program changes the table");
        }
    }

    /** Whether all statements are open. DuckDB closes one that fails. */
    boolean isUsable() throws SQLException {
        for (PreparedStatement statement :
                Arrays.asList(select, update, insert, delete, append, selectBetween, updateBetween, deleteBetween)) {
            if (statement != null && statement.isClosed()) {
                return false;
            }
        }
        return true;
    }

    Connection connection() {
        return connection;
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
