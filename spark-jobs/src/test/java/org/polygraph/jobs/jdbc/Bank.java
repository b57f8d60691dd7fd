package org.polygraph.jobs.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** An application: transfers that read two balances, compute, and write them. It loses updates unless it locks. */
final class Bank {
    private final DataSource source;
    private final String lock;

    Bank(DataSource source, boolean locks) {
        this.source = source;
        lock = locks ? " FOR UPDATE" : "";
    }

    static void create(DataSource source, int accounts) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "CREATE TABLE accounts (id INT PRIMARY KEY, owner VARCHAR(20) NOT NULL, balance BIGINT NOT NULL)");
            for (int i = 0; i < accounts; i++) {
                statement.executeUpdate(
                        "INSERT INTO accounts (id, owner, balance) VALUES (" + i + ", 'owner " + i + "', 1000)");
            }
        }
    }

    void transfer(int from, int to, long amount) throws SQLException {
        try (Connection connection = source.getConnection()) {
            connection.setAutoCommit(false);
            try {
                int first = Math.min(from, to);
                long balance = balance(connection, first);
                long other = balance(connection, from + to - first);
                Thread.yield();
                set(connection, first, balance + (first == from ? -amount : amount));
                set(connection, from + to - first, other + (first == from ? amount : -amount));
                connection.commit();
            } catch (SQLException e) {
                connection.rollback();
                throw e;
            }
        }
    }

    private long balance(Connection connection, int account) throws SQLException {
        try (PreparedStatement query =
                connection.prepareStatement("SELECT balance FROM accounts WHERE id = ?" + lock)) {
            query.setInt(1, account);
            try (ResultSet rows = query.executeQuery()) {
                rows.next();
                return rows.getLong("balance");
            }
        }
    }

    private static void set(Connection connection, int account, long balance) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement("UPDATE accounts SET balance = ? WHERE id = ?")) {
            update.setLong(1, balance);
            update.setInt(2, account);
            update.executeUpdate();
        }
    }
}
