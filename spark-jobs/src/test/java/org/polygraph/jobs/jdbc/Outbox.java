package org.polygraph.jobs.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** An application: messages that are written with what they are about, and taken by one of several workers. */
final class Outbox {
    private final DataSource source;
    private final String lock;

    Outbox(DataSource source, boolean locks) {
        this.source = source;
        lock = locks ? " FOR UPDATE SKIP LOCKED" : "";
    }

    static void create(DataSource source) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "CREATE TABLE outbox (id UUID PRIMARY KEY, body VARCHAR(100), status VARCHAR(10) NOT NULL,"
                            + " created TIMESTAMP DEFAULT CURRENT_TIMESTAMP)");
        }
    }

    void send(String body) throws SQLException {
        try (Connection connection = source.getConnection();
                PreparedStatement insert =
                        connection.prepareStatement("INSERT INTO outbox (id, body, status) VALUES (?, ?, 'NEW')")) {
            insert.setObject(1, java.util.UUID.randomUUID());
            insert.setString(2, body);
            insert.executeUpdate();
        }
    }

    List<String> take() throws SQLException {
        List<String> taken = new ArrayList<>();
        try (Connection connection = source.getConnection()) {
            connection.setAutoCommit(false);
            List<Object> ids = new ArrayList<>();
            try (PreparedStatement query = connection.prepareStatement(
                            "SELECT id, body FROM outbox WHERE status = ? ORDER BY created LIMIT 1" + lock);
                    PreparedStatement update =
                            connection.prepareStatement("UPDATE outbox SET status = 'SENT' WHERE id = ?")) {
                query.setString(1, "NEW");
                try (ResultSet rows = query.executeQuery()) {
                    while (rows.next()) {
                        ids.add(rows.getObject(1));
                        taken.add(rows.getString(2));
                    }
                }
                Thread.yield();
                for (Object id : ids) {
                    update.setObject(1, id);
                    update.addBatch();
                }
                update.executeBatch();
            }
            connection.commit();
        }
        return taken;
    }
}
