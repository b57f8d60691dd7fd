package org.polygraph.jobs.decision;

import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.jobs.verdict.ResidualSize;
import org.polygraph.partitioner.index.CommitStatus;
import org.polygraph.storage.table.HistoryTable;

/**
 * The context of one check: the history, the request, the budget, and the facts found so far that the verdict states.
 * Used once, by one thread, except for {@link #refuted}, which any thread may call.
 */
public final class Check {
    /** The history with inserts and deletes, also at RC, RA and CC. */
    private final HistoryTable withRows;

    private final HistoryTable table;
    private final CheckRequest request;
    private final Budget budget;
    private final PhaseClock phases;
    private final DecisionCheckpoints checkpoints;
    private ResidualSize residual = ResidualSize.NONE;
    private boolean hasUniqueValues = true;
    private volatile Finding.@Nullable Refuted refuted;

    /**
     * Starts no phase yet.
     *
     * @param checkpoints of this history and request alone
     */
    public Check(HistoryTable table, CheckRequest request, Progress progress, Budget budget, Checkpoints checkpoints) {
        this(table, request, budget, checkpoints, new PhaseClock(progress, table.operations()));
    }

    private Check(HistoryTable table, CheckRequest request, Budget budget, Checkpoints checkpoints, PhaseClock phases) {
        this.table = request.judged(table);
        this.withRows = table.hasRows() ? request.withSessions(table).withoutRefusals() : this.table;
        this.request = request;
        this.budget = budget;
        this.phases = phases;
        this.checkpoints = new DecisionCheckpoints(checkpoints, this.table, request, phases);
    }

    /** Creates the context of a check without listener and checkpoints. */
    public Check(HistoryTable table, CheckRequest request, Budget budget) {
        this(table, request, Progress.NONE, budget, Checkpoints.NONE);
    }

    /** Returns the context of another check for the same verdict. Its phases are added to those of this check. */
    public Check beside(HistoryTable other, CheckRequest request, Budget budget) {
        return new Check(other, request, budget, Checkpoints.NONE, phases);
    }

    /**
     * The history with inserts and deletes, which RC, RA and CC judge as other writes; operations have the same
     * numbers.
     */
    public HistoryTable withRows() {
        return withRows;
    }

    /** The operations that the level judges. */
    public HistoryTable table() {
        return table;
    }

    public CheckRequest request() {
        return request;
    }

    public Budget budget() {
        return budget;
    }

    public PhaseClock phases() {
        return phases;
    }

    public DecisionCheckpoints checkpoints() {
        return checkpoints;
    }

    /**
     * Returns an order in the form that its replay takes.
     *
     * @param committed by transaction: whether the solver took it as committed although its outcome is unknown; null:
     *     none
     */
    public Witness witness(CommitStatus status, boolean @Nullable [] committed, int[] position) {
        boolean[] counted = new FoundOrder(position, committed, ResidualSize.NONE).counted(status);
        return new Witness(table, request.terms(), counted, position);
    }

    /**
     * Records that the history violates the level, with the evidence that is known so far.
     */
    public void refuted(Finding.Refuted found) {
        refuted = found;
    }

    /** Returns the refutation, if the history is known to violate the level; null otherwise. */
    public Finding.@Nullable Refuted refutation() {
        return refuted;
    }

    /** Whether the written values of every key are unique; true until {@link #uniqueValues(boolean)} is called. */
    public boolean hasUniqueValues() {
        return hasUniqueValues;
    }

    public void uniqueValues(boolean areUnique) {
        hasUniqueValues = areUnique;
    }

    /**
     * The size of the problem that the solver had to decide; {@link ResidualSize#NONE} until {@link
     * #residual(ResidualSize)} is called.
     */
    public ResidualSize residual() {
        return residual;
    }

    public void residual(ResidualSize size) {
        residual = size;
    }
}
