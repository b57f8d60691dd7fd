package org.polygraph.jobs.jdbc;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** The operations of one execution of a statement. */
final class Step {
    /** The statement without its values. */
    final String shape;

    final List<Operation> operations = new ArrayList<>();
    boolean isWrite;
    /** What adds operations when the result shows the rows that were written. */
    @Nullable
    Effect open;

    Step(String shape) {
        this.shape = shape;
    }

    /** What it wrote is gone. */
    void undo() {
        if (open != null) {
            open.close();
        }
        for (Operation each : operations) {
            if (each.writes() && each.row() != null && each.column() == Table.EXISTENCE) {
                each.table().deleted(each.row());
            }
        }
    }

    /**
     * An operation of one key, or of all rows that satisfy a condition.
     *
     * @param row null for all rows
     * @param fields as in JSON Lines
     */
    record Operation(Table table, @Nullable String row, int column, Map<String, @Nullable Object> fields) {
        static Operation read(Table table, String row, int column, @Nullable Object value) {
            return new Operation(table, row, column, fields("r", "key", table.cell(row, column), "value", value));
        }

        /** @param op w or i */
        static Operation write(String op, Table table, String row, int column, Object value) {
            return new Operation(
                    table,
                    row,
                    column,
                    fields(
                            op,
                            "key",
                            table.cell(row, column),
                            "value",
                            value,
                            "row",
                            Map.of(table.label(column), value)));
        }

        static Operation delete(Table table, String row, int column) {
            return new Operation(table, row, column, fields("d", "key", table.cell(row, column)));
        }

        static Map<String, @Nullable Object> fields(String op, @Nullable Object... fields) {
            Map<String, @Nullable Object> all = new LinkedHashMap<>();
            all.put("op", op);
            for (int i = 0; i < fields.length; i += 2) {
                all.put(String.valueOf(fields[i]), fields[i + 1]);
            }
            return all;
        }

        String op() {
            return String.valueOf(fields.get("op"));
        }

        boolean writes() {
            return !op().equals("r") && !op().equals("pr");
        }

        /** Whether it can be wrong after a write that is not in the history: it states what was there before. */
        boolean claims() {
            return !op().equals("w");
        }

        /** A row that is inserted is another one than those that are not named. @param asks as for a table */
        boolean isKnown(AtomicBoolean own, @Nullable Effect asks) {
            return row == null
                    ? table.isKnownWhole(column, false)
                    : table.isKnown(row, column, op().equals("i") || table.isNamed(row, own), asks);
        }
    }
}
