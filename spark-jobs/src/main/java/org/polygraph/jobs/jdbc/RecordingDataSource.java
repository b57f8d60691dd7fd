package org.polygraph.jobs.jdbc;

import java.io.Closeable;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.polygraph.jobs.record.HistoryRecorder;

/**
 * A data source whose connections are recorded:
 *
 * <pre>{@code
 * try (RecordingDataSource recorded =
 *         RecordingDataSource.toFile(pool, Path.of("run.jsonl"), RecordingOptions.READ_BACK)) {
 *     runTheApplicationWith(recorded);
 * }
 * IsolationCheck.of(Path.of("run.jsonl")).assertKeeps(IsolationLevel.SER);
 * }</pre>
 *
 * <p>The first connection reads the rows that are there. All writes from then on have to use this data source.
 */
public final class RecordingDataSource implements DataSource, Closeable {
    private final DataSource source;
    private final JdbcHistory history;

    private RecordingDataSource(DataSource source, JdbcHistory history) {
        this.source = source;
        this.history = history;
    }

    /** Records into a file that only its owner may read, and the counts of statements into a file beside it. */
    public static RecordingDataSource toFile(DataSource source, Path file, RecordingOptions options)
            throws IOException {
        return new RecordingDataSource(source, JdbcHistory.toFile(file, options));
    }

    /** Records into a recorder, which {@link #close} closes. A recorder is for one database, and for one of these. */
    public static RecordingDataSource of(DataSource source, HistoryRecorder recorder, RecordingOptions options) {
        return new RecordingDataSource(source, new JdbcHistory(recorder, options, null));
    }

    /** Executions of statements so far. @param onlyRecorded those of which everything was recorded */
    public long executions(boolean onlyRecorded) {
        return history.shapes.total(onlyRecorded);
    }

    @Override
    public Connection getConnection() throws SQLException {
        return history.wrap(source.getConnection());
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        return history.wrap(source.getConnection(user, password));
    }

    @Override
    public PrintWriter getLogWriter() throws SQLException {
        return source.getLogWriter();
    }

    @Override
    public void setLogWriter(PrintWriter out) throws SQLException {
        source.setLogWriter(out);
    }

    @Override
    public void setLoginTimeout(int seconds) throws SQLException {
        source.setLoginTimeout(seconds);
    }

    @Override
    public int getLoginTimeout() throws SQLException {
        return source.getLoginTimeout();
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        return source.getParentLogger();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        return type.isInstance(this) ? type.cast(this) : source.unwrap(type);
    }

    @Override
    public boolean isWrapperFor(Class<?> type) throws SQLException {
        return type.isInstance(this) || source.isWrapperFor(type);
    }

    @Override
    public void close() {
        history.close();
    }
}
