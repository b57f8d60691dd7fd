package org.polygraph.jobs.jdbc;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.record.HistoryRecorder;

/** The transactions of a connection. Calls of the recorder that fail stop it, and change nothing for the application. */
final class Session {
    /** SQL states of an error that has changed nothing: data, constraints, rolled back, syntax and rights. */
    private static final List<String> HARMLESS = List.of("21", "22", "23", "40", "42", "44");

    final JdbcHistory history;
    private final Connection raw;
    private final HistoryRecorder.Session session;
    private boolean autoCommit;
    /** Whether a statement has begun the transaction. */
    private boolean isBegun;

    /** None where it is not known. */
    private int isolation;

    private @Nullable RecordedTransaction current;
    /** At autocommit: a write whose rows were not all shown yet. */
    private @Nullable Execution waiting;

    Session(Connection raw, JdbcHistory history) throws SQLException {
        this.raw = raw;
        this.history = history;
        session = history.recorder.connection();
        autoCommit = raw.getAutoCommit();
        // The questions would begin a transaction.
        isolation = autoCommit ? raw.getTransactionIsolation() : Connection.TRANSACTION_NONE;
        if (autoCommit && !history.catalog().isOf(raw)) {
            throw new SQLException("a connection has another schema than the first one");
        }
    }

    /** An execution of a statement, once or for each element of a batch. */
    final class Execution {
        private final String sql;
        private final Plan plan;
        private final List<Effect> effects = new ArrayList<>();
        /** By effect: its step and its count, where a result is to show what it writes. */
        private final Map<Effect, Step> steps = new LinkedHashMap<>();

        private final Map<Effect, Long> counts = new HashMap<>();
        private final List<List<@Nullable Object>> parameters;
        /** By element of a batch: without autocommit the same. */
        private final List<RecordedTransaction> transactions = new ArrayList<>();

        boolean isRead() {
            return plan instanceof Plan.Read;
        }

        private Execution(String sql, Plan plan, List<List<@Nullable Object>> parameters) {
            this.sql = sql;
            this.plan = plan;
            this.parameters = parameters;
        }

        boolean isOpen() {
            return effects.stream().anyMatch(Effect::isOpen);
        }

        /** A row, which is of the first write of which not all rows were shown. */
        void show(@Nullable Object[] values) {
            for (Effect effect : List.copyOf(steps.keySet())) {
                if (effect.isOpen()) {
                    effect.show(values);
                    if (effect.isShown(counts.getOrDefault(effect, -1L))) {
                        shown(effect);
                    }
                    return;
                }
            }
        }

        private void shown(Effect effect) {
            Step step = Objects.requireNonNull(steps.remove(effect));
            transactions.get(effects.indexOf(effect)).shown(step, effect.shown());
        }

        /** There are no more rows. */
        void end() {
            for (Effect effect : List.copyOf(steps.keySet())) {
                if (effect.isOpen() && counts.getOrDefault(effect, -1L) < 0 && effects.size() == 1) {
                    shown(effect);
                }
            }
            giveUp();
        }

        void giveUp() {
            effects.stream().filter(Effect::isOpen).forEach(Effect::giveUp);
        }
    }

    interface Call {
        void run() throws SQLException;
    }

    /** Runs a part of the recorder. */
    synchronized void guard(Call call) {
        if (history.isStopped()) {
            return;
        }
        try {
            call.run();
        } catch (SQLException | RuntimeException e) {
            history.stop("recording ends", e);
            RecordedTransaction open = current;
            current = null;
            if (open != null) {
                try {
                    open.unknown();
                } catch (RuntimeException again) {
                    // The history is closed: there is nothing to record any more.
                }
            }
        }
    }

    /** Before a statement is sent. @param parameters of each execution */
    @Nullable
    Execution before(String sql, List<List<@Nullable Object>> parameters, boolean isBatch, boolean hasKeys) {
        Execution[] begun = new Execution[1];
        guard(() -> begun[0] = begin(sql, parameters, isBatch, hasKeys));
        return begun[0];
    }

