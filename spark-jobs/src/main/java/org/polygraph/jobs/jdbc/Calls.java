package org.polygraph.jobs.jdbc;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.math.BigDecimal;
import java.sql.BatchUpdateException;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Passes the calls of JDBC's interfaces on to the driver, and what they show to the recorder.
 *
 * <p>datasource-proxy and P6Spy have listeners for this. Theirs cannot keep an update count for the application that the
 * recorder has read, and P6Spy's do not distinguish a rollback to a savepoint from that of a transaction.
 */
abstract class Calls implements InvocationHandler {
    private final Object raw;

    private Calls(Object raw) {
        this.raw = raw;
    }

    static Connection wrap(Connection raw, JdbcHistory history) {
        try {
            return proxy(Connection.class, new ConnectionCalls(raw, new Session(raw, history)));
        } catch (SQLException | RuntimeException e) {
            history.stop("recording ends", e);
            return raw;
        }
    }

    /** The driver's own connection. */
    static Connection raw(Connection connection) {
        return (Connection) ((Calls) Proxy.getInvocationHandler(connection)).raw;
    }

    private static <T> T proxy(Class<T> type, Calls calls) {
        return type.cast(Proxy.newProxyInstance(Calls.class.getClassLoader(), new Class<?>[] {type}, calls));
    }

