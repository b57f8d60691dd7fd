package org.polygraph.jobs.decision;

import java.util.function.BooleanSupplier;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.graph.RealTime;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.subhistory.PartJudge;
import org.polygraph.solver.Outcome;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.table.HistoryTable;

/**
 * The embedded engine's decision of a small history, without anything around it: some tens of microseconds. Refutations are
 * not traced: the verdict stands already.
 *
 * <p>What it takes is counted as looks at its budget, the same on every machine: all of it is one thread's, the solver looks every
 * few microseconds, and what comes before the solver, which looks once a stage, is charged by size.
 */
final class PartChecker implements PartJudge {
    /** What the solver may take, for a part of a few operations. */
    private static final long SOLVER_BYTES = 256L << 20;

    /** So many operations through index and rules, or cells of the clocks, take as long as the solver between two looks. */
    private static final int OPERATIONS_A_LOOK = 64;

    private static final int CELLS_A_LOOK = 4_096;

    private static final Tuning TUNING = Tuning.DEFAULT.withCores(1);

    private final CheckRequest request;
    private final Budget budget;

    PartChecker(CheckRequest request, Budget budget) {
        this.request = request;
        this.budget = budget;
    }

    /** Looks that a judgement of a history costs before anything is searched. */
    static long looks(HistoryTable part, IsolationLevel level) {
        long cells = (long) level.eventsPerTransaction() * part.transactions() * part.sessions();
        return 1 + part.operations() / OPERATIONS_A_LOOK + cells / CELLS_A_LOOK;
    }

    @Override
    public double spent() {
        return budget.spent();
    }

    @Override
    public boolean violates(HistoryTable part) {
        budget.charge(looks(part, request.level()));
        if (request.level().isAxiom()) {
            return WeakLevelDecision.violates(part, request, budget);
        }
        IndexedHistory history = IndexedHistory.of(part, request.indexing());
        if (!history.violations().isEmpty()) {
            return true;
        }
        BooleanSupplier stop = budget::exhausted;
        Events events = new Events(request.level().eventsPerTransaction(), part.sessionStarts(), history.sessionOf());
        KnownGraph graph = KnownGraph.of(events, history.versions());
        RealTime time =
                request.level().realTime() ? RealTime.of(part, history.commitStatus(), request.clockSkewNanos()) : null;
        if (time != null) {
            graph.bind(time);
        }
        try (PruneLoop loop = new PruneLoop(
                history,
                graph,
                new PhaseClock(Progress.NONE, 0),
                stop,
                new InMemoryKernels(part, false, stop),
                TUNING,
                PruneLoop.Listener.NONE)) {
            loop.run(Long.MAX_VALUE);
            return loop.isRefuted()
                    || (!loop.core().isEmpty()
                            && CoreSolving.attempt(loop.problem(), budget, TUNING.solver(), SOLVER_BYTES)
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
