package org.polygraph.jobs.jdbc;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import net.sf.jsqlparser.expression.BooleanValue;
import net.sf.jsqlparser.expression.DoubleValue;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.expression.Function;
import net.sf.jsqlparser.expression.JdbcParameter;
import net.sf.jsqlparser.expression.LongValue;
import net.sf.jsqlparser.expression.NullValue;
import net.sf.jsqlparser.expression.SignedExpression;
import net.sf.jsqlparser.expression.StringValue;
import net.sf.jsqlparser.expression.operators.arithmetic.Addition;
import net.sf.jsqlparser.expression.operators.arithmetic.Subtraction;
import net.sf.jsqlparser.expression.operators.conditional.AndExpression;
import net.sf.jsqlparser.expression.operators.relational.Between;
import net.sf.jsqlparser.expression.operators.relational.ComparisonOperator;
import net.sf.jsqlparser.expression.operators.relational.ExpressionList;
import net.sf.jsqlparser.expression.operators.relational.InExpression;
import net.sf.jsqlparser.expression.operators.relational.IsNullExpression;
import net.sf.jsqlparser.expression.operators.relational.ParenthesedExpressionList;
import net.sf.jsqlparser.parser.CCJSqlParserUtil;
import net.sf.jsqlparser.parser.ParseException;
import net.sf.jsqlparser.schema.Column;
import net.sf.jsqlparser.statement.create.table.CreateTable;
import net.sf.jsqlparser.statement.delete.Delete;
import net.sf.jsqlparser.statement.insert.ConflictActionType;
import net.sf.jsqlparser.statement.insert.Insert;
import net.sf.jsqlparser.statement.insert.InsertConflictAction;
import net.sf.jsqlparser.statement.select.AllColumns;
import net.sf.jsqlparser.statement.select.PlainSelect;
import net.sf.jsqlparser.statement.select.SelectItem;
import net.sf.jsqlparser.statement.update.Update;
import net.sf.jsqlparser.statement.update.UpdateSet;
import org.jspecify.annotations.Nullable;

/** Finds what a statement does. What it does not know is {@link Plan.Unrecorded} or, if it only reads, ignored. */
final class Sql {
    private static final Pattern COMMENT = Pattern.compile("\\A(\\s+|--[^\\n]*\\n?|/\\*.*?\\*/)+", Pattern.DOTALL);
    private static final Pattern WRITES = Pattern.compile(
            "\\b(insert|update|delete|merge|replace|truncate|call|into|create|alter|drop)\\b(?!\\s*\\()|;\\s*\\S");
    /** Not every one of these is in what the parser returns. */
    private static final Pattern MODIFIED =
            Pattern.compile("^insert\\s+(?!into\\b)|^(update|delete)\\s+(or|ignore)\\b|\\?\\?");
    /** What the parser does not know: {@code SELECT ... FROM FINAL TABLE (...)} and {@code MERGE ... KEY} of H2. */
    private static final Pattern FINAL = Pattern.compile(
            "(select\\s.*)\\sfrom\\s+final\\s+table\\s*\\((.*)\\)\\s*", Pattern.DOTALL | Pattern.CASE_INSENSITIVE);

    private static final Pattern MERGE = Pattern.compile(
            "merge\\s+(into\\s+[\\w\"`.]+\\s*(?:\\([^()]*\\))?)\\s*?(?:\\skey\\s*\\(([^()]*)\\))?\\s*(values\\b.*)",
            Pattern.DOTALL | Pattern.CASE_INSENSITIVE);

    private static final Pattern LOCKS = Pattern.compile("\\bfor\\s+(no\\s+key\\s+)?update\\b");
    private static final Pattern SAVEPOINT = Pattern.compile(
            "(savepoint|release|rollback)\\s+(?:(?:work|transaction)\\s+)?(?:to\\s+)?(?:savepoint\\s+)?([\\w\"`]+)\\s*;?\\s*");
    private static final Pattern CHANGED = Pattern.compile(
            "(?:drop\\s+table|alter\\s+table|truncate\\s+table)\\s+(?:if\\s+exists\\s+)?"
                    + "([\\w\"`]+(?:\\s*,\\s*[\\w\"`]+)*)(?<!exists)\\b(?!.*\\bcascade\\b)(?!\\s*[.,])[^;]*;?\\s*",
            Pattern.DOTALL);
    private static final Pattern HARMLESS = Pattern.compile(
            "create\\s+(unique\\s+)?(index|sequence|view|schema)\\b.*" + "|(comment|grant|revoke)\\b.*",
            Pattern.DOTALL);

