package org.polygraph.jobs.jdbc;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.jdbc.Step.Operation;

/**
 * What one execution of a write does, found before it is sent. What it may write and what is not recorded is marked in
 * its table then.
 */
final class Effect {
    /**
     * What is known of the connection.
     *
     * @param mayReadBack whether a query may follow in the same transaction
     * @param countsChanges whether an update may not count rows that had its values already
     */
    record Situation(
            Values values, boolean mayReadBack, boolean looksInLatestState, boolean countsChanges, int isolation) {
        boolean seesOneState() {
            return isolation >= Connection.TRANSACTION_REPEATABLE_READ && !countsChanges;
        }
    }

    private final List<Operation> operations = new ArrayList<>();
    private final List<Operation> ifNone = new ArrayList<>();
    private final Map<Integer, BigDecimal> readBack = new HashMap<>();
    /** The primary key of the only row, as the statement has it. */
    private final List<@Nullable Object> key = new ArrayList<>();

    private @Nullable Table table;
    private @Nullable String row;
    private boolean hasCount;
    /** Why something of it is not recorded. */
    @Nullable
    String unrecorded;

    private Effect() {}

    static Effect of(Plan plan, List<@Nullable Object> parameters, Situation now) {
        Effect effect = new Effect();
        if (plan instanceof Plan.Insert insert) {
            insert.rows()
                    .forEach(each -> effect.insert(
                            insert.table(), each, parameters, now, insert.rows().size() == 1));
        } else if (plan instanceof Plan.Update update) {
            effect.update(update, parameters, now);
        } else if (plan instanceof Plan.Delete delete) {
            effect.delete(delete, parameters, now);
        }
        effect.operations.removeIf(each -> !each.isKnown());
        return effect;
    }

    /** The operations, after the database has changed a number of rows. @param count negative if it is not known */
    List<Operation> after(long count) {
        if (count == 0) {
            return ifNone;
        }
        if (hasCount && count > 0) {
            operations.forEach(each -> each.fields().put("count", count));
        }
        return operations;
    }

    private void insert(
            Table into,
            @Nullable Plan.Operand[] given,
            List<@Nullable Object> parameters,
            Situation now,
            boolean isAlone) {
        table = into;
        List<@Nullable Object> values = new ArrayList<>();
        for (int column : into.key) {
            Plan.Operand operand = given[column];
            key.add(operand == null ? null : operand.value(parameters));
            values.add(operand == null ? null : known(into.columns.get(column), operand, parameters, now));
        }
        row = Table.row(values);
        if (row == null) {
            mark(into, "an insert without its primary key");
            return;
        }
        operations.add(Operation.write("i", into, row, Table.EXISTENCE, 1L));
        for (int i = 0; i < given.length; i++) {
            if (into.isRecorded(i)) {
                Values.Column column = into.columns.get(i);
                Plan.Operand operand = given[i];
                // Explicit null becomes the default of some columns.
                boolean isCertain = column.isNullIfOmitted() || (operand != null && operand.value(parameters) != null);
                Object value = operand != null
                        ? isCertain ? known(column, operand, parameters, now) : null
                        : column.isNullIfOmitted() ? now.values().of(column, null) : null;
                write("i", into, i, value, operand, parameters, isAlone && now.mayReadBack());
            }
        }
    }

    private void write(
            String op,
            Table into,
            int column,
            @Nullable Object value,
            Plan.@Nullable Operand operand,
            List<@Nullable Object> parameters,
            boolean mayReadBack) {
        String name = Objects.requireNonNull(row);
        if (value != null) {
            operations.add(Operation.write(op, into, name, column, value));
        } else if (!mayReadBack) {
            into.markCell(name, column);
            unrecorded = "an expression or a default";
        } else if (into.isKnown(name, column)) {
            Object added = operand instanceof Plan.Sum sum ? sum.value(parameters) : Plan.UNKNOWN;
            readBack.put(column, added instanceof BigDecimal number ? number : null);
        }
    }

