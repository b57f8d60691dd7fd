package org.polygraph.jobs.record;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.polygraph.partitioner.isolation.IsolationLevel;

/** The differences between databases: their drivers, their SQL, and the guarantees of their manuals. */
public enum Dialect {
    POSTGRESQL(
            "jdbc:postgresql:",
            "TEXT",
            List.of("org.postgresql:postgresql:42.7.13"),
            promise(
                    Isolation.READ_UNCOMMITTED,
                    IsolationLevel.RC,
                    "PostgreSQL's Read Uncommitted mode behaves like Read Committed.",
                    PromiseSource.POSTGRESQL),
            promise(
                    Isolation.READ_COMMITTED,
                    IsolationLevel.RC,
                    "a SELECT query (without a FOR UPDATE/SHARE clause) sees only data committed before the query began",
                    PromiseSource.POSTGRESQL),
            promise(
                    Isolation.REPEATABLE_READ,
                    IsolationLevel.SI,
                    "The Repeatable Read isolation level is implemented using a technique known in academic database"
                            + " literature and in some other database products as Snapshot Isolation.",
                    PromiseSource.POSTGRESQL),
            promise(
                    Isolation.SERIALIZABLE,
                    IsolationLevel.SER,
                    "This level emulates serial transaction execution for all committed transactions; as if transactions"
                            + " had been executed one after another, serially, rather than concurrently.",
                    PromiseSource.POSTGRESQL)),
    MARIADB(
            "jdbc:mariadb:",
            "MEDIUMTEXT",
            List.of("org.mariadb.jdbc:mariadb-java-client:3.5.3"),
            promise(Isolation.READ_COMMITTED, IsolationLevel.RC, PromiseSource.FRESH_SNAPSHOT, PromiseSource.MARIADB),
            promise(Isolation.REPEATABLE_READ, IsolationLevel.CC, PromiseSource.FIRST_READ, PromiseSource.MARIADB),
            promise(Isolation.SERIALIZABLE, IsolationLevel.SER, PromiseSource.SHARED_LOCKS, PromiseSource.MARIADB)),
    MYSQL(
            "jdbc:mysql:",
            "MEDIUMTEXT",
            List.of("com.mysql:mysql-connector-j:9.3.0"),
            promise(Isolation.READ_COMMITTED, IsolationLevel.RC, PromiseSource.FRESH_SNAPSHOT, PromiseSource.MYSQL),
            promise(Isolation.REPEATABLE_READ, IsolationLevel.CC, PromiseSource.FIRST_READ, PromiseSource.MYSQL),
            promise(Isolation.SERIALIZABLE, IsolationLevel.SER, PromiseSource.SHARED_LOCKS, PromiseSource.MYSQL)),
    H2(
            "jdbc:h2:",
            "VARCHAR(1000000)",
            List.of("com.h2database:h2:2.3.232"),
            promise(
                    Isolation.READ_COMMITTED,
                    IsolationLevel.RC,
                    "Dirty reads aren't possible; non-repeatable reads and phantom reads are possible.",
                    PromiseSource.H2),
            promise(
                    Isolation.REPEATABLE_READ,
                    IsolationLevel.RC,
                    "Dirty reads and non-repeatable reads aren't possible, phantom reads are possible.",
                    PromiseSource.H2),
            promise(
                    Isolation.SNAPSHOT,
                    IsolationLevel.SI,
                    "Dirty reads, non-repeatable reads, and phantom reads aren't possible.",
                    PromiseSource.H2),
            promise(
                    Isolation.SERIALIZABLE,
                    IsolationLevel.SI,
                    "Dirty reads, non-repeatable reads, and phantom reads aren't possible. Note that this isolation level"
                            + " in H2 currently doesn't ensure equivalence of concurrent and serializable execution of"
                            + " transactions that perform write operations.",
                    PromiseSource.H2)),
    /** Its transactions lock what they read and write, unless {@code hsqldb.tx} in the URL is mvlocks or mvcc. */
    HSQLDB(
            "jdbc:hsqldb:",
            "VARCHAR(1000000)",
            List.of("org.hsqldb:hsqldb:2.7.4"),
            promise(Isolation.READ_COMMITTED, IsolationLevel.RC, PromiseSource.ALL_LEVELS, PromiseSource.HSQLDB),
            promise(Isolation.REPEATABLE_READ, IsolationLevel.RC, PromiseSource.ALL_LEVELS, PromiseSource.HSQLDB),
            promise(Isolation.SERIALIZABLE, IsolationLevel.SER, PromiseSource.ALL_LEVELS, PromiseSource.HSQLDB)),
    DERBY(
            "jdbc:derby:",
            "VARCHAR(30000)",
            List.of("org.apache.derby:derby:10.16.1.1", "org.apache.derby:derbyshared:10.16.1.1"),
            promise(
                    Isolation.READ_COMMITTED,
                    IsolationLevel.RC,
                    "Connection.TRANSACTION_READ_COMMITTED (ANSI level 1)",
                    PromiseSource.DERBY),
            promise(
                    Isolation.REPEATABLE_READ,
                    IsolationLevel.RC,
                    "Connection.TRANSACTION_REPEATABLE_READ (ANSI level 2)",
                    PromiseSource.DERBY),
            promise(
                    Isolation.SERIALIZABLE,
                    IsolationLevel.SER,
                    "Connection.TRANSACTION_SERIALIZABLE (ANSI level 3)",
                    PromiseSource.DERBY)),
    SQLITE(
            "jdbc:sqlite:",
            "TEXT",
            List.of("org.xerial:sqlite-jdbc:3.50.3.0"),
            promise(
                    Isolation.SERIALIZABLE,
                    IsolationLevel.SER,
                    "Transactions in SQLite are SERIALIZABLE.",
                    "https://www.sqlite.org/isolation.html")),
    DUCKDB(
            "jdbc:duckdb:",
            "VARCHAR",
            List.of("org.duckdb:duckdb_jdbc:1.3.2.0"),
            promise(
                    Isolation.REPEATABLE_READ,
                    IsolationLevel.SI,
                    "Optimistic concurrency control comes into play when two threads attempt to edit (update or delete) the"
                            + " same row at the same time. In that situation, the second thread to attempt the edit will"
                            + " fail with a conflict error.",
                    "https://duckdb.org/docs/stable/connect/concurrency")),
    /** Any other database that accepts plain SQL. */
    OTHER("jdbc:", "VARCHAR(30000)", List.of());

