package org.polygraph.jobs.record;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** One session: a connection that executes one transaction after another. */
final class Client implements Runnable {
    private static final long RECONNECT_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final String REQUESTED = "requested";

    private final RecordSettings settings;
    private final TableDefinition definition;
    private final Target target;
    private final ClientWorkload workload;
    private final Random random;
    private final HistoryRecorder.Session session;
    private final RecordCounts counts;
    private final BooleanSupplier next;
    private volatile @Nullable Connection current;
    private volatile boolean hasBegun;
    private volatile boolean hasCommitted;

    /** @param next whether another transaction is wanted; asked once before each */
    Client(
            RecordSettings settings,
            TableDefinition definition,
            Target target,
            ClientWorkload workload,
            Random random,
            HistoryRecorder.Session session,
            RecordCounts counts,
            BooleanSupplier next) {
        this.settings = settings;
        this.definition = definition;
        this.target = target;
        this.workload = workload;
        this.random = random;
        this.session = session;
        this.counts = counts;
        this.next = next;
    }

    Target target() {
        return target;
    }

    boolean hasBegun() {
        return hasBegun;
    }

    boolean hasCommitted() {
        return hasCommitted;
    }

    /** Closes the connection while the client uses it, as a failing network or server would. */
    boolean kill() throws SQLException {
        Connection connection = current;
        if (connection == null) {
            return false;
        }
        if (target.dialect().ignoresAbort()) {
            connection.close();
        } else {
            connection.abort(Runnable::run);
        }
        return true;
    }

    @Override
    public void run() {
        KeyValueTable table = null;
        try {
            table = connect();
            while (next.getAsBoolean()) {
                if (!transaction(table)) {
                    close(table);
                    table = null;
                    table = connect();
                }
            }
        } catch (SQLException e) {
            throw new IllegalStateException(Login.hidden(String.valueOf(e.getMessage())), e);
        } finally {
            if (table != null) {
                close(table);
            }
        }
    }

    private KeyValueTable connect() throws SQLException {
        long until = System.nanoTime() + RECONNECT_NANOS;
        while (true) {
            Connection connection = null;
            try {
                connection = target.client();
                current = connection;
                return new KeyValueTable(connection, target.dialect(), definition);
            } catch (SQLException e) {
                if (connection != null) {
                    connection.close();
                }
                // The connection was killed while it was being made, or the server is restarting.
                if (settings.killNanos() == 0 || System.nanoTime() > until) {
                    throw target.safe(e);
                }
                LockSupport.parkNanos(RETRY_NANOS);
            }
        }
    }

    private void close(KeyValueTable table) {
        current = null;
        try {
            table.close();
        } catch (SQLException e) {
            // The server has closed the connection.
        }
    }

    /** Executes and records a transaction; returns whether the connection can be used further. */
    private boolean transaction(KeyValueTable table) throws SQLException {
        boolean isRequested = random.nextDouble() < settings.workload().aborted();
        boolean isCommitting = false;
        hasBegun = true;
        // If anything else fails, closing the transaction records it as indeterminate.
        try (HistoryRecorder.Transaction recorded = session.begin()) {
            try {
                workload.run(new ClientTransaction(
                        table, recorded, this::pause, target.dialect().changesWhatItReads(target.isolation())));
                if (isRequested) {
                    return aborted(table, recorded, REQUESTED, false);
                }
                isCommitting = true;
                table.connection().commit();
                recorded.commit();
                counts.committed();
                hasCommitted = true;
                return true;
            } catch (SQLException e) {
                if (isCommitting && !target.dialect().isRolledBack(e)) {
                    recorded.unknown();
                    counts.unknown();
                    return false;
                }
                return aborted(table, recorded, reason(e), isCommitting);
            }
        }
    }

    /**
     * Records an abort if the server confirms it. Otherwise the connection is lost, and the outcome is unknown. DuckDB
     * refuses to roll back a transaction that it could not commit, because it has rolled it back already.
     *
     * @param isKnown whether the server has confirmed it already
     */
    private boolean aborted(KeyValueTable table, HistoryRecorder.Transaction recorded, String reason, boolean isKnown) {
        boolean isUsable = false;
        boolean isConfirmed = isKnown;
        try {
            table.connection().rollback();
            isConfirmed = true;
            isUsable = table.isUsable();
        } catch (SQLException e) {
            // The client connects again.
        }
        if (isConfirmed) {
            recorded.abort();
            counts.aborted(reason);
        } else {
            recorded.unknown();
            counts.unknown();
        }
        return isUsable;
    }

    private String reason(SQLException e) {
        if (target.dialect().isUniqueViolation(e)) {
            return "unique violation";
        }
        String state = e.getSQLState();
        if (state == null) {
            // DuckDB has no codes; its messages end with the object, in quotes.
            return e.getErrorCode() == 0
                    ? String.valueOf(e.getMessage()).split(":? ?[!\"\n]", 2)[0]
                    : target.dialect().isRolledBack(e) ? "database is busy" : "code " + e.getErrorCode();
        }
        return switch (state) {
            case "40001" -> "serialization failure or deadlock (40001)";
            case "40P01" ->
                "deadlock (40P01), which PostgreSQL looks for after deadlock_timeout (1s by default);"
                        + " with more keys there are fewer";
            case "40XL1" -> "waited too long for a lock (40XL1)";
            default -> e.getErrorCode() == 0 ? "SQLSTATE " + state : "SQLSTATE " + state + ", code " + e.getErrorCode();
        };
    }

    private void pause() {
        if (settings.pauseNanos() > 0) {
            LockSupport.parkNanos((long) (random.nextDouble() * settings.pauseNanos()));
        }
    }
}
