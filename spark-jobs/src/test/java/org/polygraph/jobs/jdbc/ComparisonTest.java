package org.polygraph.jobs.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.application.IsolationCheck;
import org.polygraph.jobs.record.HistoryRecorder;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;

/**
 * Random statements about two tables, by connections that take turns in one thread. A recorder that knows which rows each
 * statement reads and writes records them too. Where the driver records every statement its history has the same
 * verdicts; where it does not, it has no violation that the other one has not.
 */
class ComparisonTest {
    private static final int WORKLOADS = (int)
            Math.min(2000, Math.max(10, 400 * Double.parseDouble(System.getProperty("polygraph.test.scale", "0.2"))));
    private static final List<IsolationLevel> LEVELS =
            List.of(IsolationLevel.SER, IsolationLevel.SI, IsolationLevel.CC, IsolationLevel.RC);
    private static final List<String> TABLES = List.of("a", "b");
    private static final List<String> COLUMNS = List.of("x", "y");

    @TempDir
    private Path folder;

    private int violations;
    private int weaker;

    @Test
    void recordedStatementsHaveTheVerdictsOfTheirOperations() throws Exception {
        for (int seed = 0; seed < WORKLOADS; seed++) {
            compare(seed, false);
        }
        assertThat(violations).isGreaterThan(WORKLOADS / 10);
        assertThat(weaker).isZero();
    }

    @Test
    void unrecordedStatementsCauseNoViolation() throws Exception {
        for (int seed = 0; seed < WORKLOADS; seed++) {
            compare(seed, true);
        }
        assertThat(violations - weaker).as("violations in spite of them").isGreaterThan(WORKLOADS / 50);
        assertThat(weaker).isPositive();
    }

    private void compare(int seed, boolean hasUnrecorded) throws Exception {
        Random random = new Random(seed);
        Path driven = folder.resolve("driven.jsonl");
        Path known = folder.resolve("known.jsonl");
        String url = "jdbc:h2:mem:c" + hasUnrecorded + seed + ";LOCK_TIMEOUT=1";
        boolean readsBack = random.nextBoolean();
        try (Connection keeping = DriverManager.getConnection(url);
                HistoryRecorder recorder = HistoryRecorder.toFile(known);
                RecordingDataSource source = RecordingDataSource.toFile(
                        Applications.of(url),
                        driven,
                        readsBack ? RecordingOptions.READ_BACK : RecordingOptions.DEFAULT)) {
            Truth.create(keeping, recorder, random);
            List<Truth> clients = new ArrayList<>();
            Map<String, Truth> writers = new LinkedHashMap<>();
            int isolation = random.nextInt(4) == 0
                    ? Connection.TRANSACTION_REPEATABLE_READ
                    : Connection.TRANSACTION_READ_COMMITTED;
            for (int i = 0; i < 3; i++) {
                Connection connection = source.getConnection();
                connection.setAutoCommit(false);
                connection.setTransactionIsolation(isolation);
                clients.add(new Truth(connection, recorder.connection(), random, writers, hasUnrecorded, readsBack));
            }
            for (int i = 0; i < 40; i++) {
                clients.get(random.nextInt(clients.size())).step();
            }
            for (Truth each : clients) {
                each.end(true);
                each.connection.close();
            }
        }
        for (IsolationLevel level : LEVELS) {
            IsolationCheck.Result mine = IsolationCheck.of(driven).at(level);
            IsolationCheck.Result other = IsolationCheck.of(known).at(level);
            String what = "seed " + seed + " " + level + "\n" + mine.text() + "\n" + other.text() + "\n";
            if (mine.status() != other.status()) {
                what += Files.readString(driven) + "\n" + Files.readString(known);
            }
            violations += other.status() == Verdict.Status.VIOLATION ? 1 : 0;
            if (hasUnrecorded && other.status() == Verdict.Status.VIOLATION) {
                weaker += mine.status() == Verdict.Status.VIOLATION ? 0 : 1;
            } else if (hasUnrecorded) {
                assertThat(mine.status()).as(what).isNotEqualTo(Verdict.Status.VIOLATION);
            } else {
                assertThat(mine.status()).as(what).isEqualTo(other.status());
            }
        }
    }

