package org.polygraph.jobs.jdbc;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/** The tables of the schema of the first connection. Names are in lower case. */
final class Catalog {
    /**
     * By the product that {@link DatabaseMetaData} names: a query of the tables whose rows statements about other
     * tables, or triggers, may change or show. In another database nothing is recorded.
     */
    private static final Map<String, String> SPECIAL = Map.of(
            "PostgreSQL",
            "SELECT relname FROM pg_class WHERE relkind IN ('p', 'f') UNION SELECT c.relname FROM pg_class c"
                    + " JOIN pg_inherits i ON c.oid IN (i.inhrelid, i.inhparent) UNION SELECT c.relname FROM pg_class c"
                    + " JOIN pg_trigger t ON t.tgrelid = c.oid AND NOT t.tgisinternal UNION SELECT c.relname FROM pg_class c"
                    + " JOIN pg_rewrite r ON r.ev_class = c.oid",
            "MariaDB",
            "SELECT event_object_table FROM information_schema.triggers",
            "MySQL",
            "SELECT event_object_table FROM information_schema.triggers",
            "H2",
            "SELECT event_object_table FROM information_schema.triggers",
            "HSQL Database Engine",
            "SELECT event_object_table FROM information_schema.triggers",
            "Apache Derby",
            "SELECT t.tablename FROM sys.systriggers g JOIN sys.systables t ON g.tableid = t.tableid",
            "SQLite",
            "SELECT tbl_name FROM sqlite_master WHERE type = 'trigger'");

    final String product;
    private final @Nullable String database;
    private final @Nullable String schema;
    private final Map<String, Table> tables = new ConcurrentHashMap<>();
    private final Map<String, Integer> uses = new HashMap<>();
    /** Tables that were created through the driver, and whose columns were not needed yet. */
    private final Set<String> created = ConcurrentHashMap.newKeySet();

    private Set<String> special = Set.of();

    Catalog(Connection connection) throws SQLException {
        DatabaseMetaData meta = connection.getMetaData();
        product = meta.getDatabaseProductName();
        database = connection.getCatalog();
        schema = connection.getSchema();
        if (!SPECIAL.containsKey(product)) {
            throw new SQLException("the triggers of " + product + " cannot be seen; supported: "
                    + String.join(", ", new java.util.TreeSet<>(SPECIAL.keySet())));
        }
        special = special(connection);
        for (String name : names(meta)) {
            tables.merge(name.toLowerCase(Locale.ROOT), read(meta, name), (one, other) -> unrecorded(name));
        }
    }

    /** Whether a name of another schema, or another schema of a connection, was given. */
    boolean isForeign(@Nullable String name) {
        return name != null
                && !name.isEmpty()
                && !Table.unquoted(name).equalsIgnoreCase(schema)
                && !Table.unquoted(name).equalsIgnoreCase(database);
    }

    /** Whether names mean the same for a connection. */
    boolean isOf(Connection connection) throws SQLException {
        return Objects.equals(database, connection.getCatalog()) && Objects.equals(schema, connection.getSchema());
    }

    /** Whether a write or a locking read at repeatable read finds its rows in the latest state instead of a snapshot. */
    boolean looksInLatestState() {
        return product.equals("MariaDB") || product.equals("MySQL");
    }

    Iterable<Table> tables() {
        return tables.values();
    }

    /** The table, or null if there is none: a view, or a table of which nothing is known. */
    @Nullable
    Table table(String identifier, Connection connection) throws SQLException {
        String name = Table.unquoted(identifier);
        if (created.contains(name)) {
            synchronized (this) {
                if (created.contains(name)) {
                    special = special(connection);
                    for (String each : names(connection.getMetaData())) {
                        if (each.equalsIgnoreCase(name)) {
                            tables.put(name, read(connection.getMetaData(), each));
                        }
                    }
                    created.remove(name);
                }
            }
        }
        return tables.get(name);
    }

    /**
     * The columns that a statement is to return as generated keys, because it does not show which rows it writes; null
     * for none, or where the database returns only numbers that it gave.
     */
    String @Nullable [] asks(Plan plan) {
        boolean isPostgres = product.equals("PostgreSQL");
        Plan.Condition condition = null;
        if (plan instanceof Plan.Update update) {
            condition = update.condition();
        } else if (plan instanceof Plan.Delete delete && isPostgres) {
            condition = delete.condition();
        }
        boolean isInsert = plan instanceof Plan.Insert insert && (insert.change() != null || !insert.isByKey());
        Plan.Write write = Plan.write(plan);
        if (write == null || !isInsert && condition == null || !isPostgres && !product.equals("H2")) {
            return null;
        }
        Table table = write.table();
        long keys = condition == null
                ? 0
                : condition.terms().stream()
                        .filter(each -> table.isKey(each.column())
                                && each.in() != null
                                && each.in().size() == 1)
                        .map(Plan.Term::column)
                        .distinct()
                        .count();
        if (condition != null && keys == table.key.length || table.isUnknown()) {
            return null;
        }
        return table.columns.stream()
                .filter(each -> each.kind() != Values.Kind.OTHER)
                .map(each -> each.quoted().substring(1, each.quoted().length() - 1))
                .toArray(String[]::new);
    }

    /** Whether the database has a table of a name. */
    boolean exists(String identifier, Connection connection) throws SQLException {
        return names(connection.getMetaData()).stream()
                .anyMatch(each -> each.equalsIgnoreCase(Table.unquoted(identifier)));
    }

    /** A table without rows was created. */
    void created(String identifier) {
        created.add(Table.unquoted(identifier));
    }

    /** A statement that is not recorded may change a table. */
    void changed(String identifier) {
        Table table = tables.get(Table.unquoted(identifier));
        if (table != null) {
            table.mark();
        }
    }