    private void update(Plan.Update update, List<@Nullable Object> parameters, Situation now) {
        table = update.table();
        Matches matches = Matches.of(table, update.condition(), parameters, now.values());
        if (matches.rows.size() == 1) {
            row = matches.rows.get(0);
            key.addAll(matches.key);
            if (!now.looksInLatestState()) {
                matches.single.forEach((column, value) -> operations.add(Operation.read(table, row, column, value)));
                if (matches.isByKey && now.seesOneState()) {
                    ifNone.add(Operation.read(table, row, Table.EXISTENCE, null));
                }
            }
            for (int i = 0; i < update.values().length; i++) {
                Plan.Operand operand = update.values()[i];
                if (operand != null && table.isRecorded(i)) {
                    Object value = known(table.columns.get(i), operand, parameters, now);
                    write("w", table, i, value, operand, parameters, now.mayReadBack());
                }
            }
            return;
        }
        List<Integer> columns = new ArrayList<>();
        Object value = null;
        for (int i = 0; i < update.values().length; i++) {
            Plan.Operand operand = update.values()[i];
            if (operand != null && table.isRecorded(i)) {
                columns.add(i);
                value = known(table.columns.get(i), operand, parameters, now);
            }
        }
        Map<String, Object> where = matches.where;
        if (columns.size() == 1
                && value != null
                && where != null
                && !matches.isFolded
                && matches.column == columns.get(0)
                && table.isKnownWhole(matches.column)
                && !now.countsChanges()) {
            String label = table.label(matches.column);
            operations.add(new Operation(
                    table,
                    null,
                    matches.column,
                    Operation.fields("pw", "where", where, "value", value, "row", Map.of(label, value))));
            hasCount = true;
        } else if (!columns.isEmpty()) {
            columns.forEach(table::markColumn);
            unrecorded = "an update by a condition";
        }
    }

    private void delete(Plan.Delete delete, List<@Nullable Object> parameters, Situation now) {
        table = delete.table();
        Matches matches = Matches.of(table, delete.condition(), parameters, now.values());
        if (matches.rows.size() != 1) {
            mark(table, "a delete by a condition");
            return;
        }
        row = matches.rows.get(0);
        if (!now.looksInLatestState()) {
            matches.single.forEach((column, value) -> operations.add(Operation.read(table, row, column, value)));
            if (matches.isByKey && now.seesOneState()) {
                ifNone.add(Operation.read(table, row, Table.EXISTENCE, null));
            }
        }
        operations.add(Operation.delete(table, row, Table.EXISTENCE));
        for (int i = 0; i < table.columns.size(); i++) {
            if (table.isRecorded(i)) {
                operations.add(Operation.delete(table, row, i));
            }
        }
    }

    private void mark(Table of, String reason) {
        of.mark();
        operations.clear();
        unrecorded = reason;
    }

    private static @Nullable Object known(
            Values.Column column, Plan.Operand operand, List<@Nullable Object> parameters, Situation now) {
        return operand instanceof Plan.Sum ? null : now.values().of(column, operand.value(parameters));
    }

    boolean needsReadBack() {
        return !readBack.isEmpty();
    }

    /** Reads what the statement wrote, in its transaction. A number that it added also shows what it read. */
    void readBack(Connection connection, Values values, boolean isInsert, boolean readsToo) throws SQLException {
        Table of = Objects.requireNonNull(table);
        String name = Objects.requireNonNull(row);
        List<Integer> columns = List.copyOf(readBack.keySet());
        StringBuilder sql = new StringBuilder("SELECT ");
        columns.forEach(each -> sql.append(sql.length() > 7 ? ", " : "")
                .append(of.columns.get(each).quoted()));
        sql.append(" FROM ").append(of.quoted);
        for (int i = 0; i < of.key.length; i++) {
            sql.append(i == 0 ? " WHERE " : " AND ")
                    .append(of.columns.get(of.key[i]).quoted())
                    .append(" = ?");
        }
        try (PreparedStatement query = connection.prepareStatement(sql.toString())) {
            for (int i = 0; i < of.key.length; i++) {
                Object value = key.get(i);
                query.setObject(i + 1, value instanceof BigInteger number ? (Object) number.longValueExact() : value);
            }
            try (ResultSet rows = query.executeQuery()) {
                boolean isFound = rows.next();
                for (int i = 0; i < columns.size(); i++) {
                    int column = columns.get(i);
                    Values.Column kind = of.columns.get(column);
                    Object raw = isFound ? rows.getObject(i + 1) : null;
                    Object value = isFound ? values.of(kind, raw) : null;
                    BigDecimal added = readBack.get(column);
                    BigDecimal now = Values.number(raw);
                    if (value == null) {
                        of.markCell(name, column);
                        continue;
                    }
                    Object before = added == null || now == null ? null : values.of(kind, now.subtract(added));
                    if (before != null && readsToo) {
                        operations.add(Operation.read(of, name, column, before));
                    }
                    operations.add(Operation.write(isInsert ? "i" : "w", of, name, column, value));
                }
            }
        }
    }
}