    private Execution begin(String sql, List<List<@Nullable Object>> parameters, boolean isBatch, boolean hasKeys)
            throws SQLException {
        Plan plan = history.plan(sql, raw);
        Execution execution = new Execution(sql, plan, parameters);
        if (plan instanceof Plan.Control) {
            return execution;
        }
        endWaiting();
        RecordedTransaction open = current;
        if (open != null && open.mayHaveEnded) {
            open.unknown();
            current = null;
        } else if (open != null && autoCommit) {
            open.commit();
            current = null;
        }
        // Each element of a batch is a transaction of its own then, and each needs a start before the batch is sent.
        boolean isEachOwn = autoCommit && isBatch;
        for (int i = 0; i < parameters.size(); i++) {
            if (isEachOwn) {
                execution.transactions.add(new RecordedTransaction(history.recorder.connection()));
            } else {
                current = current == null ? new RecordedTransaction(session) : current;
                execution.transactions.add(current);
            }
        }
        if (plan instanceof Plan.Unrecorded unrecorded) {
            if (unrecorded.table() == null) {
                history.catalog().changed();
                // A procedure, or several statements, may end the transaction.
                execution.transactions.forEach(each -> each.mayHaveEnded = true);
            } else {
                unrecorded.table().mark();
            }
            execution.transactions.forEach(RecordedTransaction::addUnrecorded);
        } else if (plan instanceof Plan.Definition definition) {
            define(definition);
            // It may commit what was before, or be part of the transaction.
            execution.transactions.forEach(RecordedTransaction::unknown);
            current = null;
        }
        Plan.Write write = Plan.write(plan);
        for (int i = 0; write != null && i < parameters.size(); i++) {
            boolean isResult = plan instanceof Plan.Returning;
            Effect.Situation now = situation(execution.transactions.get(i), isBatch, isResult || hasKeys, isResult);
            execution.effects.add(Effect.of(write, parameters.get(i), now));
        }
        return execution;
    }

    private void define(Plan.Definition definition) throws SQLException {
        String name = definition.created();
        if (definition.changed() == null) {
            history.catalog().changed();
        } else {
            for (String each : definition.changed()) {
                history.catalog().changed(each);
            }
        }
        if (name != null && !history.catalog().exists(name, raw)) {
            history.catalog().created(name);
        }
    }

    private boolean looksInLatestState() {
        return history.catalog().looksInLatestState()
                && isolation != Connection.TRANSACTION_READ_COMMITTED
                && isolation != Connection.TRANSACTION_SERIALIZABLE;
    }

    private Effect.Situation situation(
            RecordedTransaction transaction, boolean isBatch, boolean showsRows, boolean isResult) {
        return new Effect.Situation(
                history.values,
                history.options.readBack() && !autoCommit && !isBatch,
                showsRows,
                isResult,
                autoCommit,
                transaction.isCommitted,
                looksInLatestState(),
                history.catalog().looksInLatestState(),
                isolation);
    }

    /** After a statement has changed rows. @param counts of each execution; negative if it is not known */
    void after(@Nullable Execution execution, long[] counts) {
        if (execution != null) {
            guard(() -> executed(execution, counts));
        }
    }

    private void executed(Execution execution, long[] counts) throws SQLException {
        String shape = history.shapes.of(execution.sql);
        if (execution.plan instanceof Plan.Control control) {
            control(control);
            return;
        }
        if (execution.plan instanceof Plan.Definition) {
            history.forgetPlans();
        } else if (execution.plan instanceof Plan.Unrecorded unrecorded) {
            history.shapes.add(shape, unrecorded.reason());
        } else if (execution.plan instanceof Plan.Ignored ignored) {
            history.shapes.add(shape, ignored.reason());
        }
        ended(execution, counts, true);
    }