    /** A statement that is not recorded may change every table. */
    void changed() {
        tables.values().forEach(Table::mark);
    }

    private static Table unrecorded(String name) {
        return new Table(name, name, List.of(), new int[0], true);
    }

    private Set<String> special(Connection connection) throws SQLException {
        Set<String> found = new HashSet<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(SPECIAL.get(product))) {
            while (rows.next()) {
                found.add(rows.getString(1).toLowerCase(Locale.ROOT));
            }
        }
        return found;
    }

    private List<String> names(DatabaseMetaData meta) throws SQLException {
        List<String> names = new ArrayList<>();
        try (ResultSet rows = meta.getTables(database, schema, "%", null)) {
            while (rows.next()) {
                String type = rows.getString("TABLE_TYPE");
                if (type.equals("TABLE") || type.equals("BASE TABLE") || type.equals("PARTITIONED TABLE")) {
                    names.add(rows.getString("TABLE_NAME"));
                }
            }
        }
        return names;
    }

    private Table read(DatabaseMetaData meta, String table) throws SQLException {
        List<Values.Column> columns = new ArrayList<>();
        try (ResultSet rows = meta.getColumns(database, schema, escaped(meta, table), "%")) {
            while (rows.next()) {
                String name = rows.getString("COLUMN_NAME");
                int size = rows.getInt("COLUMN_SIZE");
                String type = String.valueOf(rows.getString("TYPE_NAME"));
                Values.Kind kind = Values.kind(rows.getInt("DATA_TYPE"), type, size);
                boolean isMade = "YES".equals(rows.getString("IS_GENERATEDCOLUMN"));
                boolean isCounted = "YES".equals(rows.getString("IS_AUTOINCREMENT"));
                String before = rows.getString("COLUMN_DEF");
                boolean isNull = (before == null || before.equalsIgnoreCase("null"))
                        && !isCounted
                        && rows.getInt("NULLABLE") == DatabaseMetaData.columnNullable;
                String lower = type.toLowerCase(Locale.ROOT);
                boolean isFolded = kind == Values.Kind.STRING
                        && (looksInLatestState() || lower.contains("ignorecase") || lower.equals("citext"));
                columns.add(new Values.Column(
                        name.toLowerCase(Locale.ROOT),
                        quoted(meta, name),
                        isMade ? Values.Kind.OTHER : kind,
                        size,
                        rows.getInt("DECIMAL_DIGITS"),
                        isNull,
                        isCounted,
                        isFolded));
            }
        }
        Map<Integer, String> parts = new TreeMap<>();
        try (ResultSet rows = meta.getPrimaryKeys(database, schema, table)) {
            while (rows.next()) {
                parts.put(rows.getInt("KEY_SEQ"), rows.getString("COLUMN_NAME"));
            }
        }
        List<Integer> key = new ArrayList<>();
        boolean changesOthers = special.contains(table.toLowerCase(Locale.ROOT));
        boolean isRecorded = !changesOthers
                && columns.stream().map(Values.Column::name).distinct().count() == columns.size();
        for (String part : parts.values()) {
            int index = 0;
            while (!columns.get(index).name().equalsIgnoreCase(part)) {
                index++;
            }
            // Two strings that the database takes for one would be two rows of the history.
            isRecorded &= columns.get(index).kind() != Values.Kind.OTHER
                    && !columns.get(index).isFolded();
            key.add(index);
        }
        String name = table.toLowerCase(Locale.ROOT);
        int use = uses.merge(name, 1, Integer::sum);
        return new Table(
                use == 1 ? name : name + "#" + use,
                quoted(meta, table),
                columns,
                isRecorded ? key.stream().mapToInt(i -> i).toArray() : new int[0],
                changesOthers);
    }

    /**
     * Whether a foreign key makes a write of a table one of another table, directly.
     *
     * @param updated the columns that are updated
     */
    boolean cascades(Table table, boolean deletes, IntPredicate updated, Connection connection) throws SQLException {
        DatabaseMetaData meta = connection.getMetaData();
        for (String name : names(meta)) {
            if (!name.equalsIgnoreCase(table.name)) {
                continue;
            }
            try (ResultSet rows = meta.getExportedKeys(database, schema, name)) {
                while (rows.next()) {
                    if (deletes && changesRows(rows.getInt("DELETE_RULE"))
                            || updated.test(table.column(rows.getString("PKCOLUMN_NAME")))
                                    && changesRows(rows.getInt("UPDATE_RULE"))) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    private static boolean changesRows(int rule) {
        return rule != DatabaseMetaData.importedKeyNoAction && rule != DatabaseMetaData.importedKeyRestrict;
    }

    /** Whether a unique index besides the primary key may decide that a row exists. */
    boolean hasOtherKeys(Table table, Connection connection) throws SQLException {
        DatabaseMetaData meta = connection.getMetaData();
        Set<String> indexes = new HashSet<>();
        for (String name : names(meta)) {
            if (name.equalsIgnoreCase(table.name)) {
                try (ResultSet rows = meta.getIndexInfo(database, schema, name, true, false)) {
                    while (rows.next()) {
                        indexes.add(String.valueOf(rows.getString("INDEX_NAME")));
                    }
                }
            }
        }
        return indexes.size() > 1;
    }

    private static String quoted(DatabaseMetaData meta, String name) throws SQLException {
        String quote = meta.getIdentifierQuoteString().strip();
        return quote + name + quote;
    }

    private static String escaped(DatabaseMetaData meta, String name) throws SQLException {
        String escape = meta.getSearchStringEscape();
        return name.replace("_", escape + "_").replace("%", escape + "%");
    }
}
