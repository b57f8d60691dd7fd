package org.polygraph.jobs.jdbc;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A table and what of it is not known any more. A row with the primary key 7 of {@code accounts} is the keys {@code
 * accounts[7]}, whether it exists, and {@code accounts[7].balance} for each recorded column.
 *
 * <p>What an unrecorded statement may write is marked before the statement is sent, and stays so. A read is recorded if
 * its keys are not marked when its result has arrived; a write if they were not when it was sent. So a value that an
 * unrecorded statement wrote is never in a recorded read.
 */
final class Table {
    /** Stands for a column: whether the row exists. */
    static final int EXISTENCE = -1;

    final String name;
    /** As statements name it. */
    final String quoted;

    final List<Values.Column> columns;
    /** The columns of the primary key; empty if the table is not recorded. */
    final int[] key;
    /** Whether a trigger, a rule or inheritance may make a write of it one of other tables. */
    final boolean changesOthers;

    private volatile boolean isUnknown;
    private final Set<Integer> columnsInPart = ConcurrentHashMap.newKeySet();
    private final Set<Integer> unknownColumns = ConcurrentHashMap.newKeySet();
    private final Set<String> unknownCells = ConcurrentHashMap.newKeySet();
    /** Rows whose inserts are recorded, and whether the transactions that inserted them are committed. */
    private final Map<String, AtomicBoolean> named = new ConcurrentHashMap<>();
    /** Whether a row that is not named was inserted. */
    private volatile boolean hasUnnamed;
    /** Writes whose rows are not known before their results show them: they hide their rows until then. */
    private final Set<Effect> open = ConcurrentHashMap.newKeySet();

    Table(String name, String quoted, List<Values.Column> columns, int[] key, boolean changesOthers) {
        this.name = name;
        this.quoted = quoted;
        this.columns = columns;
        this.key = key;
        this.changesOthers = changesOthers;
        this.isUnknown = key.length == 0;
    }

    boolean isUnknown() {
        return isUnknown;
    }

    void mark() {
        isUnknown = true;
    }

    /**
     * A row is inserted, and the history has it. Others take it for that row when the transaction is committed: the
     * database may give its key to another one otherwise, as after a delete.
     */
    void name(String row, AtomicBoolean isCommitted) {
        named.merge(row, isCommitted, (old, now) -> old.get() ? old : now);
    }

    void deleted(String row) {
        named.remove(row);
    }

    /** A row whose key is not known was inserted. */
    void markNew() {
        hasUnnamed = true;
    }

    void open(Effect effect) {
        open.add(effect);
    }

    void close(Effect effect) {
        open.remove(effect);
    }

    void markColumn(int column) {
        unknownColumns.add(column);
    }

    void markCell(String row, int column) {
        if (isKnown(column)) {
            columnsInPart.add(column);
            unknownCells.add(cell(row, column));
        }
    }

    boolean isKnown(int column) {
        return !isUnknown && (column < 0 || isRecorded(column)) && !unknownColumns.contains(column);
    }

    /** @param own whether the transaction that asks is committed */
    boolean isNamed(String row, AtomicBoolean own) {
        AtomicBoolean inserted = named.get(row);
        return inserted != null && (inserted == own || inserted.get());
    }

    boolean isKnown(String row, int column, AtomicBoolean own) {
        return isKnown(row, column, isNamed(row, own), null);
    }

    /** @param asks the write that asks: it does not hide its own rows */
    boolean isKnown(String row, int column, boolean isNamed, @Nullable Effect asks) {
        return isKnown(column)
                && !unknownCells.contains(cell(row, column))
                && (!hasUnnamed || isNamed)
                && open.stream().noneMatch(each -> each != asks && each.covers(row, column, isNamed));
    }

    /** Whether the column is known in every row. @param ofNamed in every row that is named */
    boolean isKnownWhole(int column, boolean ofNamed) {
        return isKnown(column)
                && !columnsInPart.contains(column)
                && (ofNamed || !hasUnnamed)
                && open.stream().noneMatch(each -> each.coversColumn(column, ofNamed));
    }

    /** Whether the column is of a recorded type and not of the primary key, for which the existence of the row stands. */
    boolean isRecorded(int column) {
        return columns.get(column).kind() != Values.Kind.OTHER && !isKey(column);
    }

    boolean isKey(int column) {
        for (int each : key) {
            if (each == column) {
                return true;
            }
        }
        return false;
    }

    /** The index of a column, or -1. */
    int column(String identifier) {
        for (int i = 0; i < columns.size(); i++) {
            if (columns.get(i).name().equalsIgnoreCase(unquoted(identifier))) {
                return i;
            }
        }
        return -1;
    }

    String cell(String row, int column) {
        return name + "[" + row + "]"
                + (column < 0 ? "" : "." + columns.get(column).name());
    }

    /** The name of a column in conditions. */
    String label(int column) {
        return column < 0 ? name : name + "." + columns.get(column).name();
    }

    /** The part of a key that identifies the row, from the values of the primary key; null if one is not certain. */
    static @Nullable String row(List<? extends @Nullable Object> values) {
        StringBuilder row = new StringBuilder();
        for (Object value : values) {
            if (value == null || value.equals(Values.NULL)) {
                return null;
            }
            row.append(row.isEmpty() ? "" : ",")
                    .append(value.toString().replace("\\", "\\\\").replace(",", "\\,"));
        }
        return row.toString();
    }

    /** The same from the values of all columns. */
    @Nullable
    String rowOf(@Nullable Object[] values) {
        return row(java.util.Arrays.stream(key).mapToObj(each -> values[each]).toList());
    }

    static String unquoted(String identifier) {
        return identifier.replaceAll("[\"`\\[\\]]", "").toLowerCase(Locale.ROOT);
    }
}
