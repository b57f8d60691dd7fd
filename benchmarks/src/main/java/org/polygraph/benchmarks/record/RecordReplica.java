package org.polygraph.benchmarks.record;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Records what clients of a database with a replica see: some read and write at the primary, the others only read, from
 * the replica. A replica that follows with a delay shows later readers older snapshots, so such a history can be
 * serializable and not strictly so. All clients are threads of this process, so there is one clock.
 *
 * <p>The table {@code registers(k, v)} is dropped and made anew, each of its keys with the value 0. Every write writes
 * another value.
 */
@Command(name = "benchmarks/run record", mixinStandardHelpOptions = true, sortOptions = false)
public final class RecordReplica implements Callable<Integer> {
    private static final String UNKNOWN_OUTCOME_CLASS = "08";
    private static final int WAIT_MILLIS = 20;
    private static final int WAITS = 1500;

    @Option(names = "--primary", required = true, paramLabel = "URL", description = "JDBC, user and password included")
    private String primary = "";

    @Option(
            names = "--replica",
            required = true,
            paramLabel = "URL",
            description = "JDBC; the primary's again for none")
    private String replica = "";

    @Option(names = "--isolation", defaultValue = "SERIALIZABLE", description = "of transactions at the primary")
    private Isolation isolation = Isolation.SERIALIZABLE;

    @Option(names = "--writers", defaultValue = "5", description = "sessions at the primary")
    private int writers;

    @Option(names = "--readers", defaultValue = "3", description = "sessions at the replica, at REPEATABLE_READ")
    private int readers;

    @Option(names = "--transactions", defaultValue = "100", description = "of each session")
    private int transactions;

    @Option(names = "--operations", defaultValue = "4", description = "of each transaction")
    private int operations;

    @Option(names = "--keys", defaultValue = "20", description = "rows of the table")
    private int keys;

    @Option(names = "--pause", defaultValue = "2", description = "ms between two transactions of a session")
    private int pause;

    @Option(names = "--seed", defaultValue = "1", description = "of the keys and kinds of operations")
    private long seed;

    @Option(names = "--about", defaultValue = "", description = "told in the header: database, version")
    private String about = "";

    @Parameters(paramLabel = "FILE.jsonl", description = "what is written")
    private Path file = Path.of("");

    private final AtomicLong values = new AtomicLong();

    /** Levels as JDBC names them. */
    enum Isolation {
        READ_COMMITTED(Connection.TRANSACTION_READ_COMMITTED),
        REPEATABLE_READ(Connection.TRANSACTION_REPEATABLE_READ),
        SERIALIZABLE(Connection.TRANSACTION_SERIALIZABLE);

        private final int jdbc;

        Isolation(int jdbc) {
            this.jdbc = jdbc;
        }
    }

    /** A driver has to be on the class path ({@code JDBC_DRIVER}). */
    public static void main(String[] args) {
        System.exit(new CommandLine(new RecordReplica()).execute(args));
    }

    @Override
    public Integer call() throws IOException, SQLException, InterruptedException, ExecutionException {
        makeTable();
        awaitReplica();
        ExecutorService clients = Executors.newFixedThreadPool(writers + readers);
        List<Future<List<String>>> sessions = new ArrayList<>();
        for (int s = 0; s < writers + readers; s++) {
            int session = s;
            sessions.add(clients.submit(() -> new RecordedSession(
                            session, session < writers ? primary : replica, level(session), seed * 1000 + session)
                    .run()));
        }
        clients.shutdown();
        List<String> lines = new ArrayList<>();
        lines.add("{\"format\":\"history\",\"version\":1,\"initial\":{\"value\":0},\"clock\":\"ns\",\"about\":\""
                + about.replace("\\", "\\\\").replace("\"", "\\\"") + "\"}");
        for (Future<List<String>> session : sessions) {
            lines.addAll(session.get());
        }
        Path partial = file.resolveSibling(file.getFileName() + ".partial");
        Files.write(partial, lines);
        Files.move(partial, file, StandardCopyOption.REPLACE_EXISTING);
        return 0;
    }

