package org.polygraph.jobs.jdbc;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.record.HistoryRecorder;

/** What all connections to one database share: the history, the tables, and the counts of statements. */
final class JdbcHistory implements Closeable {
    private static final System.Logger LOG = System.getLogger("org.polygraph.jobs.jdbc");
    private static final int MOST_PLANS = 10_000;

    final RecordingOptions options;
    final Values values;
    final HistoryRecorder recorder;
    final Shapes shapes = new Shapes();
    private final @Nullable Path report;
    private final Map<String, Plan> plans = new ConcurrentHashMap<>();
    private volatile @Nullable Catalog catalog;
    private volatile boolean stopped;

    /** @param report where to write the counts; null for none */
    JdbcHistory(HistoryRecorder recorder, RecordingOptions options, @Nullable Path report) {
        this.recorder = recorder;
        this.options = options;
        this.report = report;
        values = new Values(options.hashValues());
    }

    /** Records into a file that only its owner may read. */
    static JdbcHistory toFile(Path file, RecordingOptions options) throws IOException {
        String name = file.getFileName().toString().replaceFirst("\\.jsonl$", "");
        Path report = file.resolveSibling(name + ".statements.json");
        for (Path each : List.of(file, report)) {
            makePrivate(each);
        }
        Map<String, Object> header = Map.of(
                "recorder", "jdbc", "read_back", options.readBack() + "", "hash_values", options.hashValues() + "");
        return new JdbcHistory(HistoryRecorder.toFile(file, header), options, report);
    }

    private static void makePrivate(Path file) throws IOException {
        Files.deleteIfExists(file);
        if (FileSystems.getDefault().supportedFileAttributeViews().contains("posix")) {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        }
    }

    boolean isStopped() {
        return stopped;
    }

    Catalog catalog() {
        Catalog known = catalog;
        if (known == null) {
            throw new IllegalStateException("no connection was opened");
        }
        return known;
    }

    /** Wraps a connection. The first one first reads the tables, before the application can change them. */
    Connection wrap(Connection connection) {
        synchronized (this) {
            if (catalog == null && !stopped) {
                try {
                    Catalog found = new Catalog(connection);
                    load(found, connection);
                    catalog = found;
                } catch (SQLException | RuntimeException e) {
                    stop("nothing is recorded", e);
                }
            }
        }
        return stopped ? connection : Calls.wrap(connection, this);
    }

    private void load(Catalog tables, Connection connection) throws SQLException {
        for (Table table : tables.tables()) {
            if (!table.isUnknown()) {
                load(table, connection);
            }
        }
        if (!connection.getAutoCommit()) {
            connection.rollback();
        }
    }

    /** The rows that are there are inserts of a transaction of their own. */
    private void load(Table table, Connection connection) throws SQLException {
        List<Step.Operation> operations = new ArrayList<>();
        int count = 0;
        try (Statement statement = connection.createStatement()) {
            statement.setMaxRows(options.maxRows() + 1);
            StringBuilder names = new StringBuilder();
            table.columns.forEach(
                    each -> names.append(names.isEmpty() ? "" : ", ").append(each.quoted()));
            try (ResultSet rows = statement.executeQuery("SELECT " + names + " FROM " + table.quoted)) {
                while (rows.next()) {
                    count++;
                    load(table, rows, operations);
                }
            }
        }
        if (count > options.maxRows()) {
            table.mark();
        } else if (!table.isUnknown() && !operations.isEmpty()) {
            try (HistoryRecorder.Transaction loader = recorder.session().begin()) {
                operations.forEach(each -> loader.record(each.fields()));
                loader.commit();
            }
        }
    }

    private void load(Table table, ResultSet rows, List<Step.Operation> operations) throws SQLException {
        @Nullable Object[] row = new Object[table.columns.size()];
        for (int i = 0; i < row.length; i++) {
            Values.Column column = table.columns.get(i);
            row[i] = column.kind() == Values.Kind.OTHER ? null : values.of(column, rows.getObject(i + 1));
        }
        String name = table.rowOf(row);
        if (name == null) {
            table.mark();
            return;
        }
        table.name(name, new AtomicBoolean(true));
        operations.add(Step.Operation.write("i", table, name, Table.EXISTENCE, 1L));
        for (int i = 0; i < row.length; i++) {
            Object value = row[i];
            if (value != null && table.isRecorded(i)) {
                operations.add(Step.Operation.write("i", table, name, i, value));
            } else if (table.isRecorded(i)) {
                table.markCell(name, i);
            }
        }
    }

    Plan plan(String sql, Connection connection) throws SQLException {
        Plan known = plans.get(sql);
        if (known == null) {
            known = new Sql(catalog(), connection).plan(sql);
            if (plans.size() < MOST_PLANS) {
                plans.put(sql, known);
            }
        }
        return known;
    }

    /** A definition was executed: statements may mean something else. */
    void forgetPlans() {
        plans.clear();
    }

    /** The recorder has failed: no read or write is recorded from now on. It is said once. */
    void stop(String what, Throwable reason) {
        Catalog known = catalog;
        if (known != null) {
            known.changed();
        }
        synchronized (this) {
            if (stopped) {
                return;
            }
            stopped = true;
        }
        LOG.log(Level.WARNING, "polygraph: " + what + ": " + reason, reason instanceof SQLException ? null : reason);
    }

    /** Ends the history and writes the counts of statements beside it. */
    @Override
    public void close() {
        stopped = true;
        try {
            recorder.close();
            if (report != null) {
                try (OutputStream out = Files.newOutputStream(report)) {
                    shapes.write(out);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