    /** @param isHarmless whether an execution that failed has changed nothing */
    private void ended(Execution execution, long[] counts, boolean isHarmless) throws SQLException {
        for (int i = 0; i < execution.effects.size(); i++) {
            ended(execution, i, i < counts.length ? counts[i] : Statement.EXECUTE_FAILED, isHarmless);
        }
        if (autoCommit && execution.isOpen()) {
            waiting = execution;
        } else if (autoCommit) {
            end(execution);
        }
    }

    private void ended(Execution execution, int index, long count, boolean isHarmless) throws SQLException {
        Effect effect = execution.effects.get(index);
        RecordedTransaction transaction = execution.transactions.get(index);
        boolean hasFailed = count == Statement.EXECUTE_FAILED;
        if (hasFailed && (isHarmless || !autoCommit && !effect.isOpen())) {
            effect.close();
            return;
        }
        String shape = history.shapes.of(execution.sql);
        Step step = new Step(shape);
        step.isWrite = true;
        boolean mayHaveChanged = hasFailed || count == Statement.SUCCESS_NO_INFO && !effect.isCertain();
        if (count != 0 && effect.needsReadBack()) {
            effect.readBack(raw, !looksInLatestState());
        }
        if (effect.isOpen() && count != 0) {
            step.open = effect;
            effect.counted = outcome -> history.shapes.add(shape, outcome);
            if (!hasFailed) {
                execution.steps.put(effect, step);
                execution.counts.put(effect, count);
            }
        } else {
            effect.close();
            step.operations.addAll(effect.after(autoCommit && mayHaveChanged ? -1 : count));
            history.shapes.add(shape, effect.unrecorded == null ? Shapes.RECORDED : effect.unrecorded);
        }
        transaction.add(step);
        if (autoCommit && mayHaveChanged) {
            transaction.unknown();
        }
    }

    private void end(Execution execution) {
        execution.transactions.forEach(RecordedTransaction::commit);
        waiting = null;
        current = null;
    }

    private void endWaiting() {
        Execution unfinished = waiting;
        if (unfinished != null) {
            end(unfinished);
        }
    }

    /** The rows of a write were shown: at autocommit its transaction has ended. */
    void endIfShown(Execution execution) {
        if (waiting == execution && !execution.isOpen()) {
            end(execution);
        }
    }

    /**
     * What takes the rows that a write has changed, from its result or its generated keys; null if nothing does.
     *
     * @param isWhole whether no limit of the statement leaves out rows
     */
    @Nullable
    Fetched shown(@Nullable Execution execution, ResultSet rows, boolean isWhole) {
        Fetched[] shown = new Fetched[1];
        if (execution != null && execution.isOpen() && isWhole) {
            guard(() -> {
                Plan.Write write = Objects.requireNonNull(Plan.write(execution.plan));
                int[] columns = execution.plan instanceof Plan.Returning returning
                        ? returning.columns()
                        : Shown.columns(write, rows.getMetaData());
                shown[0] = new Shown(this, execution, write.table(), columns);
            });
        }
        return shown[0];
    }

    /** The columns to ask for as generated keys, where the statement does not show the rows that it writes; or null. */
    String @Nullable [] asks(String sql) {
        String[][] asked = new String[1][];
        guard(() -> asked[0] = history.options.readBack() ? history.catalog().asks(history.plan(sql, raw)) : null);
        return asked[0];
    }

    /** After a query. @return what takes its rows, or null if they are not recorded */
    @Nullable
    Fetched query(@Nullable Execution execution, boolean isWhole) {
        Fetched[] rows = new Fetched[1];
        if (execution != null) {
            guard(() -> {
                if (execution.plan instanceof Plan.Read read) {
                    RecordedTransaction open = execution.transactions.get(0);
                    String shape = history.shapes.of(execution.sql);
                    Step step = new Step(shape);
                    open.add(step);
                    Effect.Situation now = situation(open, false, false, false);
                    Rows taken = new Rows(read, execution.parameters.get(0), now, open, step, isWhole);
                    history.shapes.add(
                            shape,
                            taken.areRecorded() ? Shapes.RECORDED : "a lock in the latest state, or read uncommitted");
                    rows[0] = taken.areRecorded() ? taken : null;
                } else {
                    executed(execution, new long[] {-1});
                }
            });
        }
        return rows[0];
    }

