package org.polygraph.jobs.jdbc;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
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
     * @param showsRows whether a result, or generated keys, have the rows that a statement writes
     * @param isResult whether it is a result, which comes without a count
     * @param isCommitted whether the transaction is committed
     * @param countsChanges whether an update may not count rows that had its values already
     */
    record Situation(
            Values values,
            boolean mayReadBack,
            boolean showsRows,
            boolean isResult,
            boolean isAutoCommit,
            AtomicBoolean isCommitted,
            boolean looksInLatestState,
            boolean countsChanges,
            int isolation) {
        boolean seesOneState() {
            return isolation >= Connection.TRANSACTION_REPEATABLE_READ && !countsChanges;
        }
    }

    private final List<Operation> operations = new ArrayList<>();
    private final List<Operation> ifNone = new ArrayList<>();
    private final Map<Integer, BigDecimal> readBack = new HashMap<>();
    /** The primary key of the only row, as the statement has it. */
    private final List<@Nullable Object> key = new ArrayList<>();

    private final Plan.Write plan;
    private final List<@Nullable Object> parameters;
    private final Situation now;
    private final Table table;
    private @Nullable String row;
    private boolean hasCount;
    /** Why something of it is not recorded. */
    @Nullable
    String unrecorded;

    /** Whether the rows that it writes are not known before its result shows them. Then it hides them from others. */
    private boolean isOpen;
    /** Of what it hides: only rows that are not named. */
    private boolean isNew;
    /** Of what it hides: these columns; null for all, and the existence of rows. */
    private @Nullable Set<Integer> written;

    /** Takes what was recorded of it, once. */
    Consumer<String> counted = outcome -> {};

    private final Set<String> shown = new LinkedHashSet<>();
    private final List<Operation> reads = new ArrayList<>();

    private Effect(Plan.Write plan, List<@Nullable Object> parameters, Situation now) {
        this.plan = plan;
        this.parameters = parameters;
        this.now = now;
        table = plan.table();
    }

    static Effect of(Plan.Write plan, List<@Nullable Object> parameters, Situation now) {
        Effect effect = new Effect(plan, parameters, now);
        if (plan instanceof Plan.Insert insert) {
            effect.insert(insert);
        } else if (plan instanceof Plan.Update update) {
            effect.update(update);
        } else if (plan instanceof Plan.Delete delete) {
            effect.delete(delete);
        }
        effect.leaveOut();
        if (now.isAutoCommit() && plan instanceof Plan.Delete && effect.row != null) {
            effect.table.deleted(effect.row);
        }
        return effect;
    }

    /** A write of what is not known is not recorded, so it stays unknown when what hides it now has ended. */
    private void leaveOut() {
        for (Operation each : List.copyOf(operations)) {
            String name = each.row();
            if (each.isKnown(now.isCommitted(), this)) {
                continue;
            }
            operations.remove(each);
            if (each.writes() && name != null) {
                table.markCell(name, each.column());
            } else if (each.writes()) {
                table.markColumn(each.column());
            }
        }
    }

    /** The operations, after the database has changed a number of rows. @param count negative if it is not known */
    List<Operation> after(long count) {
        if (count == 0) {
            return ifNone;
        }
        if (count == Statement.SUCCESS_NO_INFO && !isCertain()) {
            unrecorded = "a batch without counts";
            operations.stream()
                    .filter(each -> each.row() != null && each.writes())
                    .forEach(each -> table.markCell(each.row(), each.column()));
            operations.removeIf(each -> each.row() != null);
        }
        for (Operation each : operations) {
            String name = each.row();
            if (name != null && each.column() == Table.EXISTENCE && each.writes()) {
                if (each.op().equals("d")) {
                    table.deleted(name);
                } else if (each.op().equals("i") || each.isKnown(now.isCommitted(), this)) {
                    table.name(name, now.isCommitted());
                } else {
                    markRow(name);
                }
            }
        }
        if (hasCount && count > 0) {
            operations.forEach(each -> each.fields().put("count", count));
        }
        return operations;
    }

    boolean isOpen() {
        return isOpen;
    }

    /** Whether it writes what its operations write if it does not fail. */
    boolean isCertain() {
        return plan instanceof Plan.Insert insert
                && (insert.conflict() == null
                        || insert.conflict().isByKey() && insert.conflict().isAlways());
    }

    private boolean isPlainInsert() {
        return plan instanceof Plan.Insert insert && insert.conflict() == null;
    }

    /** Whether a write of a row would not be recorded, because this may write it too. */
    boolean covers(String other, int column, boolean isNamed) {
        return coversColumn(column, false) && (isNew ? !isNamed : row == null || row.equals(other));
    }

    boolean coversColumn(int column, boolean ofNamed) {
        return (written == null || written.contains(column)) && !(isNew && ofNamed);
    }

    /** Waits for rows of a result, if one will show them; otherwise what it may write is marked. */
    private void open(@Nullable Set<Integer> columns, String reason) {
        reads.addAll(operations);
        operations.clear();
        written = columns;
        unrecorded = reason;
        isOpen = true;
        if (now.showsRows() || isNew) {
            table.open(this);
        } else {
            giveUp();
        }
    }

    void close() {
        isOpen = false;
        table.close(this);
        counted.accept(unrecorded == null ? Shapes.RECORDED : unrecorded);
        counted = outcome -> {};
    }

    /** No result has shown, or will show, what was written. */
    void giveUp() {
        Set<Integer> columns = written;
        String only = row;
        if (isNew) {
            table.markNew();
        } else if (columns == null && only != null) {
            markRow(only);
        } else if (columns == null) {
            table.mark();
        } else if (only != null) {
            columns.forEach(each -> table.markCell(only, each));
        } else {
            columns.forEach(table::markColumn);
        }
        close();
    }

    private void markRow(String name) {
        for (int i = Table.EXISTENCE; i < table.columns.size(); i++) {
            table.markCell(name, i);
        }
    }

    /** The result has a row. @param values by column of the table; null if it is not shown */
    void show(@Nullable Object[] values) {
        String name = row != null ? row : table.rowOf(values);
        if (!isOpen || name == null || !shown.add(name)) {
            giveUp();
            return;
        }
        if (plan instanceof Plan.Insert insert) {
            int index = Math.min(shown.size(), insert.rows().size()) - 1;
            @Nullable
            Plan.Operand[] given =
                    index < 0 ? new Plan.Operand[values.length] : insert.rows().get(index);
            String op = insert.change() == null ? "i" : "w";
            operations.add(Operation.write(op, table, name, Table.EXISTENCE, 1L));
            for (int i = 0; i < values.length; i++) {
                if (table.isRecorded(i)) {
                    // Rows of several may come in another order.
                    boolean isSame = insert.rows().size() == 1 && op.equals("i");
                    show(op, name, i, values[i] == null && isSame ? inserted(i, given[i]) : values[i]);
                }
            }
            return;
        }
        for (int i = 0; i < values.length; i++) {
            Object value = values[i];
            Plan.Operand operand = plan instanceof Plan.Update update ? update.values()[i] : null;
            if (!table.isRecorded(i)) {
                continue;
            } else if (operand != null) {
                Object before = operand instanceof Plan.Sum sum
                                && value instanceof Long number
                                && sum.value(parameters) instanceof BigDecimal added
                        ? now.values()
                                .of(
                                        table.columns.get(i),
                                        BigDecimal.valueOf(number).subtract(added))
                        : null;
                if (before != null) {
                    reads.add(Operation.read(table, name, i, before));
                }
                Object set = known(i, operand);
                show("w", name, i, value != null ? value : set);
            } else if (value != null && now.isResult()) {
                reads.add(Operation.read(table, name, i, value));
            }
        }
        if (plan instanceof Plan.Delete) {
            delete(name);
        }
    }

    private void show(String op, String name, int column, @Nullable Object value) {
        if (value == null) {
            table.markCell(name, column);
        } else {
            operations.add(Operation.write(op, table, name, column, value));
        }
    }

    /** Whether the result has shown all rows. @param count negative if it is not known */
    boolean isShown(long count) {
        return isOpen
                && (count >= 0
                        ? shown.size() >= count
                        : shown.size() == 1
                                && (row != null
                                        || plan instanceof Plan.Insert insert
                                                && insert.rows().size() == 1));
    }

    /** All rows were shown: their operations. */
    List<Operation> shown() {
        unrecorded = null;
        if (shown.isEmpty()) {
            close();
            return ifNone;
        }
        // A statement that waits for a lock may return a newer version of a row than of others.
        boolean readsToo = !now.looksInLatestState()
                && (shown.size() == 1 || now.isolation() >= Connection.TRANSACTION_REPEATABLE_READ);
        if (readsToo) {
            operations.addAll(0, reads);
        }
        leaveOut();
        List<Operation> all = after(shown.size());
        close();
        return all;
    }

    private void insert(Plan.Insert insert) {
        Plan.Conflict conflict = insert.conflict();
        boolean isAlone = insert.rows().size() == 1;
        List<String> names = new ArrayList<>();
        for (@Nullable Plan.Operand[] given : insert.rows()) {
            List<@Nullable Object> values = new ArrayList<>();
            for (int column : table.key) {
                Plan.Operand operand = given[column];
                key.add(operand == null ? null : operand.value(parameters));
                values.add(operand == null ? null : known(column, operand));
            }
            String name = Table.row(values);
            if (name != null) {
                names.add(name);
            }
        }
        boolean isKnown = isAlone
                ? names.size() == 1
                : !names.isEmpty() && names.size() == insert.rows().size();
        Plan.Conflict change = insert.change();
        if (!isKnown || change != null && !change.isByKey() || conflict != null && !isAlone && !conflict.isAlways()) {
            isNew = change == null;
            open(null, isKnown ? "rows that may exist" : "an insert without its primary key");
            return;
        }
        if (conflict != null && conflict.isByKey() && change == null && !now.looksInLatestState()) {
            ifNone.add(Operation.read(table, names.get(0), Table.EXISTENCE, 1L));
        }
        // A result has no count, and no row if nothing was changed.
        if (isAlone && conflict != null && (change != null ? now.showsRows() : now.isResult())) {
            row = names.get(0);
            open(null, "what an insert changes");
            return;
        }
        for (int i = 0; i < names.size(); i++) {
            row = names.get(i);
            insert(row, insert.rows().get(i), change, isAlone && now.mayReadBack());
        }
    }

    private void insert(
            String name, @Nullable Plan.Operand[] given, Plan.@Nullable Conflict change, boolean mayReadBack) {
        String op = change != null ? "w" : "i";
        operations.add(Operation.write(op, table, name, Table.EXISTENCE, 1L));
        for (int i = 0; i < given.length; i++) {
            if (table.isRecorded(i)) {
                Plan.Operand operand = given[i];
                Object value = inserted(i, operand);
                if (change != null) {
                    Plan.Operand set = change.values().get(i);
                    Object other = set instanceof Plan.Excluded excluded
                            ? excluded.column() == i ? value : inserted(excluded.column(), given[excluded.column()])
                            : set == null ? null : known(i, set);
                    value = value != null && value.equals(other) ? value : null;
                    operand = null;
                }
                write(op, i, value, operand, mayReadBack);
            }
        }
    }

    /** The value of a column of a row that is inserted, or null if the statement does not show it. */
    private @Nullable Object inserted(int column, Plan.@Nullable Operand operand) {
        boolean isNull = table.columns.get(column).isNullIfOmitted();
        // Explicit null becomes the default of some columns.
        return operand == null
                ? isNull ? now.values().of(table.columns.get(column), null) : null
                : isNull || operand.value(parameters) != null ? known(column, operand) : null;
    }

    private void write(
            String op, int column, @Nullable Object value, Plan.@Nullable Operand operand, boolean mayReadBack) {
        String name = Objects.requireNonNull(row);
        if (value != null) {
            operations.add(Operation.write(op, table, name, column, value));
        } else if (!mayReadBack || !table.isKnown(name, column, now.isCommitted())) {
            table.markCell(name, column);
            unrecorded = "an expression or a default";
        } else {
            Object added = operand instanceof Plan.Sum sum ? sum.value(parameters) : Plan.UNKNOWN;
            readBack.put(column, added instanceof BigDecimal number ? number : null);
        }
    }

    private void update(Plan.Update update) {
        Matches matches = Matches.of(table, update.condition(), parameters, now.values());
        Map<Integer, @Nullable Object> columns = new LinkedHashMap<>();
        Object value = null;
        for (int i = 0; i < update.values().length; i++) {
            Plan.Operand operand = update.values()[i];
            if (operand != null && table.isRecorded(i)) {
                // A number is added to the only value that satisfies the condition.
                value = operand instanceof Plan.Sum sum
                                && matches.single.get(i) instanceof Long old
                                && sum.value(parameters) instanceof BigDecimal added
                        ? now.values()
                                .of(
                                        table.columns.get(i),
                                        BigDecimal.valueOf(old).add(added))
                        : known(i, operand);
                columns.put(i, value);
            }
        }
        if (matches.rows.size() == 1) {
            ofOneRow(matches);
            if (now.isResult()) {
                open(columns.keySet(), "rows that were not fetched");
                return;
            }
            columns.forEach((i, set) -> write("w", i, set, update.values()[i], now.mayReadBack()));
            return;
        }
        Map<String, Object> where = matches.where;
        if (columns.size() == 1
                && value != null
                && where != null
                && !matches.isFolded
                && columns.containsKey(matches.column)
                && table.isKnownWhole(matches.column, false)
                && !now.countsChanges()
                && !now.isResult()) {
            String label = table.label(matches.column);
            operations.add(new Operation(
                    table,
                    null,
                    matches.column,
                    Operation.fields("pw", "where", where, "value", value, "row", Map.of(label, value))));
            hasCount = true;
        } else if (!columns.isEmpty()) {
            open(columns.keySet(), "an update by a condition");
        }
    }

    private void delete(Plan.Delete delete) {
        Matches matches = Matches.of(table, delete.condition(), parameters, now.values());
        if (matches.rows.size() == 1) {
            ofOneRow(matches);
        }
        if (matches.rows.size() != 1 || now.isResult()) {
            open(null, "a delete by a condition");
        } else {
            delete(matches.rows.get(0));
        }
    }

    private void delete(String name) {
        operations.add(Operation.delete(table, name, Table.EXISTENCE));
        for (int i = 0; i < table.columns.size(); i++) {
            if (table.isRecorded(i)) {
                operations.add(Operation.delete(table, name, i));
            }
        }
    }

    private void ofOneRow(Matches matches) {
        String name = matches.rows.get(0);
        row = name;
        key.addAll(matches.key);
        if (!now.looksInLatestState()) {
            matches.single.forEach((column, value) -> operations.add(Operation.read(table, name, column, value)));
            if (matches.isByKey && now.seesOneState()) {
                ifNone.add(Operation.read(table, name, Table.EXISTENCE, null));
            }
        }
    }

    private @Nullable Object known(int column, Plan.Operand operand) {
        return operand instanceof Plan.Sum
                ? null
                : now.values().of(table.columns.get(column), operand.value(parameters));
    }

    boolean needsReadBack() {
        return !readBack.isEmpty();
    }

    /** Reads what the statement wrote, in its transaction. A number that it added also shows what it read. */
    void readBack(Connection connection, boolean readsToo) throws SQLException {
        Table of = table;
        Values values = now.values();
        String op = isPlainInsert() ? "i" : "w";
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
                    BigDecimal number = Values.number(raw);
                    if (value == null) {
                        of.markCell(name, column);
                        continue;
                    }
                    Object before = added == null || number == null ? null : values.of(kind, number.subtract(added));
                    if (before != null && readsToo) {
                        operations.add(Operation.read(of, name, column, before));
                    }
                    operations.add(Operation.write(op, of, name, column, value));
                }
            }
        }
    }
}