    /** A conflict that may change a primary key. */
    private static final Plan.Conflict UNKNOWN = new Plan.Conflict(List.of(), false, true);

    private final Catalog catalog;
    private final Connection connection;

    Sql(Catalog catalog, Connection connection) {
        this.catalog = catalog;
        this.connection = connection;
    }

    Plan plan(String sql) throws SQLException {
        Matcher comment = COMMENT.matcher(sql);
        String text = comment.find() ? sql.substring(comment.end()) : sql;
        String lower = text.toLowerCase(Locale.ROOT);
        String first = lower.split("[^a-z]", 2)[0];
        String bare = lower.indexOf('\\') < 0 ? lower.replaceAll("'[^']*'", "''") : lower;
        boolean isSafe = !WRITES.matcher(LOCKS.matcher(bare).replaceAll("")).find();
        switch (first) {
            case "select", "with":
                Matcher changes = FINAL.matcher(text);
                if (changes.matches()) {
                    // A parameter before the statement would change the numbers of its own.
                    return plan(changes.group(2)) instanceof Plan.Write write
                                    && changes.group(1).indexOf('?') < 0
                                    && parsed(changes.group(1) + " FROM t") instanceof PlainSelect select
                                    && hasRowOfEach(select)
                                    && isWhole(select)
                            ? returning(write, select.getSelectItems())
                            : new Plan.Unrecorded(null, "not understood");
                }
                return isSafe ? read(text) : new Plan.Unrecorded(null, "a query that may write");
            case "values", "table", "show", "explain", "describe":
                return isSafe ? new Plan.Ignored("no table") : new Plan.Unrecorded(null, "a query that may write");
            case "insert", "update", "delete":
                return write(text, null);
            case "merge":
                Matcher merge = MERGE.matcher(text);
                return merge.matches()
                        ? write(
                                "INSERT " + merge.group(1) + " " + merge.group(3),
                                merge.group(2) == null ? "" : merge.group(2))
                        : new Plan.Unrecorded(null, "not understood");
            case "commit", "end", "begin", "start", "rollback", "savepoint", "release":
                if (!isSafe) {
                    return new Plan.Unrecorded(null, "several statements");
                }
                Matcher name = SAVEPOINT.matcher(lower);
                return new Plan.Control(first, name.matches() && !name.group(2).equals("work") ? name.group(2) : "");
            case "set", "use":
                return first.equals("use")
                                || !isSafe
                                || lower.matches("(?s).*\\b(search_path|schema|role|authorization|autocommit)\\b.*")
                        ? new Plan.Unrecorded(null, "another schema")
                        : new Plan.Control("set", lower.contains("uncommitted") ? "uncommitted" : "");
            case "reset", "analyze", "vacuum", "lock", "pragma", "listen", "notify", "checkpoint":
                return isSafe ? new Plan.Ignored("no rows") : new Plan.Unrecorded(null, "several statements");
            case "create", "alter", "drop", "truncate", "comment", "grant", "revoke":
                return definition(text, lower);
            default:
                return new Plan.Unrecorded(null, "not understood");
        }
    }

    private static Plan definition(String text, String lower) {
        if (HARMLESS.matcher(lower).matches() && !lower.matches("(?s).*;\\s*\\S.*")) {
            return new Plan.Definition(null, List.of());
        }
        Matcher changed = CHANGED.matcher(lower);
        if (changed.matches()) {
            return new Plan.Definition(null, List.of(changed.group(1).split("\\s*,\\s*")));
        }
        if (!lower.startsWith("create") || lower.matches("(?s)create\\s+(\\w+\\s+)*temp(orary)?\\b.*")) {
            return new Plan.Definition(null, null);
        }
        Object parsed = parsed(text);
        return parsed instanceof CreateTable made && made.getSelect() == null && made.getPartitionOf() == null
                ? new Plan.Definition(made.getTable().getName(), List.of())
                : new Plan.Definition(null, null);
    }

    private static @Nullable Object parsed(String text) {
        try {
            return CCJSqlParserUtil.newParser(text)
                    .withAllowComplexParsing(true)
                    .Statement();
        } catch (ParseException | RuntimeException e) {
            return null;
        }
    }

