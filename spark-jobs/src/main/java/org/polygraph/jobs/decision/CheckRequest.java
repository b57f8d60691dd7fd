package org.polygraph.jobs.decision;

import org.polygraph.jobs.certificate.format.Guarantee;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.jobs.verdict.Assumptions;
import org.polygraph.jobs.verdict.LoadedRows;
import org.polygraph.jobs.verdict.SessionOrder;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.VersionUse;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.analysis.InitialChoice;
import org.polygraph.storage.analysis.Loaders;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.ListReduction;
import org.polygraph.storage.table.RecordedSelection;
import org.polygraph.storage.table.RecordedTimes;
import org.polygraph.storage.table.UnknownRows;

/**
 * A request to decide one level. Budgets are not part of it: they may prevent an answer, but never change it.
 *
 * @param level with strict time, its form with real-time order: SSER for SER, SSI for SI
 * @param time strict for levels that real-time order is part of
 * @param clockSkewNanos bound on the difference between any two clients' clocks; not negative
 * @param initial how loaders of initial rows were found; histories to decide have them as part of the initial
 *     transaction
 * @param sessionOrder whether session order is part of the level
 * @param versions what becomes of versions that the database gave
 * @param replayed whether an order is replayed before it is a PASS; this is {@code verified} of the certificate
 * @param mostViolations the number of violations that are reported at most, 1 or more
 */
public record CheckRequest(
        IsolationLevel level,
        TimeMode time,
        long clockSkewNanos,
        IndeterminateMode indeterminate,
        InitialChoice initial,
        SessionOrder sessionOrder,
        VersionUse versions,
        boolean replayed,
        int mostViolations) {
    /** The default of {@link #mostViolations}. */
    public static final int DEFAULT_VIOLATIONS = 10;

    public CheckRequest {
        if (mostViolations < 1) {
            throw new IllegalArgumentException(mostViolations + " violations");
        }
        if (clockSkewNanos < 0) {
            throw new IllegalArgumentException("clock skew " + clockSkewNanos + " ns");
        }
        level = time == TimeMode.STRICT ? level.strict() : level;
        time = level.realTime() ? TimeMode.STRICT : time;
    }

    /** Creates a request with session order. */
    public CheckRequest(
            IsolationLevel level,
            TimeMode time,
            long clockSkewNanos,
            IndeterminateMode indeterminate,
            InitialChoice initial,
            boolean replayed,
            int mostViolations) {
        this(
                level,
                time,
                clockSkewNanos,
                indeterminate,
                initial,
                SessionOrder.YES,
                VersionUse.USE,
                replayed,
                mostViolations);
    }

    /** Creates a request without loaders. */
    public CheckRequest(
            IsolationLevel level,
            TimeMode time,
            long clockSkewNanos,
            IndeterminateMode indeterminate,
            boolean replayed,
            int mostViolations) {
        this(level, time, clockSkewNanos, indeterminate, InitialChoice.IMPLICIT, replayed, mostViolations);
    }

    /** Creates a request without loaders, with replay, and with at most {@link #DEFAULT_VIOLATIONS} violations. */
    public CheckRequest(IsolationLevel level, TimeMode time, long clockSkewNanos, IndeterminateMode indeterminate) {
        this(level, time, clockSkewNanos, indeterminate, true, DEFAULT_VIOLATIONS);
    }

    /** Returns what an order must fulfil for a PASS. */
    public Terms terms() {
        Guarantee guarantee =
                Guarantee.of(level.label(), time == TimeMode.STRICT).orElseThrow();
        return new Terms(guarantee, clockSkewNanos, indeterminate);
    }

    /** Creates a request without timestamps, in which unknown outcomes are committed if observed. */
    public static CheckRequest of(IsolationLevel level) {
        return new CheckRequest(level, TimeMode.NONE, 0, IndeterminateMode.MAYBE);
    }

    /** Creates the request that {@code polygraph check} makes by default. */
    public static CheckRequest byDefault(IsolationLevel level) {
        return new CheckRequest(
                level, TimeMode.HINT, 0, IndeterminateMode.MAYBE, InitialChoice.AUTO, true, DEFAULT_VIOLATIONS);
    }

    /** Returns the loaders of a history, for {@link Loaders#applied}. */
    public Loaders loaders(HistoryTable table) throws HistoryException {
        return Loaders.of(table, initial, time != TimeMode.NONE, clockSkewNanos);
    }

    /** Returns the same request for another level. */
    public CheckRequest at(IsolationLevel other) {
        return new CheckRequest(
                other, time, clockSkewNanos, indeterminate, initial, sessionOrder, versions, replayed, mostViolations);
    }

    /** Returns the same request, in which loaders are ordinary transactions. */
    public CheckRequest withoutLoaders() {
        return with(InitialChoice.IMPLICIT, sessionOrder);
    }

    /** Returns the same request, in which session order is no part of the level. */
    public CheckRequest withoutSessionOrder() {
        return with(initial, SessionOrder.NONE);
    }

    private CheckRequest with(InitialChoice loaders, SessionOrder sessions) {
        return new CheckRequest(
                level, time, clockSkewNanos, indeterminate, loaders, sessions, versions, replayed, mostViolations);
    }

    /** Returns the history with the sessions that the level judges. */
    public HistoryTable withSessions(HistoryTable table) {
        boolean isOrdered = sessionOrder == SessionOrder.YES && level != IsolationLevel.PL2;
        return isOrdered ? table : table.withoutSessionOrder();
    }

    /** Counts the times of the transactions that may count. */
    public RecordedTimes times(HistoryTable table) {
        return RecordedTimes.of(table, indeterminate == IndeterminateMode.MAYBE);
    }

    /** How transactions of unknown outcome are indexed. */
    public IndexedHistory.Indeterminate indexing() {
        return indeterminate == IndeterminateMode.MAYBE
                ? IndexedHistory.Indeterminate.MAYBE
                : IndexedHistory.Indeterminate.ABORT;
    }

    /**
     * Returns the operations of a history that the level judges. Only level lin judges refused compare-and-sets. RC, RA
     * and CC take inserts and deletes as other writes, and read lists element by element. The same table if there are
     * none of these.
     */
    public HistoryTable judged(HistoryTable table) {
        HistoryTable rows = UnknownRows.judged(table);
        HistoryTable plain = level == IsolationLevel.LIN ? rows : rows.withoutRefusals();
        if (level.isAxiom() && level != IsolationLevel.LIN) {
            // A reduction begins with the sessions that were recorded.
            return withSessions(ListReduction.ofCommits(plain)).withoutRows();
        }
        HistoryTable reduced = withSessions(ListReduction.of(plain));
        return level.eventsPerTransaction() == 1 && RecordedSelection.isOfWrites(table)
                ? reduced.withoutRows()
                : reduced;
    }

    /** Returns the assumptions of a verdict on this history. */
    public Assumptions assumptions(HistoryTable table, boolean uniqueValues) {
        ValueDictionary values = table.values();
        long code = table.initialValue();
        Object value =
                values.isNull(code) ? null : values.isInteger(code) ? (Object) values.integer(code) : values.text(code);
        return new Assumptions(
                value,
                uniqueValues,
                time,
                clockSkewNanos,
                indeterminate,
                LoadedRows.of(table, initial),
                sessionOrder,
                false,
                level.realTime() ? times(table).unbound() : 0,
                versions,
                null);
    }
}
