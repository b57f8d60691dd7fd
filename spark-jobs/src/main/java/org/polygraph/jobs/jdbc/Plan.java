package org.polygraph.jobs.jdbc;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a statement does, as far as operations of a history can express it. */
sealed interface Plan {
    /** A statement that changes no rows and whose rows are not recorded. */
    record Ignored(String reason) implements Plan {}

    /** Begin, commit, rollback and savepoints as SQL. @param name of the savepoint, or empty */
    record Control(String word, String name) implements Plan {}

    /**
     * A change of tables.
     *
     * @param created the name of a table that is created without rows, or null
     * @param changed the tables that it may change; null for all
     */
    record Definition(@Nullable String created, @Nullable List<String> changed) implements Plan {}

    /** Writes that are not recorded. @param table whose rows may change; null if any may */
    record Unrecorded(@Nullable Table table, String reason) implements Plan {}

    /**
     * A query of one table.
     *
     * @param columns by column of the result: the column of the table, or -1
     * @param isWhole whether every row that satisfies the condition is in the result
     */
    record Read(Table table, int[] columns, Condition condition, boolean isWhole, boolean locks) implements Plan {}

    /** A change of rows of one table. */
    sealed interface Write extends Plan {
        Table table();
    }

    /**
     * @param rows by row and column of the table; null for a column that the statement does not name; empty for the
     *     rows of a query
     * @param conflict null if it fails where a row exists
     */
    record Insert(
            Table table,
            List<@Nullable Operand[]> rows,
            @Nullable Conflict conflict) implements Write {
        /** What it changes in rows that exist; null if nothing. */
        @Nullable
        Conflict change() {
            return conflict == null || conflict.values().isEmpty() ? null : conflict;
        }

        /** Whether the statement shows the primary keys. */
        boolean isByKey() {
            return !rows.isEmpty()
                    && rows.stream().allMatch(row -> Arrays.stream(table.key)
                            .allMatch(each -> row[each] instanceof Parameter || row[each] instanceof Literal));
        }
    }

    /**
     * What an insert does with a row that exists.
     *
     * @param values that it sets, by column of the table; null for a column that is not set; empty if it changes nothing
     * @param isByKey whether the primary key alone decides whether the row exists
     * @param isAlways whether it sets them in every row that exists
     */
    record Conflict(List<@Nullable Operand> values, boolean isByKey, boolean isAlways) {
        boolean changes(int column) {
            return !values.isEmpty() && values.get(column) != null;
        }
    }

    /** @param values by column of the table; null for a column that is not set */
    record Update(Table table, @Nullable Operand[] values, Condition condition) implements Write {}

    record Delete(Table table, Condition condition) implements Write {}

    /** A write whose result has rows. @param columns as of a query */
    record Returning(Write write, int[] columns) implements Plan {}

    /** The rows that a plan changes, or null. */
    static @Nullable Write write(Plan plan) {
        return plan instanceof Returning returning ? returning.write() : plan instanceof Write write ? write : null;
    }

    /** @param isExact whether the terms are all of the condition */
    record Condition(List<Term> terms, boolean isExact) {}

    /**
     * A condition of one column: a set of values, or a range.
     *
     * @param in null for a range
     */
    record Term(
            int column,
            @Nullable List<Operand> in,
            @Nullable Operand lo,
            boolean isLoStrict,
            @Nullable Operand hi,
            boolean isHiStrict) {}

    /** A value in a statement. */
    sealed interface Operand {
        /** @throws IndexOutOfBoundsException if a parameter was not set */
        @Nullable
        Object value(List<@Nullable Object> parameters);
    }

    record Literal(@Nullable Object value) implements Operand {
        @Override
        public @Nullable Object value(List<@Nullable Object> parameters) {
            return value;
        }
    }

    /** @param index from 0 */
    record Parameter(int index) implements Operand {
        @Override
        public @Nullable Object value(List<@Nullable Object> parameters) {
            return parameters.get(index);
        }
    }

    /** The column's own value and a number, which is subtracted if it is negative. */
    record Sum(Operand number, boolean isNegative) implements Operand {
        /** What is added, or {@link #UNKNOWN}. */
        @Override
        public Object value(List<@Nullable Object> parameters) {
            BigDecimal added = Values.number(number.value(parameters));
            return added == null ? UNKNOWN : isNegative ? added.negate() : added;
        }
    }

    /** In what an insert sets in a row that exists: the value that it would have inserted. */
    record Excluded(int column) implements Operand {
        @Override
        public Object value(List<@Nullable Object> parameters) {
            return UNKNOWN;
        }
    }

    /** An expression whose value the statement does not show. */
    record Expression() implements Operand {
        @Override
        public Object value(List<@Nullable Object> parameters) {
            return UNKNOWN;
        }
    }

    /** Is no value of a column of any kind. */
    Object UNKNOWN = new Object();

    /** What {@code IS NULL} compares with; no string of an application is this object. */
    Object IS_NULL = new Object();
}