    /** A client whose operations are known, because nothing happens between its statements and queries of this class. */
    private static final class Truth {
        private final Connection connection;
        /** The driver's own connection, whose statements are not recorded. */
        private final Connection raw;

        private final HistoryRecorder.Session session;
        private final Random random;
        /** By table and row: the client whose transaction writes it. H2 2.3 may wait for ever after a lock timeout. */
        private final Map<String, Truth> writers;

        private final boolean hasUnrecorded;
        private final boolean readsBack;
        private HistoryRecorder.@Nullable Transaction transaction;
        private List<Map<String, Object>> operations = new ArrayList<>();

        Truth(
                Connection connection,
                HistoryRecorder.Session session,
                Random random,
                Map<String, Truth> writers,
                boolean hasUnrecorded,
                boolean readsBack) {
            this.writers = writers;
            this.connection = connection;
            this.session = session;
            this.random = random;
            this.hasUnrecorded = hasUnrecorded;
            this.readsBack = readsBack;
            raw = Calls.raw(connection);
        }

        static void create(Connection connection, HistoryRecorder recorder, Random random) throws SQLException {
            HistoryRecorder.Session loader = recorder.connection();
            try (Statement statement = connection.createStatement()) {
                for (String table : TABLES) {
                    statement.execute(
                            "CREATE TABLE " + table
                                    + " (id INT GENERATED BY DEFAULT AS IDENTITY (START WITH 5) PRIMARY KEY, x INT, y VARCHAR(10))");
                    try (HistoryRecorder.Transaction transaction = loader.begin()) {
                        for (int id = 0; id < 3; id++) {
                            int x = random.nextInt(4);
                            statement.execute("INSERT INTO " + table + " VALUES (" + id + ", " + x + ", 'v" + x + "')");
                            transaction.record(write("i", table, id, "", 1L));
                            transaction.record(write("i", table, id, "x", (long) x));
                            transaction.record(write("i", table, id, "y", "v" + x));
                        }
                        transaction.commit();
                    }
                }
            }
        }

        private static String key(String table, int id, String column) {
            return table + "[" + id + "]" + (column.isEmpty() ? "" : "." + column);
        }

        private static Map<String, Object> write(String op, String table, int id, String column, Object value) {
            Map<String, Object> fields = new LinkedHashMap<>(Map.of("op", op));
            fields.put("key", key(table, id, column));
            fields.put("value", value);
            fields.put("row", Map.of(table + (column.isEmpty() ? "" : "." + column), value));
            return fields;
        }

        private void read(String table, int id, String column, @Nullable Object value) {
            Map<String, Object> fields = new LinkedHashMap<>(Map.of("op", "r"));
            fields.put("key", key(table, id, column));
            fields.put("value", value);
            operations.add(fields);
        }

        private static Object value(@Nullable Object raw) {
            return raw == null ? "#null" : raw instanceof Integer number ? (Object) number.longValue() : raw;
        }

        /** The rows as this client sees them. */
        private Map<Integer, Object[]> rows(String table, String where) throws SQLException {
            Map<Integer, Object[]> rows = new LinkedHashMap<>();
            try (Statement statement = raw.createStatement();
                    ResultSet found = statement.executeQuery("SELECT id, x, y FROM " + table + where)) {
                while (found.next()) {
                    rows.put(found.getInt(1), new Object[] {value(found.getObject(2)), value(found.getObject(3))});
                }
            }
            return rows;
        }

        void step() throws SQLException {
            if (transaction == null) {
                transaction = session.begin();
            }
            try {
                act(hasUnrecorded && random.nextInt(12) == 0 ? 13 : random.nextInt(13));
            } catch (SQLException e) {
                end(false);
                return;
            }
            if (random.nextInt(4) == 0) {
                end(random.nextInt(6) > 0);
            }
        }

        /** Whether no other client writes the rows. They are then this client's until its transaction ends. */
        private boolean mayWrite(String table, int from, int to) {
            for (int id = from; id < to; id++) {
                Truth writer = writers.get(key(table, id, ""));
                if (writer != null && writer != this) {
                    return false;
                }
            }
            for (int id = from; id < to; id++) {
                writers.put(key(table, id, ""), this);
            }
            return true;
        }