    private @Nullable Table table(net.sf.jsqlparser.schema.Table named) throws SQLException {
        boolean isElsewhere = catalog.isForeign(named.getSchemaName());
        return isElsewhere ? null : catalog.table(named.getName(), connection);
    }

    private Plan read(String text) throws SQLException {
        if (!(parsed(text) instanceof PlainSelect select)) {
            return new Plan.Ignored("not one simple query");
        }
        if (!(select.getFromItem() instanceof net.sf.jsqlparser.schema.Table from)) {
            return new Plan.Ignored("no table");
        }
        boolean isSimple = hasRowOfEach(select)
                && isEmpty(select.getJoins())
                && isEmpty(select.getLateralViews())
                && isEmpty(select.getWithItemsList())
                && from.getSampleClause() == null
                && from.getTimeTravel() == null
                && from.getPivot() == null;
        Table table = table(from);
        if (!isSimple || table == null || table.isUnknown()) {
            return new Plan.Ignored(
                    !isSimple
                            ? "a join, a function or an aggregate"
                            : table == null ? "no known table" : "table is not known");
        }
        int[] columns = columns(table, select.getSelectItems());
        if (columns == null) {
            return new Plan.Ignored("columns are replaced");
        }
        Plan.Condition condition = condition(table, select.getWhere());
        return new Plan.Read(table, columns, condition, isWhole(select), select.getForMode() != null);
    }

    /** Whether the result has one row for each row of its table that it takes. A function may be an aggregate. */
    private static boolean hasRowOfEach(PlainSelect select) {
        return select.getGroupBy() == null
                && select.getHaving() == null
                && select.getDistinct() == null
                && select.getQualify() == null
                && select.getSampleClause() == null
                && select.getSelectItems().stream()
                        .map(SelectItem::getExpression)
                        .noneMatch(each ->
                                !(each instanceof Column) && each.toString().contains("("));
    }

    private static boolean isWhole(PlainSelect select) {
        return select.getLimit() == null
                && select.getOffset() == null
                && select.getFetch() == null
                && select.getTop() == null
                && select.getFirst() == null
                && select.getSkip() == null
                && !select.isSkipLocked();
    }

    /** By item of a select list: the column of the table, or -1; null if it is not known how many there are. */
    private static int @Nullable [] columns(Table table, List<SelectItem<?>> items) {
        List<Integer> columns = new ArrayList<>();
        for (SelectItem<?> item : items) {
            if (item.getExpression() instanceof AllColumns all) {
                if (!isEmpty(all.getExceptColumns()) || !isEmpty(all.getReplaceExpressions())) {
                    return null;
                }
                for (int i = 0; i < table.columns.size(); i++) {
                    columns.add(i);
                }
            } else {
                boolean isOld =
                        item.getExpression().toString().toLowerCase(Locale.ROOT).startsWith("old.");
                columns.add(isOld ? -1 : column(table, item.getExpression()));
            }
        }
        return columns.stream().mapToInt(i -> i).toArray();
    }

    private static Plan returning(Plan.Write write, @Nullable List<SelectItem<?>> items) {
        int[] columns = items == null ? new int[0] : columns(write.table(), items);
        return items == null
                ? write
                : columns == null
                        ? new Plan.Unrecorded(write.table(), "columns are replaced")
                        : new Plan.Returning(write, columns);
    }

