package org.polygraph.jobs.decision;

import java.util.function.BooleanSupplier;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.graph.RealTime;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.solver.Outcome;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.table.HistoryTable;

/**
 * Decides SER, SSER, SI and SSI for a history of a few operations, in tens of microseconds: rules, then the solver,
 * without strategies, phases, proof or replay.
 */
public final class SubHistoryDecision {
    /** The operations that index and rules process in the time in which the solver calls the budget once. */
    private static final int OPERATIONS_PER_LOOK = 64;
    /** The cells of clocks that are computed in this time. */
    private static final int CELLS_PER_LOOK = 4_096;

    private static final long SOLVER_BYTES = 256L << 20;

    private static final Tuning TUNING = Tuning.DEFAULT.withWorkers(1);

    private SubHistoryDecision() {}

    /** Charges a budget for a decision except for the solver, which checks the budget itself. */
    public static void charge(Budget budget, HistoryTable table, IsolationLevel level) {
        long cells = (long) level.eventsPerTransaction() * table.transactions() * table.sessions();
        budget.charge(1 + table.operations() / OPERATIONS_PER_LOOK + cells / CELLS_PER_LOOK);
    }

    /** Whether the history violates the level of the request; false if the budget ends before that is known. */
    public static boolean violates(HistoryTable table, CheckRequest request, Budget budget) {
        IndexedHistory history = IndexedHistory.of(table, request.indexing());
        if (!history.violations().isEmpty()) {
            return true;
        }
        BooleanSupplier stop = budget::exhausted;
        Events events = new Events(request.level().eventsPerTransaction(), table.sessionStarts(), history.sessionOf());
        KnownGraph graph = KnownGraph.of(events, history.versions());
        RealTime time = request.level().realTime()
                ? RealTime.of(table, history.commitStatus(), request.clockSkewNanos())
                : null;
        if (time != null) {
            graph.bind(time);
        }
        try {
            PruneLoop loop = PruneLoop.ofSmall(history, graph, TUNING, stop);
            loop.run(Long.MAX_VALUE);
            return loop.isRefuted()
                    || (!loop.core().isEmpty()
                            && CoreSolving.attempt(
                                                    loop.problem(),
                                                    budget,
                                                    TUNING.solver(),
                                                    Math.min(SOLVER_BYTES, budget.bytes() / 4))
                                            .outcome()
                                    instanceof Outcome.Unsatisfiable);
        } catch (BudgetException e) {
            if (!budget.exhausted()) {
                throw e;
            }
            return false;
        }
    }
}
