package org.polygraph.jobs.jdbc;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.jdbc.Step.Operation;

/** The rows of a result that the application has fetched. They are reads at the place of their query. */
final class Rows implements Fetched {
    private final Plan.Read plan;
    private final Matches matches;
    private final Values values;
    private final RecordedTransaction transaction;
    private final Step step;
    private final int writes;
    private final boolean mixesVersions;
    private boolean isLeftOut;
    private final Set<String> found = new HashSet<>();
    /** The values of the column of the condition, by row; null if the result does not show one. */
    private @Nullable List<List<Object>> pairs = new ArrayList<>();

    private boolean isWhole;

    /** @param isWhole whether no limit of the statement leaves out rows */
    Rows(
            Plan.Read plan,
            List<@Nullable Object> parameters,
            Effect.Situation now,
            RecordedTransaction transaction,
            Step step,
            boolean isWhole) {
        this.plan = plan;
        this.transaction = transaction;
        this.step = step;
        this.values = now.values();
        matches = Matches.of(plan.table(), plan.condition(), parameters, values);
        writes = transaction.writes();
        // A statement that locks rows may wait for some and then return newer versions of them than of others.
        mixesVersions = plan.locks() && now.isolation() < Connection.TRANSACTION_REPEATABLE_READ;
        // A value that was never committed may be of a write that is not recorded.
        isLeftOut =
                plan.locks() && now.looksInLatestState() || now.isolation() == Connection.TRANSACTION_READ_UNCOMMITTED;
        this.isWhole = isWhole && plan.isWhole() && !(mixesVersions && !matches.isByKey);
    }

    boolean areRecorded() {
        return !isLeftOut;
    }

    @Override
    public @Nullable RecordedTransaction transaction() {
        return transaction;
    }

    @Override
    public void skip() {
        isWhole = false;
    }

    @Override
    public void add(ResultSet rows) throws SQLException {
        Table table = plan.table();
        if (isLeftOut || !transaction.isAt(writes)) {
            isWhole = false;
            return;
        }
        boolean[] isShown = new boolean[table.columns.size()];
        @Nullable Object[] row = row(table, plan.columns(), values, rows, isShown);
        String name = name(row);
        if (name == null) {
            isWhole = false;
            return;
        }
        if (mixesVersions && !found.isEmpty()) {
            step.operations.clear();
            isLeftOut = true;
            isWhole = false;
            return;
        }
        found.add(name);
        matches.single.forEach((column, value) -> {
            if (!isShown[column]) {
                row[column] = value;
            }
        });
        boolean isRead = false;
        for (int i = 0; i < row.length; i++) {
            Object value = row[i];
            if (value != null && table.isKnown(name, i, transaction.isCommitted) && table.isRecorded(i)) {
                step.operations.add(Operation.read(table, name, i, value));
                isRead = true;
            }
        }
        if (!isRead && table.isKnown(name, Table.EXISTENCE, transaction.isCommitted)) {
            step.operations.add(Operation.read(table, name, Table.EXISTENCE, 1L));
        }
        if (matches.where != null && pairs != null) {
            Object value = matches.column < 0 ? (Object) 1L : row[matches.column];
            if (value == null || !matches.has(value) || !table.isKnown(name, matches.column, transaction.isCommitted)) {
                pairs = null;
            } else {
                pairs.add(List.of(table.cell(name, matches.column), value));
            }
        }
    }

    /** By column of the table: the value of the current row, or null if it is not shown or not certain. */
    static @Nullable Object[] row(Table table, int[] columns, Values values, ResultSet rows, boolean[] isShown)
            throws SQLException {
        @Nullable Object[] row = new Object[table.columns.size()];
        for (int i = 0; i < columns.length; i++) {
            int column = columns[i];
            if (column >= 0 && table.columns.get(column).kind() != Values.Kind.OTHER) {
                row[column] = values.of(table.columns.get(column), rows.getObject(i + 1));
                isShown[column] = true;
            }
        }
        return row;
    }

    /** The part of a key that identifies the row; null if the result does not show it. */
    private @Nullable String name(@Nullable Object[] row) {
        if (matches.rows.size() == 1) {
            return matches.rows.get(0);
        }
        return plan.table().rowOf(row);
    }

    @Override
    public void end() {
        Table table = plan.table();
        if (!isWhole || !transaction.isAt(writes)) {
            return;
        }
        isWhole = false;
        if (matches.isByKey) {
            for (String row : matches.rows) {
                if (!found.contains(row) && table.isKnown(row, Table.EXISTENCE, transaction.isCommitted)) {
                    step.operations.add(Operation.read(table, row, Table.EXISTENCE, null));
                }
            }
            return;
        }
        Map<String, Object> where = matches.where;
        if (where != null && pairs != null && table.isKnownWhole(matches.column, true)) {
            // The rows of the condition are reads of its column already.
            step.operations.removeIf(each -> each.column() == matches.column);
            step.operations.add(
                    new Operation(table, null, matches.column, Operation.fields("pr", "where", where, "rows", pairs)));
        }
    }
}
