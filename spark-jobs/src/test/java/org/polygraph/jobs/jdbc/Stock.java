package org.polygraph.jobs.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/**
 * An application: reservations of a product in several shelves, as long as the shelves together have enough. Two
 * reservations of one product in different shelves are a write skew unless the product is locked.
 */
final class Stock {
    private final DataSource source;
    private final boolean locks;

    Stock(DataSource source, boolean locks) {
        this.source = source;
        this.locks = locks;
    }

    static void create(DataSource source, int products) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE product (id BIGINT PRIMARY KEY, name VARCHAR(20))");
            statement.execute("CREATE TABLE shelf (product BIGINT, shelf VARCHAR(5), quantity INT NOT NULL,"
                    + " PRIMARY KEY (product, shelf))");
            for (int i = 0; i < products; i++) {
                statement.addBatch("INSERT INTO product VALUES (" + i + ", 'product " + i + "')");
                statement.addBatch("INSERT INTO shelf VALUES (" + i + ", 'A', 60), (" + i + ", 'B', 60)");
            }
            statement.executeBatch();
        }
    }

    boolean reserve(long product, String shelf, int quantity) throws SQLException {
        try (Connection connection = source.getConnection()) {
            connection.setAutoCommit(false);
            // A snapshot may be older than the lock, which nothing would show then.
            connection.setTransactionIsolation(
                    locks ? Connection.TRANSACTION_READ_COMMITTED : Connection.TRANSACTION_REPEATABLE_READ);
            try {
                if (locks) {
                    touch(connection, product);
                }
                int total = 0;
                int here = 0;
                try (PreparedStatement query = connection.prepareStatement(
                        "SELECT * FROM shelf s WHERE s.product = ? AND s.shelf IN ('A', 'B')")) {
                    query.setLong(1, product);
                    try (ResultSet rows = query.executeQuery()) {
                        while (rows.next()) {
                            total += rows.getInt("quantity");
                            here = rows.getString("shelf").equals(shelf) ? rows.getInt("quantity") : here;
                        }
                    }
                }
                Thread.yield();
                boolean isEnough = total >= quantity;
                if (isEnough) {
                    try (PreparedStatement update = connection.prepareStatement(
                            "UPDATE shelf SET quantity = ? WHERE product = ? AND shelf = ?")) {
                        update.setInt(1, here - quantity);
                        update.setLong(2, product);
                        update.setString(3, shelf);
                        update.executeUpdate();
                    }
                }
                connection.commit();
                return isEnough;
            } catch (SQLException e) {
                connection.rollback();
                throw e;
            }
        }
    }

    private static void touch(Connection connection, long product) throws SQLException {
        try (PreparedStatement lock = connection.prepareStatement("SELECT id FROM product WHERE id = ? FOR UPDATE")) {
            lock.setLong(1, product);
            lock.executeQuery().close();
        }
    }
}