        void end(boolean commits) throws SQLException {
            writers.values().removeIf(each -> each == this);
            HistoryRecorder.Transaction open = transaction;
            if (open == null) {
                return;
            }
            boolean committed = commits;
            if (commits) {
                try {
                    connection.commit();
                } catch (SQLException e) {
                    committed = false;
                }
            } else {
                connection.rollback();
            }
            if (operations.isEmpty()) {
                open.discard();
            } else {
                operations.forEach(open::record);
                if (committed) {
                    open.commit();
                } else {
                    open.abort();
                }
            }
            transaction = null;
            operations = new ArrayList<>();
        }

        private int update(String sql, Object... values) throws SQLException {
            if (random.nextBoolean()) {
                String text = sql;
                for (Object value : values) {
                    text = text.replaceFirst("\\?", value instanceof String ? "'" + value + "'" : "" + value);
                }
                try (Statement statement = connection.createStatement()) {
                    return statement.execute(text) ? -1 : statement.getUpdateCount();
                }
            }
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                for (int i = 0; i < values.length; i++) {
                    statement.setObject(i + 1, values[i]);
                }
                if (random.nextBoolean()) {
                    return statement.executeUpdate();
                }
                statement.addBatch();
                return readsBack && sql.contains("x +")
                        ? statement.executeUpdate()
                        : statement.executeBatch()[0];
            }
        }

        private void act(int kind) throws SQLException {
            String table = TABLES.get(random.nextInt(2));
            // The database numbers rows from 5 on.
            int id = random.nextInt(kind == 2 || kind == 10 ? 5 : 8);
            int column = random.nextInt(2);
            String name = COLUMNS.get(column);
            int number = random.nextInt(6);
            if (kind == 10 && hasUnrecorded) {
                // A later delete, if it is in the history, may explain that the row was not found before.
                return;
            }
            Object written = column == 0 ? (Object) number : "v" + number;
            boolean isWrite = kind >= 2 && kind <= 6 || kind == 9 || kind == 10;
            if (isWrite && !mayWrite(table, id, id + 1) || kind >= 11 && !mayWrite(table, 0, 30)) {
                return;
            }
            switch (kind) {
                case 0, 1:
                    readByKey(table, id);
                    break;
                case 2:
                    insert(table, id, number);
                    break;
                case 3, 4:
                    if (update("UPDATE " + table + " SET " + name + " = ? WHERE id = ?", written, id) > 0) {
                        operations.add(write("w", table, id, name, value(written)));
                    } else {
                        readNone(table, id);
                    }
                    break;
                case 5:
                    delete(table, id);
                    break;
                case 6:
                    if (readsBack || hasUnrecorded) {
                        add(table, id, number, false);
                    }
                    break;
                case 7:
                    readByValue(table, column, number);
                    break;
                case 8:
                    savepoint();
                    break;
                case 9:
                    add(table, id, number, true);
                    break;
                case 10:
                    update("MERGE INTO " + table + " (id, y, x) KEY (id) VALUES (?, ?, NULL)", id, "v" + number);
                    merged(table, id, "v" + number);
                    break;
                case 11:
                    insertNumbered(table, number);
                    break;
                case 12:
                    updateByValue(table, number);
                    break;
                default:
                    unrecorded(table, number);
                    break;
            }
        }

        private void readNone(String table, int id) throws SQLException {
            if (connection.getTransactionIsolation() >= Connection.TRANSACTION_REPEATABLE_READ) {
                read(table, id, "", null);
            }
        }

        private void readByKey(String table, int id) throws SQLException {
            try (PreparedStatement query =
                    connection.prepareStatement("SELECT x, y, x + 1 FROM " + table + " t WHERE (t.id = ?)")) {
                query.setInt(1, id);
                try (ResultSet rows = query.executeQuery()) {
                    if (rows.next()) {
                        found(table, id);
                        read(table, id, "x", value(rows.getObject(1)));
                        read(table, id, "y", value(rows.getString("y")));
                    } else {
                        read(table, id, "", null);
                    }
                }
            }
        }

