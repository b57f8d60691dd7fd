package org.polygraph.jobs.record;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;

/**
 * The table of a recording: a row for each key, with a number or with a list as the text {@code 1,5,}. All rows exist
 * before the first transaction, and only the workload {@code rows} deletes some.
 *
 * @param name of this recording alone, so that others may use the database at the same time
 * @param lists whether values are lists
 * @param initial the value of each key at first, unless values are lists
 * @param predicates whether rows are selected by their values
 */
record TableDefinition(String name, boolean lists, int keys, long initial, boolean predicates) {
    private static final int BATCH = 1000;

    static TableDefinition of(RecordSettings settings) {
        String name = "polygraph_rows_" + UUID.randomUUID().toString().substring(0, 8);
        WorkloadKind kind = settings.kind();
        return new TableDefinition(
                name, kind.hasLists(), settings.workload().keys(), kind.initial(), settings.predicates() > 0);
    }

    String insertion() {
        return "INSERT INTO " + name + " (k, v) VALUES (?, ?)";
    }

    void create(Connection connection, Dialect dialect) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE " + name + " (k INT NOT NULL PRIMARY KEY, v "
                    + (lists ? dialect.text() : "BIGINT") + " NOT NULL)" + dialect.tableOptions());
        }
        boolean commits = connection.getAutoCommit();
        connection.setAutoCommit(false);
        try (PreparedStatement insert = connection.prepareStatement(insertion())) {
            for (int key = 0; key < keys; key++) {
                insert.setInt(1, key);
                if (lists) {
                    insert.setString(2, "");
                } else {
                    insert.setLong(2, initial);
                }
                insert.addBatch();
                if (key % BATCH == BATCH - 1 || key == keys - 1) {
                    insert.executeBatch();
                }
            }
        }
        connection.commit();
        connection.setAutoCommit(commits);
    }

    /** Whether the table is there with all its rows, each with its initial value. */
    boolean isNew(Connection connection) throws SQLException {
        String initially = lists ? "''" : Long.toString(initial);
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT count(*) FROM " + name + " WHERE v = " + initially)) {
            return rows.next() && rows.getInt(1) == keys;
        }
    }

    void drop(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("DROP TABLE " + name);
        }
    }
}