    /** A statement has failed. @param counts of the elements of a batch */
    void failed(@Nullable Execution execution, SQLException failure, long[] counts) {
        if (execution == null) {
            return;
        }
        guard(() -> {
            String state = String.valueOf(failure.getSQLState());
            boolean isHarmless = HARMLESS.stream().anyMatch(state::startsWith) && !state.equals("40003");
            if (!(execution.plan instanceof Plan.Control)) {
                ended(execution, counts, isHarmless);
            }
            if (!autoCommit && current != null) {
                // PostgreSQL commits nothing after an error, others only after some.
                current.mayHaveEnded |= !isHarmless
                        || state.startsWith("40")
                        || history.catalog().product.equals("PostgreSQL");
            }
        });
    }

    /** The rows of a query have been fetched, or are given up. */
    void ended(Fetched rows) {
        guard(() -> {
            if (autoCommit && current != null && rows.transaction() == current) {
                current.commit();
                current = null;
            }
        });
    }

    private void control(Plan.Control control) throws SQLException {
        switch (control.word()) {
            case "commit", "end":
                committed();
                break;
            case "savepoint":
                savepoint(control.name());
                break;
            case "rollback":
                if (control.name().isEmpty()) {
                    rolledBack();
                } else {
                    rolledBackTo(control.name());
                }
                break;
            case "begin", "start":
                // Until its end, the connection commits no statement by itself.
                autoCommit = false;
                isBegun = true;
                isolation = Connection.TRANSACTION_NONE;
                break;
            case "set":
                isolation = control.name().isEmpty()
                        ? Connection.TRANSACTION_NONE
                        : Connection.TRANSACTION_READ_UNCOMMITTED;
                break;
            case "release":
                if (current != null) {
                    current.release(control.name());
                }
                break;
            default:
                break;
        }
    }

    void committed() throws SQLException {
        RecordedTransaction open = current;
        current = null;
        autoCommit = raw.getAutoCommit();
        isBegun = false;
        if (open != null && open.mayHaveEnded) {
            open.unknown();
        } else if (open != null) {
            open.commit();
        }
    }

    void commitFailed(SQLException failure) {
        guard(() -> {
            RecordedTransaction open = current;
            current = null;
            String state = String.valueOf(failure.getSQLState());
            if (open != null && state.startsWith("40") && !state.equals("40003")) {
                open.abort();
            } else if (open != null) {
                open.unknown();
            }
        });
    }

    void rolledBack() throws SQLException {
        RecordedTransaction open = current;
        current = null;
        autoCommit = raw.getAutoCommit();
        isBegun = false;
        if (open != null) {
            open.abort();
        }
    }

    void savepoint(Object name) {
        if (current == null) {
            current = new RecordedTransaction(session);
        }
        current.savepoint(name instanceof String text ? text.toLowerCase(Locale.ROOT) : name);
    }

    void rolledBackTo(Object name) {
        RecordedTransaction open = current;
        if (open != null && !open.rollbackTo(name)) {
            open.unknown();
            current = null;
        } else if (open != null) {
            open.mayHaveEnded = false;
        }
    }

    void autoCommit(boolean on) throws SQLException {
        if (on != autoCommit && !isBegun) {
            endWaiting();
            committed();
            autoCommit = on;
        }
    }

    void isolation(int level) {
        isolation = level;
    }

    /** The application can do with the connection what the driver does not see. */
    void leave() {
        guard(() -> history.catalog().changed());
    }

    /** The connection was closed: what has not been committed has an unknown outcome. */
    void close() {
        guard(() -> {
            endWaiting();
            RecordedTransaction open = current;
            current = null;
            if (open != null && autoCommit) {
                open.commit();
            } else if (open != null) {
                open.unknown();
            }
        });
    }
}