    private Isolation level(int session) {
        return session < writers ? isolation : Isolation.REPEATABLE_READ;
    }

    private void makeTable() throws SQLException {
        try (Connection connection = DriverManager.getConnection(primary);
                Statement statement = connection.createStatement()) {
            statement.execute("DROP TABLE IF EXISTS registers");
            statement.execute("CREATE TABLE registers (k INT PRIMARY KEY, v BIGINT NOT NULL)");
            for (int key = 0; key < keys; key++) {
                statement.execute("INSERT INTO registers VALUES (" + key + ", 0)");
            }
        }
    }

    /** Until the replica has the table as it was made: a history begins with it. */
    private void awaitReplica() throws SQLException, InterruptedException {
        for (int i = 0; i < WAITS; i++) {
            try (Connection connection = DriverManager.getConnection(replica);
                    Statement statement = connection.createStatement();
                    var rows = statement.executeQuery("SELECT count(*), sum(v) FROM registers")) {
                if (rows.next() && rows.getInt(1) == keys && rows.getLong(2) == 0) {
                    return;
                }
            } catch (SQLException e) {
                if (i + 1 == WAITS) {
                    throw e;
                }
            }
            Thread.sleep(WAIT_MILLIS);
        }
        throw new SQLException("the replica does not show the new table after " + WAITS * WAIT_MILLIS / 1000 + " s");
    }

    /** One client: a connection, a transaction after another, a line each. */
    private final class RecordedSession {
        private final int session;
        private final String url;
        private final Isolation level;
        private final Random random;
        private final StringBuilder ops = new StringBuilder();

        RecordedSession(int session, String url, Isolation level, long seed) {
            this.session = session;
            this.url = url;
            this.level = level;
            this.random = new Random(seed);
        }

        /** Ends early after a transaction whose outcome nobody knows: what follows would not be in its session. */
        List<String> run() throws SQLException, InterruptedException {
            List<String> lines = new ArrayList<>();
            try (Connection connection = DriverManager.getConnection(url);
                    Statement statement = connection.createStatement()) {
                connection.setAutoCommit(false);
                connection.setTransactionIsolation(level.jdbc);
                for (int i = 0; i < transactions; i++) {
                    long start = now();
                    String status = transaction(connection, statement);
                    lines.add("{\"session\":" + session + ",\"index\":" + i + ",\"start\":" + start + ",\"end\":"
                            + now() + ",\"status\":\"" + status + "\",\"ops\":[" + ops + "]}");
                    if (status.equals("indeterminate")) {
                        break;
                    }
                    Thread.sleep(pause);
                }
            }
            return lines;
        }

        private String transaction(Connection connection, Statement statement) throws SQLException {
            ops.setLength(0);
            boolean committing = false;
            try {
                for (int i = 0; i < operations; i++) {
                    operation(statement, random.nextInt(keys), session < writers && random.nextBoolean());
                }
                committing = true;
                connection.commit();
                return "committed";
            } catch (SQLException e) {
                String state = String.valueOf(e.getSQLState());
                if (committing && state.startsWith(UNKNOWN_OUTCOME_CLASS)) {
                    return "indeterminate";
                }
                connection.rollback();
                return "aborted";
            }
        }

        private void operation(Statement statement, int key, boolean write) throws SQLException {
            long value;
            if (write) {
                value = values.incrementAndGet();
                statement.executeUpdate("UPDATE registers SET v = " + value + " WHERE k = " + key);
            } else {
                try (var rows = statement.executeQuery("SELECT v FROM registers WHERE k = " + key)) {
                    rows.next();
                    value = rows.getLong(1);
                }
            }
            ops.append(ops.isEmpty() ? "" : ",")
                    .append("{\"op\":\"")
                    .append(write ? 'w' : 'r')
                    .append("\",\"key\":")
                    .append(key)
                    .append(",\"value\":")
                    .append(value)
                    .append('}');
        }

        private static long now() {
            Instant now = Instant.now();
            return now.getEpochSecond() * 1_000_000_000L + now.getNano();
        }
    }
}