    /** @param merged the columns of an insert that replaces rows, or null for another statement */
    private Plan write(String text, @Nullable String merged) throws SQLException {
        String lower = text.toLowerCase(Locale.ROOT);
        Object parsed = parsed(text);
        net.sf.jsqlparser.schema.Table named;
        boolean isSimple;
        if (parsed instanceof Insert insert) {
            named = insert.getTable();
            isSimple = isEmpty(insert.getWithItemsList())
                    && !insert.isModifierIgnore()
                    && !insert.isOverwrite()
                    && isEmpty(insert.getSetUpdateSets())
                    && (insert.getConflictAction() != null || !lower.contains("conflict"))
                    && (insert.getDuplicateUpdateSets() != null || !lower.contains("duplicate"))
                    && insert.getOutputClause() == null;
        } else if (parsed instanceof Update update) {
            named = update.getTable();
            isSimple = isEmpty(update.getWithItemsList())
                    && !update.isModifierIgnore()
                    && isEmpty(update.getJoins())
                    && isEmpty(update.getStartJoins())
                    && update.getFromItem() == null
                    && update.getOutputClause() == null
                    && update.getLimit() == null;
        } else if (parsed instanceof Delete delete) {
            named = delete.getTable();
            isSimple = isEmpty(delete.getWithItemsList())
                    && !delete.isModifierIgnore()
                    && isEmpty(delete.getJoins())
                    && isEmpty(delete.getTables())
                    && isEmpty(delete.getUsingList())
                    && delete.getOutputClause() == null
                    && delete.getLimit() == null;
        } else {
            return new Plan.Unrecorded(null, "not understood");
        }
        Table table = named == null ? null : table(named);
        if (table == null || table.changesOthers) {
            return new Plan.Unrecorded(null, table == null ? "no known table" : "a table with triggers or partitions");
        }
        // Statements of WITH may write other tables.
        if (!isSimple || MODIFIED.matcher(lower).find()) {
            boolean isOneTable = !lower.contains("with")
                    && (parsed instanceof Insert
                            || parsed instanceof Update update
                                    && isEmpty(update.getJoins())
                                    && isEmpty(update.getStartJoins()));
            String kind = "a kind of " + lower.substring(0, 6);
            return isOneTable ? unrecorded(table, kind) : new Plan.Unrecorded(null, kind);
        }
        if (parsed instanceof Delete delete) {
            return catalog.cascades(table, true, column -> false, connection)
                    ? new Plan.Unrecorded(null, "a delete that cascades")
                    : returning(
                            new Plan.Delete(table, condition(table, delete.getWhere())), delete.getReturningClause());
        }
        return parsed instanceof Update update ? update(table, update) : insert(table, (Insert) parsed, merged);
    }

    /** It may delete rows of the table, or change any column. */
    private Plan unrecorded(Table table, String reason) throws SQLException {
        boolean cascades = catalog.cascades(table, true, column -> true, connection);
        return new Plan.Unrecorded(cascades ? null : table, reason);
    }

    private Plan insert(Table table, Insert insert, @Nullable String merged) throws SQLException {
        List<Integer> columns = new ArrayList<>();
        if (insert.getColumns() == null) {
            for (int i = 0; i < table.columns.size(); i++) {
                columns.add(i);
            }
        } else {
            insert.getColumns().forEach(each -> columns.add(table.column(each.getColumnName())));
        }
        Plan.Conflict conflict = conflict(table, insert, columns, merged);
        if (conflict == UNKNOWN) {
            return unrecorded(table, "not understood");
        }
        if (conflict != null && catalog.cascades(table, false, conflict::changes, connection)) {
            return new Plan.Unrecorded(null, "an update that cascades");
        }
        if (insert.isOnlyDefaultValues()
                || !(insert.getSelect() instanceof net.sf.jsqlparser.statement.select.Values)) {
            List<Plan.@Nullable Operand[]> none = new ArrayList<>();
            if (insert.isOnlyDefaultValues()) {
                none.add(new Plan.Operand[table.columns.size()]);
            }
            return returning(new Plan.Insert(table, none, conflict), insert.getReturningClause());
        }
        List<Expression> given = new ArrayList<>(insert.getValues().getExpressions());
        boolean isOneRow = !(given.isEmpty() || given.get(0) instanceof ExpressionList<?>);
        List<Plan.@Nullable Operand[]> rows = new ArrayList<>();
        for (Object row : isOneRow ? List.of(given) : given) {
            if (!(row instanceof List<?> values) || values.size() != columns.size() || columns.contains(-1)) {
                return unrecorded(table, "not understood");
            }
            Plan.@Nullable Operand[] operands = new Plan.Operand[table.columns.size()];
            for (int i = 0; i < columns.size(); i++) {
                operands[columns.get(i)] = operand((Expression) values.get(i));
            }
            rows.add(operands);
        }
        return returning(new Plan.Insert(table, rows, conflict), insert.getReturningClause());
    }

