package org.polygraph.jobs.record;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.Driver;
import java.sql.SQLException;
import java.util.stream.Collectors;

/** A database that clients connect to. */
final class Target {
    private final String url;
    private final Driver driver;
    private final Login login;
    private final Isolation isolation;

    Target(String url, Driver driver, Login login, Isolation isolation) {
        this.url = url;
        this.driver = driver;
        this.login = login;
        this.isolation = isolation;
    }

    String url() {
        return url;
    }

    Dialect dialect() {
        return Dialect.of(url);
    }

    Isolation isolation() {
        return isolation;
    }

    /** A connection that commits after each statement. */
    Connection connect() throws SQLException {
        try {
            Connection connection = driver.connect(url, login.properties());
            if (connection != null) {
                return connection;
            }
        } catch (SQLException e) {
            // Class 28: invalid authorization.
            boolean isNameless = login.properties().isEmpty()
                    && String.valueOf(e.getSQLState()).startsWith("28");
            throw isNameless
                    ? new SQLException(
                            safe(e).getMessage() + "; give user and password with --login FILE or in POLYGRAPH_USER and"
                                    + " POLYGRAPH_PASSWORD",
                            e.getSQLState(),
                            e.getErrorCode())
                    : safe(e);
        }
        throw new SQLException("the driver does not accept the URL " + Login.scheme(url));
    }

    /** A connection for the transactions of a client. */
    Connection client() throws SQLException {
        Connection connection = connect();
        try {
            connection.setTransactionIsolation(isolation.jdbc());
        } catch (SQLException e) {
            connection.close();
            throw refused(e);
        }
        try {
            connection.setAutoCommit(false);
            return connection;
        } catch (SQLException e) {
            connection.close();
            throw safe(e);
        }
    }

    private SQLException refused(SQLException e) {
        String documented = dialect().promises().stream()
                .map(promise -> promise.isolation().label())
                .collect(Collectors.joining(" and "));
        return new SQLException(
                "it refuses isolation " + isolation.label() + " (" + safe(e).getMessage() + ")"
                        + (documented.isEmpty() ? "" : "; it documents " + documented),
                e.getSQLState(),
                e.getErrorCode());
    }

    /** Returns the exception without a password in its message. */
    SQLException safe(SQLException e) {
        String message = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
        return new SQLException(login.without(message), e.getSQLState(), e.getErrorCode());
    }

    /** Returns name and version of the database. */
    static String product(Connection connection) throws SQLException {
        DatabaseMetaData about = connection.getMetaData();
        return about.getDatabaseProductName() + " " + about.getDatabaseProductVersion();
    }
}