    /** Addresses of manuals, and sentences that several promises share. */
    private static final class PromiseSource {
        static final String POSTGRESQL = "https://www.postgresql.org/docs/current/transaction-iso.html";
        static final String MARIADB = "https://mariadb.com/kb/en/set-transaction/";
        static final String MYSQL = "https://dev.mysql.com/doc/refman/8.4/en/innodb-transaction-isolation-levels.html";
        static final String H2 = "https://www.h2database.com/html/advanced.html#transaction_isolation";
        static final String HSQLDB =
                "https://hsqldb.org/doc/2.0/apidocs/org.hsqldb/org/hsqldb/jdbc/JDBCConnection.html";
        static final String ALL_LEVELS = "HSQLDB 2.0 supports all isolation levels.";
        static final String DERBY = "https://db.apache.org/derby/docs/10.16/devguide/cdevconcepts15366.html";
        static final String FRESH_SNAPSHOT =
                "Each consistent read, even within the same transaction, sets and reads its own fresh snapshot.";
        static final String FIRST_READ =
                "All consistent reads within the same transaction read the snapshot established by the first read.";
        static final String SHARED_LOCKS =
                "This level is like REPEATABLE READ, but InnoDB implicitly converts all plain"
                        + " SELECT statements to SELECT ... LOCK IN SHARE MODE.";
    }

    private static final int SQLITE_BUSY = 5;
    private static final int SQLITE_CONSTRAINT = 19;
    private static final String HSQLDB_OTHER_MODEL = "hsqldb.tx=mv";

    private final String prefix;
    private final String text;
    private final List<String> drivers;
    private final List<Promise> promises;

    Dialect(String prefix, String text, List<String> drivers, Promise... promises) {
        this.prefix = prefix;
        this.text = text;
        this.drivers = drivers;
        this.promises = List.of(promises);
    }

    private static Promise promise(Isolation isolation, IsolationLevel level, String sentence, String source) {
        return new Promise(isolation, level, sentence, source);
    }

    /** The dialect of a JDBC URL. */
    public static Dialect of(String url) {
        for (Dialect dialect : values()) {
            if (url.startsWith(dialect.prefix)) {
                return dialect;
            }
        }
        return OTHER;
    }

    /** Maven's coordinates of the driver's jars. */
    public List<String> drivers() {
        return drivers;
    }

    /**
     * Returns the level that the manual documents for an isolation of a database of this dialect.
     *
     * @param appends whether an update makes the new value of the old one, as an append does. Where an update looks for
     *     its row in the latest state, a manual that describes snapshots of reads promises nothing of that.
     */
    public Optional<Promise> promise(String url, Isolation isolation, boolean appends) {
        if (appends && isolation == Isolation.REPEATABLE_READ && !changesWhatItReads(isolation)) {
            return Optional.empty();
        }
        // For HSQLDB's other transaction models the manual names no ANSI level of the other isolations.
        boolean isOtherModel =
                this == HSQLDB && url.contains(HSQLDB_OTHER_MODEL) && isolation != Isolation.READ_COMMITTED;
        return promises.stream()
                .filter(promise -> !isOtherModel)
                .filter(promise -> promise.isolation() == isolation)
                .findFirst();
    }