    /** What becomes of rows that exist; null if an insert fails then. */
    private Plan.@Nullable Conflict conflict(Table table, Insert insert, List<Integer> columns, @Nullable String merged)
            throws SQLException {
        List<UpdateSet> sets = insert.getDuplicateUpdateSets();
        InsertConflictAction action = insert.getConflictAction();
        if (merged == null && sets == null && action == null) {
            return null;
        }
        List<String> names = List.of();
        if (merged != null && !merged.isBlank()) {
            names = List.of(merged.split(","));
        } else if (insert.getConflictTarget() != null
                && insert.getConflictTarget().getWhereExpression() == null) {
            names = insert.getConflictTarget().getIndexColumnNames();
        }
        Set<Integer> target = new HashSet<>();
        names.forEach(each -> target.add(table.column(each.strip())));
        boolean isByKey = merged != null && merged.isBlank()
                || (sets != null
                        ? !catalog.hasOtherKeys(table, connection)
                        : target.size() == table.key.length && target.stream().allMatch(table::isKey));
        Plan.@Nullable Operand[] values = new Plan.Operand[table.columns.size()];
        if (merged != null) {
            if (!isByKey
                    && columns.stream().anyMatch(each -> each < 0 || table.isKey(each) && !target.contains(each))) {
                return UNKNOWN;
            }
            columns.stream().filter(each -> each >= 0).forEach(each -> values[each] = new Plan.Excluded(each));
        } else if (action != null && action.getConflictActionType() == ConflictActionType.DO_NOTHING) {
            return new Plan.Conflict(List.of(), isByKey, false);
        } else {
            for (UpdateSet set : sets != null ? sets : action.getUpdateSets()) {
                for (int i = 0; i < set.getColumns().size(); i++) {
                    int column = table.column(set.getColumn(i).getColumnName());
                    Expression value =
                            set.getColumns().size() == set.getValues().size() ? set.getValue(i) : null;
                    if (column < 0 || table.isKey(column)) {
                        return UNKNOWN;
                    }
                    values[column] = value == null ? new Plan.Expression() : excluded(table, value);
                }
            }
        }
        return new Plan.Conflict(Arrays.asList(values), isByKey, action == null || action.getWhereExpression() == null);
    }

    private static Plan.Operand excluded(Table table, Expression value) {
        Expression column = value;
        boolean isExcluded = value instanceof Column named
                && named.getTable() != null
                && "excluded".equalsIgnoreCase(named.getTable().getName());
        if (value instanceof Function function
                && function.getName().equalsIgnoreCase("values")
                && function.getParameters() != null
                && function.getParameters().size() == 1) {
            column = function.getParameters().get(0);
            isExcluded = true;
        }
        int index = isExcluded ? column(table, column) : -1;
        return index < 0 ? operand(value) : new Plan.Excluded(index);
    }

    private Plan update(Table table, Update update) throws SQLException {
        Plan.@Nullable Operand[] values = new Plan.Operand[table.columns.size()];
        for (UpdateSet set : update.getUpdateSets()) {
            for (int i = 0; i < set.getColumns().size(); i++) {
                int column = table.column(set.getColumn(i).getColumnName());
                if (column < 0 || table.isKey(column)) {
                    return unrecorded(table, column < 0 ? "not understood" : "a primary key is updated");
                }
                values[column] = set.getColumns().size() == set.getValues().size()
                        ? summand(table, column, set.getValue(i))
                        : new Plan.Expression();
            }
        }
        return catalog.cascades(table, false, column -> values[column] != null, connection)
                ? new Plan.Unrecorded(null, "an update that cascades")
                : returning(
                        new Plan.Update(table, values, condition(table, update.getWhere())),
                        update.getReturningClause());
    }

    /** The value of {@code SET column = column + number}, or of another expression. */
    private static Plan.Operand summand(Table table, int column, Expression value) {
        boolean isNegative = value instanceof Subtraction;
        if ((value instanceof Addition || isNegative)
                && ((net.sf.jsqlparser.expression.BinaryExpression) value).getLeftExpression() instanceof Column own
                && table.column(own.getColumnName()) == column) {
            return new Plan.Sum(
                    operand(((net.sf.jsqlparser.expression.BinaryExpression) value).getRightExpression()), isNegative);
        }
        return operand(value);
    }

    private static Plan.Condition condition(Table table, @Nullable Expression where) {
        List<Plan.Term> terms = new ArrayList<>();
        return new Plan.Condition(terms, where == null || terms(table, where, terms));
    }

