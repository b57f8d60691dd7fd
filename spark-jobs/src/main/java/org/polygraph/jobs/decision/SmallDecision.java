package org.polygraph.jobs.decision;

import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.closure.EventOrder;
import org.polygraph.partitioner.closure.TopologicalOrder;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.graph.RealTime;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.residual.ResidualCore;
import org.polygraph.solver.Outcome;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.table.HistoryTable;

/**
 * Decides SER or SI for a small history with known edges besides those of its sessions and reads: rules, then the
 * solver, without proof or replay.
 *
 * @param position of each event in an order that explains the history; null if there is none
 * @param counted if there is one: by transaction, whether it counts
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record SmallDecision(int @Nullable [] position, boolean[] counted) {
    private static final Tuning TUNING = Tuning.DEFAULT.withWorkers(1);

    static final long NO_REAL_TIME = -1;

    private static final SmallDecision REFUTED = new SmallDecision(null, new boolean[0]);

    /**
     * The order that is tried first is given up if it breaks reads of more than one transaction in this many, plus
     * {@link #FEW}.
     */
    private static final int MOST_VIOLATED = 16;

    private static final int FEW = 20;
    private static final long LOOKS = 2_000;

    /**
     * Decides a history.
     *
     * @param eventsPerTransaction 1: SER, 2: SI
     * @param skewNanos bound on the difference of two clocks, if real time is part of the level; {@link #NO_REAL_TIME}
     *     otherwise
     * @param ranks by event: its place in an order that is tried first
     * @throws BudgetException if the budget ends
     */
    static SmallDecision of(
            HistoryTable table,
            int eventsPerTransaction,
            Consumer<KnownGraph> edges,
            long skewNanos,
            int[] ranks,
            Budget budget) {
        BooleanSupplier stop = budget::exhausted;
        IndexedHistory history = IndexedHistory.of(table, IndexedHistory.Indeterminate.MAYBE, stop);
        if (!history.violations().isEmpty()) {
            return REFUTED;
        }
        KnownGraph graph = KnownGraph.of(
                new Events(eventsPerTransaction, table.sessionStarts(), history.sessionOf()), history.versions());
        edges.accept(graph);
        RealTime time = skewNanos == NO_REAL_TIME ? null : RealTime.of(table, history.commitStatus(), skewNanos);
        SmallDecision near = time == null ? near(history, graph, ranks, budget) : null;
        if (near != null) {
            return near;
        }
        if (time != null) {
            graph.bind(time);
        }
        PruneLoop loop = PruneLoop.ofSmall(history, graph, TUNING, stop);
        loop.run(budget.bytes());
        if (loop.isRefuted()) {
            return REFUTED;
        }
        if (loop.core().isEmpty()) {
            return new SmallDecision(loop.position(), counted(history, null));
        }
        ResidualProblem problem = loop.problem();
        CoreSolving.Solved solved = CoreSolving.attempt(problem, budget, TUNING.solver(), budget.bytes());
        SmallDecision decided = decided(history, solved);
        if (decided == null) {
            throw new BudgetException("solver: " + ((Outcome.Unknown) solved.outcome()).reason());
        }
        return decided;
    }

    /**
     * Lets the solver repair an order without real time, as {@link #of} does at first.
     *
     * @return null if that order breaks many reads, or repairs take long
     */
    static @Nullable SmallDecision near(
            HistoryTable table, int eventsPerTransaction, Consumer<KnownGraph> edges, int[] ranks, Budget budget) {
        IndexedHistory history = IndexedHistory.of(table, IndexedHistory.Indeterminate.MAYBE, budget::exhausted);
        if (!history.violations().isEmpty()) {
            return null;
        }
        KnownGraph graph = KnownGraph.of(
                new Events(eventsPerTransaction, table.sessionStarts(), history.sessionOf()), history.versions());
        edges.accept(graph);
        return near(history, graph, ranks, budget);
    }

    /**
     * Lets the solver repair an order, as far as edges allow, without rules.
     *
     * @return null if that order breaks many reads, or repairs take long
     */
    private static @Nullable SmallDecision near(IndexedHistory history, KnownGraph graph, int[] ranks, Budget budget) {
        graph.indexPredecessors();
        int[] sequence = TopologicalOrder.fair(graph);
        if (sequence == null) {
            return null;
        }
        int[] position = EventOrder.byWishes(graph, sequence, ranks.clone());
        HistoryTable table = history.table();
        ResidualCore core =
                ResidualCore.of(graph, history.versions(), history.commitStatus(), position, budget::exhausted);
        if (core.isEmpty()) {
            return new SmallDecision(position, counted(history, null));
        }
        if (core.violated() > FEW + table.transactions() / MOST_VIOLATED) {
            return null;
        }
        ResidualProblem problem = new ResidualProblem(history, graph, null, position, core);
        Budget share = budget.ofLooks(LOOKS + core.violated() + table.transactions() / 5);
        return decided(history, CoreSolving.attempt(problem, share, TUNING.solver(), budget.bytes()));
    }

    /** The result of the solver; null if it was stopped. */
    private static @Nullable SmallDecision decided(IndexedHistory history, CoreSolving.Solved solved) {
        if (solved.outcome() instanceof Outcome.Satisfiable found) {
            return new SmallDecision(solved.position(found), counted(history, solved.committed(found)));
        }
        if (solved.outcome() instanceof Outcome.Unsatisfiable) {
            return REFUTED;
        }
        return null;
    }

    private static boolean[] counted(IndexedHistory history, boolean @Nullable [] committed) {
        boolean[] counted = new boolean[history.table().transactions()];
        for (int t = 0; t < counted.length; t++) {
            counted[t] = history.commitStatus().isCounted(t) || (committed != null && committed[t]);
        }
        return counted;
    }
}
