package org.polygraph.jobs.record;

import java.sql.Connection;
import java.util.Locale;
import java.util.Optional;

/**
 * The isolations that a client requests from a database, by their names in SQL. Their meaning depends on the {@link
 * Dialect}.
 */
public enum Isolation {
    READ_UNCOMMITTED(Connection.TRANSACTION_READ_UNCOMMITTED),
    READ_COMMITTED(Connection.TRANSACTION_READ_COMMITTED),
    REPEATABLE_READ(Connection.TRANSACTION_REPEATABLE_READ),
    /** No isolation of JDBC: H2's number is used. */
    SNAPSHOT(6),
    SERIALIZABLE(Connection.TRANSACTION_SERIALIZABLE);

    private final int jdbc;

    Isolation(int jdbc) {
        this.jdbc = jdbc;
    }

    int jdbc() {
        return jdbc;
    }

    /** Returns a label such as {@code repeatable-read}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Returns the isolation of a label, in upper or lower case, with spaces or underscores for hyphens. */
    public static Optional<Isolation> ofLabel(String text) {
        String plain =
                text.toLowerCase(Locale.ROOT).replaceAll("[ _]+", "-").replaceFirst("^snapshot-isolation$", "snapshot");
        for (Isolation isolation : values()) {
            if (isolation.label().equals(plain)) {
                return Optional.of(isolation);
            }
        }
        return Optional.empty();
    }
}