        /** The driver reads whether a row exists where it does not know the columns of a result. */
        private void found(String table, int id) {
            if (hasUnrecorded) {
                read(table, id, "", 1L);
            }
        }

        private void insert(String table, int id, int number) throws SQLException {
            update("INSERT INTO " + table + " (y, id) VALUES (?, ?)", "v" + number, id);
            operations.add(write("i", table, id, "", 1L));
            operations.add(write("i", table, id, "x", "#null"));
            operations.add(write("i", table, id, "y", "v" + number));
        }

        private void merged(String table, int id, String y) {
            operations.add(write("w", table, id, "", 1L));
            operations.add(write("w", table, id, "x", "#null"));
            operations.add(write("w", table, id, "y", y));
        }

        /** The application asks for the number that the database gives. */
        private void insertNumbered(String table, int number) throws SQLException {
            Map<Integer, Object[]> before = rows(table, "");
            try (Statement statement = connection.createStatement()) {
                String sql = "INSERT INTO " + table + " (y, x) VALUES ('v" + number + "', NULL)";
                boolean asks = !hasUnrecorded || random.nextBoolean();
                if (asks) {
                    statement.executeUpdate(sql, Statement.RETURN_GENERATED_KEYS);
                } else {
                    statement.executeUpdate(sql);
                }
                Map<Integer, Object[]> after = rows(table, "");
                after.keySet().removeAll(before.keySet());
                int id = after.keySet().iterator().next();
                try (ResultSet keys = statement.getGeneratedKeys()) {
                    assertThat(keys.next()).isEqualTo(asks);
                    assertThat(asks ? keys.getInt(1) : id).isEqualTo(id);
                }
                operations.add(write("i", table, id, "", 1L));
                operations.add(write("i", table, id, "x", "#null"));
                operations.add(write("i", table, id, "y", "v" + number));
                writers.put(key(table, id, ""), this);
            }
        }

        /** Several rows, which the result shows. */
        private void updateByValue(String table, int number) throws SQLException {
            Map<Integer, String> rows = new LinkedHashMap<>();
            try (Statement statement = connection.createStatement();
                    ResultSet found = statement.executeQuery("SELECT y, id FROM FINAL TABLE (UPDATE " + table
                            + " SET x = " + number + " WHERE y <> 'v1' AND id > 0)")) {
                while (found.next()) {
                    rows.put(found.getInt(2), found.getString(1));
                }
            }
            if (rows.size() == 1 || connection.getTransactionIsolation() >= Connection.TRANSACTION_REPEATABLE_READ) {
                rows.forEach((id, y) -> read(table, id, "y", y));
            }
            rows.keySet().forEach(id -> operations.add(write("w", table, id, "x", (long) number)));
        }

        private void delete(String table, int id) throws SQLException {
            if (update("DELETE FROM " + table + " WHERE id = ?", id) > 0) {
                deleted(table, id);
            } else {
                readNone(table, id);
            }
        }

        private void deleted(String table, int id) {
            for (String column : List.of("", "x", "y")) {
                operations.add(new LinkedHashMap<>(Map.of("op", "d", "key", key(table, id, column))));
            }
        }

        private void add(String table, int id, int number, boolean returns) throws SQLException {
            int count = 0;
            if (returns) {
                try (Statement statement = connection.createStatement();
                        ResultSet found = statement.executeQuery("SELECT x, id FROM FINAL TABLE (UPDATE " + table
                                + " SET x = x + " + number + " WHERE id = " + id + ")")) {
                    count = found.next() ? 1 : 0;
                }
            } else {
                count = update("UPDATE " + table + " SET x = x + ? WHERE id = ?", number, id);
            }
            if (count == 0) {
                readNone(table, id);
                return;
            }
            Object now = rows(table, " WHERE id = " + id).get(id)[0];
            if (now instanceof Long result) {
                read(table, id, "x", result - number);
            }
            operations.add(write("w", table, id, "x", now));
        }