    /**
     * Returns the level that the manual of a database documents for an isolation, if only the name of the database is
     * known, such as {@code PostgreSQL 15.18} or {@code Apache Derby}.
     *
     * @param appends see {@link #promise}
     */
    public static Optional<Promise> promiseOfProduct(String product, Isolation isolation, boolean appends) {
        List<String> words = List.of(product.toUpperCase(Locale.ROOT).split("[^A-Z0-9]+"));
        for (Dialect dialect : values()) {
            boolean isNamed = words.contains(dialect.name())
                    || words.stream()
                            .anyMatch(
                                    word -> word.length() > 3 && dialect.name().startsWith(word));
            if (isNamed) {
                // HSQLDB's transaction model is not known, so only what all its models document counts.
                return dialect.promise(dialect == HSQLDB ? HSQLDB_OTHER_MODEL : "", isolation, appends);
            }
        }
        return Optional.empty();
    }

    /**
     * Whether the driver's {@code abort} leaves the connection open; its {@code close} does not wait for the thread
     * that uses the connection.
     */
    boolean ignoresAbort() {
        return this == H2 || this == SQLITE || this == DUCKDB;
    }

    /** Returns all levels that the manual documents. */
    public List<Promise> promises() {
        return promises;
    }

    /** Sets the properties that the database reads when it is loaded, unless the user has set them. */
    void prepare() {
        if (this == MARIADB) {
            // Otherwise it would log each failed statement to the console.
            setIfAbsent("mariadb.logging.disable", "true");
        }
        if (this == DERBY) {
            // By default a deadlock lasts 20 seconds, and a log is written to the working directory.
            for (String timeout : List.of("derby.locks.deadlockTimeout", "derby.locks.waitTimeout")) {
                setIfAbsent(timeout, "1");
            }
            setIfAbsent(
                    "derby.stream.error.file",
                    Path.of(System.getProperty("java.io.tmpdir", "."), "derby.log")
                            .toString());
        }
    }

    private static void setIfAbsent(String property, String value) {
        if (System.getProperty(property) == null) {
            System.setProperty(property, value);
        }
    }

    /** Whether an error of COMMIT means that the transaction did not commit and can be rolled back. */
    boolean isRolledBack(SQLException e) {
        return switch (this) {
            case SQLITE -> (e.getErrorCode() & 0xFF) == SQLITE_BUSY;
            case DUCKDB -> String.valueOf(e.getMessage()).contains("TransactionContext Error: Failed to commit");
            default -> {
                String state = e.getSQLState();
                yield state != null && state.startsWith("40") && !state.equals("40003");
            }
        };
    }

    /** Whether a statement failed because the row that it inserts exists. */
    boolean isUniqueViolation(SQLException e) {
        return switch (this) {
            case SQLITE -> (e.getErrorCode() & 0xFF) == SQLITE_CONSTRAINT;
            case DUCKDB -> String.valueOf(e.getMessage()).contains("Constraint Error");
            default -> {
                String state = e.getSQLState();
                yield state != null && state.startsWith("23");
            }
        };
    }

    /**
     * Whether updates and deletes look for their row in the state that the transaction reads. Those of InnoDB look in
     * the latest state, which its manual does not promise to agree with the snapshot of repeatable read. At read
     * committed a statement that has waited for the writer of its row looks at that row again, but not for one that the
     * writer inserted in its place.
     */
    boolean changesWhatItReads(Isolation isolation) {
        return switch (isolation) {
            case READ_UNCOMMITTED, READ_COMMITTED -> false;
            case REPEATABLE_READ -> this != MARIADB && this != MYSQL;
            case SNAPSHOT, SERIALIZABLE -> true;
        };
    }

    /**
     * Whether a delete can return the keys of its rows. That of DuckDB leaves out those that its transaction has
     * written.
     */
    boolean returnsDeletedKeys() {
        return returnsUpdatedKeys() && this != DUCKDB;
    }

    /** Whether an update can return the keys of its rows. */
    boolean returnsUpdatedKeys() {
        return switch (this) {
            case POSTGRESQL, SQLITE, DUCKDB, H2 -> true;
            case MARIADB, MYSQL, HSQLDB, DERBY, OTHER -> false;
        };
    }

    /**
     * A query that executes a statement and returns the keys of the rows that it has changed.
     *
     * @param version FINAL or OLD: that of the rows whose keys H2 returns
     */
    String returningKeys(String statement, String version) {
        return this == H2 ? "SELECT k FROM " + version + " TABLE (" + statement + ")" : statement + " RETURNING k";
    }

    /** The type of a column with lists. */
    String text() {
        return text;
    }

    /** An expression that appends a parameter to the column {@code v}. */
    String appended() {
        return this == MARIADB || this == MYSQL ? "CONCAT(v, ?)" : "v || CAST(? AS VARCHAR(30))";
    }

    /** The text after the columns of a table. */
    String tableOptions() {
        return this == MARIADB || this == MYSQL ? " ENGINE=InnoDB" : "";
    }
}