    @Override
    public final @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        @Nullable Object[] given = arguments == null ? new Object[0] : arguments;
        switch (method.getName()) {
            case "equals":
                return proxy == given[0];
            case "hashCode":
                return System.identityHashCode(proxy);
            case "unwrap":
                if (given[0] instanceof Class<?> type && type.isInstance(proxy)) {
                    return proxy;
                }
                leave();
                break;
            case "isWrapperFor":
                if (given[0] instanceof Class<?> type && type.isInstance(proxy)) {
                    return true;
                }
                break;
            default:
                break;
        }
        return call(proxy, method, given);
    }

    /** The application takes the driver's own object. */
    void leave() {}

    abstract @Nullable Object call(Object proxy, Method method, @Nullable Object[] given) throws Throwable;

    final @Nullable Object pass(Method method, @Nullable Object[] given) throws Throwable {
        try {
            return method.invoke(raw, given);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    /**
     * Who asks for generated keys: true for the application, or columns for the recorder; null for none.
     *
     * @param given the SQL and, if the application has a wish, what it wishes
     */
    private static @Nullable Object keys(Session session, @Nullable Object[] given) {
        if (given.length == 1) {
            return session.asks(String.valueOf(given[0]));
        }
        return given.length == 2
                        && !Integer.valueOf(Statement.NO_GENERATED_KEYS).equals(given[1])
                ? true
                : null;
    }

    private static final class ConnectionCalls extends Calls {
        private final Session session;

        ConnectionCalls(Connection raw, Session session) {
            super(raw);
            this.session = session;
        }

        @Override
        void leave() {
            session.leave();
        }

        @Override
        @Nullable
        Object call(Object proxy, Method method, @Nullable Object[] given) throws Throwable {
            String name = method.getName();
            Object keys = name.equals("prepareStatement") ? keys(session, given) : null;
            Object result;
            try {
                if (name.equals("setSchema") || name.equals("setCatalog")) {
                    Connection raw = (Connection) super.raw;
                    String now = name.equals("setSchema") ? raw.getSchema() : raw.getCatalog();
                    if (!String.valueOf(given[0]).equals(now)) {
                        session.leave();
                    }
                }
                result = keys instanceof String[] columns
                        ? ((Connection) super.raw).prepareStatement(String.valueOf(given[0]), columns)
                        : pass(method, given);
            } catch (SQLException e) {
                if (name.equals("commit") || name.equals("setAutoCommit")) {
                    session.commitFailed(e);
                } else if (name.equals("rollback")) {
                    session.close();
                }
                throw e;
            }
            if (result == null) {
                done(name, given);
                return null;
            }
            switch (name) {
                case "createStatement":
                    return proxy(
                            Statement.class, new StatementCalls((Statement) result, (Connection) proxy, session, null));
                case "prepareStatement", "prepareCall":
                    StatementCalls calls =
                            new StatementCalls((Statement) result, (Connection) proxy, session, (String) given[0]);
                    calls.keys = keys;
                    return name.equals("prepareCall")
                            ? proxy(CallableStatement.class, calls)
                            : proxy(PreparedStatement.class, calls);
                case "setSavepoint":
                    Object savepoint = result;
                    session.guard(() -> session.savepoint(savepoint));
                    return result;
                default:
                    return result;
            }
        }

        /** After a call that returns nothing. */
        private void done(String name, @Nullable Object[] given) {
            switch (name) {
                case "commit":
                    session.guard(session::committed);
                    break;
                case "rollback":
                    session.guard(given.length == 0 ? session::rolledBack : () -> session.rolledBackTo(given[0]));
                    break;
                case "setAutoCommit":
                    session.guard(() -> session.autoCommit((Boolean) given[0]));
                    break;
                case "setTransactionIsolation":
                    session.guard(() -> session.isolation((Integer) given[0]));
                    break;
                case "close", "abort":
                    session.close();
                    break;
                default:
                    break;
            }
        }
    }

    private static final class StatementCalls extends Calls {
        private final Statement raw;
        private final Connection connection;
        private final Session session;
        private final @Nullable String prepared;
        private final List<@Nullable Object> parameters = new ArrayList<>();
        private final List<List<@Nullable Object>> batch = new ArrayList<>();
        private final List<String> batchOfSql = new ArrayList<>();
        /** Of the last execution, until the application asks for its next result. */
        private Session.@Nullable Execution execution;
        /** The last write, for its generated keys. */
        private Session.@Nullable Execution written;
        /** Who asks for its generated keys. */
        private @Nullable Object keys;

        private long count = -1;
        private boolean isCounted;

        StatementCalls(Statement raw, Connection connection, Session session, @Nullable String prepared) {
            super(raw);
            this.raw = raw;
            this.connection = connection;
            this.session = session;
            this.prepared = prepared;
        }

        @Override
        void leave() {
            session.leave();
        }

        @Override
        @Nullable
        Object call(Object proxy, Method method, @Nullable Object[] given) throws Throwable {
            switch (method.getName()) {
                case "getConnection":
                    return connection;
                case "executeBatch", "executeLargeBatch":
                    return executeBatch(method, given);
                case "executeQuery", "execute", "executeUpdate", "executeLargeUpdate":
                    return execute(proxy, method, given);
                case "getUpdateCount":
                    return isCounted ? (Object) (int) count : pass(method, given);
                case "getLargeUpdateCount":
                    return isCounted ? (Object) count : pass(method, given);
                case "getResultSet":
                    return rows(proxy, (ResultSet) pass(method, given));
                case "getGeneratedKeys":
                    ResultSet made = (ResultSet) pass(method, given);
                    return made == null ? null : wrapped(proxy, made, session.shown(written, made, true));
                case "getMoreResults":
                    isCounted = false;
                    execution = null;
                    return pass(method, given);
                default:
                    break;
            }
            Object result = pass(method, given);
            switch (method.getName()) {
                case "addBatch":
                    if (given.length == 0) {
                        batch.add(new ArrayList<>(parameters));
                    } else {
                        batchOfSql.add(String.valueOf(given[0]));
                    }
                    break;
                case "clearBatch":
                    batch.clear();
                    batchOfSql.clear();
                    break;
                case "clearParameters":
                    parameters.clear();
                    break;
                default:
                    if (method.getName().startsWith("set") && given.length >= 2 && given[0] instanceof Integer index) {
                        while (parameters.size() < index) {
                            parameters.add(Plan.UNKNOWN);
                        }
                        // With a type, the driver may convert a number.
                        boolean isValue = given.length == 2
                                || method.getName().equals("setObject") && !(given[1] instanceof BigDecimal);
                        parameters.set(
                                index - 1,
                                method.getName().equals("setNull") ? null : isValue ? given[1] : Plan.UNKNOWN);
                    }
                    break;
            }
            return result;
        }

        private @Nullable Object execute(Object proxy, Method method, @Nullable Object[] given) throws Throwable {
            String sql = prepared != null ? prepared : String.valueOf(given[0]);
            isCounted = false;
            List<@Nullable Object> values = new ArrayList<>(parameters);
            if (raw.getResultSetConcurrency() == ResultSet.CONCUR_UPDATABLE) {
                session.leave();
            }
            if (prepared == null) {
                keys = method.getName().equals("executeQuery") ? null : keys(session, given);
            }
            Session.Execution begun = session.before(sql, List.of(values), false, keys != null);
            Object result;
            try {
                result = prepared == null && keys instanceof String[] columns
                        ? executed(method.getName(), sql, columns)
                        : pass(method, given);
            } catch (SQLException e) {
                session.failed(begun, e, new long[0]);
                throw e;
            }
            execution = begun;
            if (result instanceof ResultSet rows) {
                return rows(proxy, rows);
            }
            boolean isQuery = Boolean.TRUE.equals(result);
            if (isQuery && begun != null && !begun.isRead()) {
                // It has written also if the application takes no result of it.
                session.after(begun, new long[] {-1});
                written = begun;
            } else if (!isQuery) {
                // The application gets a count from here, because a driver may give it only once.
                isCounted = result instanceof Boolean;
                count = isCounted ? raw.getUpdateCount() : ((Number) Objects.requireNonNull(result)).longValue();
                after(List.of(Optional.ofNullable(begun)), new long[] {count}, false);
            }
            return result;
        }

        private Object executed(String name, String sql, String[] columns) throws SQLException {
            return switch (name) {
                case "executeUpdate" -> raw.executeUpdate(sql, columns);
                case "executeLargeUpdate" -> raw.executeLargeUpdate(sql, columns);
                default -> raw.execute(sql, columns);
            };
        }

        private @Nullable Object executeBatch(Method method, @Nullable Object[] given) throws Throwable {
            List<Optional<Session.Execution>> begun = new ArrayList<>();
            if (prepared != null && !batch.isEmpty()) {
                begun.add(Optional.ofNullable(session.before(prepared, List.copyOf(batch), true, keys != null)));
            }
            batchOfSql.forEach(
                    each -> begun.add(Optional.ofNullable(session.before(each, List.of(List.of()), true, false))));
            boolean isSplit = prepared == null;
            batch.clear();
            batchOfSql.clear();
            try {
                Object result = pass(method, given);
                long[] counts = result instanceof int[] each
                        ? Arrays.stream(each).asLongStream().toArray()
                        : (long[]) Objects.requireNonNull(result);
                after(begun, counts, isSplit);
                return result;
            } catch (SQLException e) {
                long[] counts = e instanceof BatchUpdateException batch ? batch.getLargeUpdateCounts() : new long[0];
                for (int i = 0; i < begun.size(); i++) {
                    written = begun.get(i).orElse(null);
                    session.failed(written, e, isSplit ? one(counts, i) : counts);
                }
                throw e;
            }
        }

        private static long[] one(long[] counts, int index) {
            return index < counts.length ? new long[] {counts[index]} : new long[0];
        }

        /** @param isSplit whether each has one of the counts */
        private void after(List<Optional<Session.Execution>> begun, long[] counts, boolean isSplit) {
            for (int i = 0; i < begun.size(); i++) {
                written = begun.get(i).orElse(null);
                session.after(written, isSplit ? one(counts, i) : counts);
            }
            Session.Execution of = written;
            if (keys instanceof String[] && of != null && of.isOpen()) {
                // The application has not asked for them.
                session.guard(() -> {
                    ResultSet made = raw.getGeneratedKeys();
                    Fetched taken = session.shown(of, made, true);
                    while (taken != null && made.next()) {
                        taken.add(made);
                    }
                    if (taken != null) {
                        taken.end();
                    }
                });
            }
        }

        private @Nullable Object rows(Object proxy, @Nullable ResultSet rows) throws SQLException {
            Session.Execution of = execution;
            execution = null;
            if (rows == null || of == null) {
                return rows;
            }
            boolean isWhole = raw.getMaxRows() == 0;
            Fetched taken = of == written ? null : session.query(of, isWhole);
            return wrapped(proxy, rows, of.isRead() ? taken : session.shown(of, rows, isWhole));
        }

        private ResultSet wrapped(Object proxy, ResultSet rows, @Nullable Fetched taken) {
            return taken == null
                    ? rows
                    : proxy(ResultSet.class, new ResultCalls(rows, taken, session, (Statement) proxy));
        }
    }

    private static final class ResultCalls extends Calls {
        private final ResultSet raw;
        private final Fetched rows;
        private final Session session;
        private final Statement statement;

        ResultCalls(ResultSet raw, Fetched rows, Session session, Statement statement) {
            super(raw);
            this.raw = raw;
            this.rows = rows;
            this.session = session;
            this.statement = statement;
        }

        @Override
        @Nullable
        Object call(Object proxy, Method method, @Nullable Object[] given) throws Throwable {
            if (method.getName().equals("getStatement")) {
                return statement;
            }
            Object result = pass(method, given);
            switch (method.getName()) {
                case "next":
                    session.guard(() -> {
                        if (Boolean.TRUE.equals(result)) {
                            rows.add(raw);
                        } else {
                            rows.end();
                            session.ended(rows);
                        }
                    });
                    break;
                case "absolute", "relative", "first", "last", "previous", "beforeFirst", "afterLast":
                    session.guard(rows::skip);
                    break;
                case "close":
                    session.ended(rows);
                    break;
                default:
                    break;
            }
            return result;
        }
    }
}
