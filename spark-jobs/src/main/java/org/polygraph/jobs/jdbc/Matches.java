package org.polygraph.jobs.jdbc;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The rows that satisfy a condition, with the values of its parameters. */
final class Matches {
    /** The rows with the primary keys that the condition gives; empty if it gives none. */
    List<String> rows = List.of();
    /** The primary key of the only row, as the statement has it. */
    final List<@Nullable Object> key = new ArrayList<>();
    /** Whether the condition is about the primary key alone. */
    boolean isByKey;
    /** By column that is not of the primary key: the only value of a row that satisfies the condition. */
    final Map<Integer, Object> single = new HashMap<>();
    /** The condition in the history, if it is of one column; null if it cannot be expressed. */
    @Nullable
    Map<String, Object> where;

    /** Whether the database takes different strings for one, so that rows with other values match too. */
    boolean isFolded;

    int column;

    private Matches() {}

    static Matches of(Table table, Plan.Condition condition, List<@Nullable Object> parameters, Values values) {
        Matches matches = new Matches();
        boolean isExact = condition.isExact();
        Map<Integer, List<@Nullable Object>> keys = new HashMap<>();
        List<Map<String, Object>> others = new ArrayList<>();
        for (Plan.Term term : condition.terms()) {
            int column = term.column();
            List<@Nullable Object> in = in(table.columns.get(column), term, parameters, values);
            if (table.isKey(column)) {
                boolean isSet = in != null && !in.contains(null) && keys.putIfAbsent(column, in) == null;
                isExact &= isSet;
                continue;
            }
            if (!table.isRecorded(column)) {
                isExact = false;
                continue;
            }
            Object only = in != null && in.size() == 1 ? in.get(0) : null;
            boolean isFolded = table.columns.get(column).isFolded();
            matches.isFolded |= isFolded;
            if (only != null && !isFolded) {
                matches.single.put(column, only);
            }
            Object set = in != null ? set(in) : range(table.columns.get(column), term, parameters, values);
            isExact &= set != null;
            matches.column = column;
            if (set != null) {
                others.add(Map.of(table.label(column), set));
            }
        }
        if (keys.size() == table.key.length && table.key.length > 0) {
            matches.rows = rows(table, keys);
            matches.isByKey = isExact && others.isEmpty();
            if (matches.rows.size() == 1) {
                for (int column : table.key) {
                    matches.key.add(raw(condition, column, parameters));
                }
            }
        } else if (isExact && keys.isEmpty() && others.size() <= 1) {
            matches.column = others.isEmpty() ? Table.EXISTENCE : matches.column;
            matches.where = others.isEmpty() ? Map.of(table.label(Table.EXISTENCE), List.of(1L)) : others.get(0);
        }
        return matches;
    }

    private static @Nullable Object raw(Plan.Condition condition, int column, List<@Nullable Object> parameters) {
        for (Plan.Term term : condition.terms()) {
            if (term.column() == column && term.in() != null) {
                return term.in().get(0).value(parameters);
            }
        }
        return null;
    }

    private static List<String> rows(Table table, Map<Integer, List<@Nullable Object>> keys) {
        List<String> rows = new ArrayList<>();
        boolean isSingle = keys.values().stream().allMatch(each -> each.size() == 1);
        if (!isSingle && table.key.length > 1) {
            return rows;
        }
        for (Object first : keys.getOrDefault(table.key[0], List.of())) {
            List<@Nullable Object> key = new ArrayList<>();
            for (int column : table.key) {
                key.add(
                        column == table.key[0]
                                ? first
                                : keys.getOrDefault(column, List.of()).get(0));
            }
            String row = Table.row(key);
            if (row == null) {
                return List.of();
            }
            if (!rows.contains(row)) {
                rows.add(row);
            }
        }
        return rows;
    }

    /** The values of a set, of which null is not certain; null for a range. */
    private static @Nullable List<@Nullable Object> in(
            Values.Column column, Plan.Term term, List<@Nullable Object> parameters, Values values) {
        if (term.in() == null) {
            return null;
        }
        List<@Nullable Object> in = new ArrayList<>();
        for (Plan.Operand operand : term.in()) {
            Object value = operand.value(parameters);
            // IS NULL; a comparison with null has no rows.
            in.add(value == Plan.IS_NULL ? values.of(column, null) : value == null ? null : values.of(column, value));
        }
        return in;
    }

    /** An array of two integers would be a range. */
    private static @Nullable Object set(List<@Nullable Object> in) {
        if (in.contains(null)) {
            return null;
        }
        return in.size() == 2 ? List.of(in.get(0), in.get(1), in.get(1)) : in;
    }

    private static @Nullable Object range(
            Values.Column column, Plan.Term term, List<@Nullable Object> parameters, Values values) {
        if (column.kind() != Values.Kind.INTEGER || values.areHashed()) {
            return null;
        }
        Long lo = bound(term.lo(), term.isLoStrict() ? 1 : 0, Long.MIN_VALUE, parameters);
        Long hi = bound(term.hi(), term.isHiStrict() ? -1 : 0, Long.MAX_VALUE, parameters);
        return lo == null || hi == null || lo > hi ? null : List.of(lo, hi);
    }

    private static @Nullable Long bound(
            Plan.@Nullable Operand operand, int step, long none, List<@Nullable Object> parameters) {
        if (operand == null) {
            return none;
        }
        BigDecimal number = Values.number(operand.value(parameters));
        return number == null || number.scale() > 0 || number.unscaledValue().bitLength() > 62
                ? null
                : (Long) (number.longValueExact() + step);
    }

    /** Whether a value satisfies the condition. */
    boolean has(Object value) {
        Object set = where == null ? null : where.values().iterator().next();
        if (!(set instanceof List<?> list)) {
            return false;
        }
        if (list.size() == 2 && list.get(0) instanceof Long lo && list.get(1) instanceof Long hi) {
            return value instanceof Long number && number >= lo && number <= hi;
        }
        return list.contains(value);
    }
}