    /** Adds the terms of a conjunction. @return whether all are known */
    private static boolean terms(Table table, Expression where, List<Plan.Term> terms) {
        if (where instanceof ParenthesedExpressionList<?> list && list.size() == 1) {
            return terms(table, list.get(0), terms);
        }
        if (where instanceof AndExpression and) {
            boolean isLeftKnown = terms(table, and.getLeftExpression(), terms);
            return terms(table, and.getRightExpression(), terms) & isLeftKnown;
        }
        Plan.@Nullable Term term = term(table, where);
        return term != null && terms.add(term);
    }

    private static Plan.@Nullable Term term(Table table, Expression where) {
        if (where instanceof ComparisonOperator comparison) {
            Expression left = comparison.getLeftExpression();
            boolean isTurned = !(left instanceof Column);
            Expression right = isTurned ? left : comparison.getRightExpression();
            int column = column(table, isTurned ? comparison.getRightExpression() : left);
            Plan.Operand value = operand(right);
            if (column < 0) {
                return null;
            }
            return switch (comparison.getStringExpression()) {
                case "=" -> new Plan.Term(column, List.of(value), null, false, null, false);
                case "<", "<=" ->
                    range(
                            column,
                            value,
                            isTurned,
                            comparison.getStringExpression().equals("<"));
                case ">", ">=" ->
                    range(
                            column,
                            value,
                            !isTurned,
                            comparison.getStringExpression().equals(">"));
                default -> null;
            };
        }
        if (where instanceof Between between) {
            int column = column(table, between.getLeftExpression());
            return column < 0 || between.isNot() || between.isUsingSymmetric()
                    ? null
                    : new Plan.Term(
                            column,
                            null,
                            operand(between.getBetweenExpressionStart()),
                            false,
                            operand(between.getBetweenExpressionEnd()),
                            false);
        }
        if (where instanceof InExpression in && in.getRightExpression() instanceof ExpressionList<?> values) {
            int column = column(table, in.getLeftExpression());
            List<Plan.Operand> operands = new ArrayList<>();
            values.forEach(each -> operands.add(operand(each)));
            return column < 0 || in.isNot() ? null : new Plan.Term(column, operands, null, false, null, false);
        }
        if (where instanceof IsNullExpression isNull && !isNull.isNot() && !isNull.isUseNotNull()) {
            int column = column(table, isNull.getLeftExpression());
            return column < 0
                    ? null
                    : new Plan.Term(column, List.of(new Plan.Literal(Plan.IS_NULL)), null, false, null, false);
        }
        return null;
    }

    private static Plan.Term range(int column, Plan.Operand value, boolean isLo, boolean isStrict) {
        return isLo
                ? new Plan.Term(column, null, value, isStrict, null, false)
                : new Plan.Term(column, null, null, false, value, isStrict);
    }

    private static int column(Table table, Expression expression) {
        return expression instanceof Column column ? table.column(column.getColumnName()) : -1;
    }

    private static Plan.Operand operand(Expression expression) {
        if (expression instanceof JdbcParameter parameter) {
            return new Plan.Parameter(parameter.getIndex() - 1);
        } else if (expression instanceof ParenthesedExpressionList<?> list && list.size() == 1) {
            return operand(list.get(0));
        } else if (expression instanceof NullValue) {
            return new Plan.Literal(null);
        } else if (expression instanceof LongValue number) {
            return new Plan.Literal(number.getBigIntegerValue());
        } else if (expression instanceof BooleanValue bool) {
            return new Plan.Literal(bool.getValue());
        } else if (expression instanceof DoubleValue number && number.toString().matches("\\d*\\.\\d+")) {
            return new Plan.Literal(new BigDecimal(number.toString()));
        } else if (expression instanceof SignedExpression signed
                && operand(signed.getExpression()) instanceof Plan.Literal literal
                && signed.getSign() == '-') {
            BigDecimal number = Values.number(literal.value());
            return number == null ? new Plan.Expression() : new Plan.Literal(number.negate());
        } else if (expression instanceof StringValue text
                && (text.getPrefix() == null || text.getPrefix().isEmpty())
                && text.toString().startsWith("'")
                && text.getValue().indexOf('\\') < 0) {
            return new Plan.Literal(text.getNotExcapedValue());
        }
        return new Plan.Expression();
    }

    private static boolean isEmpty(@Nullable List<?> list) {
        return list == null || list.isEmpty();
    }
}