        private void readByValue(String table, int column, int number) throws SQLException {
            String label = table + "." + COLUMNS.get(column);
            List<List<Object>> rows = new ArrayList<>();
            String sql = column == 0
                    ? "SELECT id, x FROM " + table + " WHERE x >= ? AND id <> -1"
                    : "SELECT y, id FROM " + table + " WHERE y IN (?, 'v1')";
            boolean isExact = column == 1 || random.nextBoolean();
            try (PreparedStatement query =
                    connection.prepareStatement(isExact ? sql.replace(" AND id <> -1", "") : sql)) {
                query.setObject(1, column == 0 ? (Object) number : "v" + number);
                try (ResultSet found = query.executeQuery()) {
                    while (found.next()) {
                        found(table, found.getInt("id"));
                        String key = key(table, found.getInt("id"), COLUMNS.get(column));
                        Object value = value(found.getObject(COLUMNS.get(column)));
                        if (isExact) {
                            rows.add(List.of(key, value));
                        } else {
                            read(table, found.getInt("id"), "x", value);
                        }
                    }
                }
            }
            if (isExact) {
                Map<String, Object> fields = new LinkedHashMap<>(Map.of("op", "pr"));
                List<Object> in =
                        column == 0 ? List.of((long) number, Long.MAX_VALUE) : List.of("v" + number, "v1", "v1");
                fields.put("where", Map.of(label, in));
                fields.put("rows", rows);
                operations.add(fields);
            }
        }

        /** In one turn: after a rollback to a savepoint, H2 2.3 may wait for ever for a row that another client wrote since. */
        private void savepoint() throws SQLException {
            Savepoint savepoint = connection.setSavepoint();
            int before = operations.size();
            act(random.nextInt(8));
            int second = random.nextInt(11);
            act(second < 8 ? second : second + 1);
            connection.rollback(savepoint);
            undo(operations.subList(before, operations.size()));
        }

        /** What reads of the driver remain: those of keys and columns that were not written since. */
        private static void undo(List<Map<String, Object>> undone) {
            List<Map<String, Object>> writes = undone.stream()
                    .filter(each -> each.get("op").toString().matches("[wid]"))
                    .toList();
            undone.removeIf(each -> writes.contains(each)
                    || writes.stream()
                            .anyMatch(write -> each.get("op").equals("r")
                                    ? write.get("key").equals(each.get("key"))
                                    : write.get("key")
                                            .toString()
                                            .replaceAll("\\[.*\\]", "")
                                            .equals(((Map<?, ?>) each.get("where"))
                                                    .keySet()
                                                    .iterator()
                                                    .next())));
        }

        private void unrecorded(String table, int number) throws SQLException {
            Map<Integer, Object[]> before = rows(table, "");
            // Otherwise the history that has these writes may explain a read by one of them that ran later.
            int fresh = 100 + random.nextInt(1_000_000);
            String other = TABLES.get(1 - TABLES.indexOf(table));
            switch (random.nextInt(4)) {
                case 0:
                    update("DELETE FROM " + table + " WHERE x > ? OR y = 'v1'", number);
                    break;
                case 1:
                    update("UPDATE " + table + " SET x = 0 * COALESCE(x, 0) + ? WHERE id > 1", fresh);
                    break;
                case 2:
                    update("INSERT INTO " + table + " SELECT id + 2, ?, 'u' || " + fresh + " FROM " + other, fresh);
                    break;
                default:
                    update("MERGE INTO " + table + " KEY (id) VALUES (3, ?, 'u' || " + fresh + ")", fresh);
                    break;
            }
            Map<Integer, Object[]> after = rows(table, "");
            for (Map.Entry<Integer, Object[]> each : before.entrySet()) {
                Object[] now = after.get(each.getKey());
                if (now == null) {
                    deleted(table, each.getKey());
                }
            }
            for (Map.Entry<Integer, Object[]> each : after.entrySet()) {
                Object[] old = before.get(each.getKey());
                if (old == null) {
                    operations.add(write("i", table, each.getKey(), "", 1L));
                }
                for (int i = 0; i < 2; i++) {
                    Object now = each.getValue()[i];
                    if (old == null || !old[i].equals(now)) {
                        operations.add(write(old == null ? "i" : "w", table, each.getKey(), COLUMNS.get(i), now));
                    }
                }
            }
        }
    }
}
