package org.polygraph.jobs.decision;

import it.unimi.dsi.fastutil.ints.IntOpenHashSet;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
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
 * @param named if there is none: transactions that the refutation names
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record SmallDecision(int @Nullable [] position, boolean[] counted, int[] named) {
    private static final Tuning TUNING = Tuning.DEFAULT.withWorkers(1);

    static final long NO_REAL_TIME = -1;

    private static final int NO_MORE = -2;

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
            return refuted(history.violations().get(0).transactions(), new int[0]);
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
            int[] cycle = cycle(graph);
            return cycle.length == 0
                    ? refuted(loop.violations().get(0).transactions(), cycle)
                    : refuted(List.of(), transactions(graph, cycle));
        }
        if (loop.core().isEmpty()) {
            return new SmallDecision(loop.position(), counted(history, null), new int[0]);
        }
        ResidualProblem problem = loop.problem();
        CoreSolving.Solved solved = CoreSolving.attempt(problem, budget, TUNING.solver(), budget.bytes());
        SmallDecision decided = decided(history, graph, solved, stop);
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
        int[] position = NearOrder.of(graph, ranks);
        if (position == null) {
            return null;
        }
        graph.indexPredecessors();
        HistoryTable table = history.table();
        ResidualCore core =
                ResidualCore.of(graph, history.versions(), history.commitStatus(), position, budget::exhausted);
        if (core.isEmpty()) {
            return new SmallDecision(position, counted(history, null), new int[0]);
        }
        if (core.violated() > FEW + table.transactions() / MOST_VIOLATED) {
            return null;
        }
        ResidualProblem problem = new ResidualProblem(history, graph, null, position, core);
        Budget share = budget.ofLooks(LOOKS + core.violated() + table.transactions() / 5);
        return decided(
                history,
                graph,
                CoreSolving.attempt(problem, share, TUNING.solver(), budget.bytes()),
                budget::exhausted);
    }

    /** The result of the solver; null if it was stopped. */
    private static @Nullable SmallDecision decided(
            IndexedHistory history, KnownGraph graph, CoreSolving.Solved solved, BooleanSupplier stop) {
        if (solved.outcome() instanceof Outcome.Satisfiable found) {
            return new SmallDecision(solved.position(found), counted(history, solved.committed(found)), new int[0]);
        }
        if (solved.outcome() instanceof Outcome.Unsatisfiable none) {
            return refuted(
                    CoreSolving.explain(history, graph, none.core(), stop)
                            .violation()
                            .transactions(),
                    transactions(graph, none.core().cycle()));
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

    /** The transactions of events of the history; the solver has others besides. */
    private static int[] transactions(KnownGraph graph, int[] events) {
        return Arrays.stream(events)
                .filter(event -> event < graph.events().count())
                .map(graph.events()::transaction)
                .toArray();
    }

    private static SmallDecision refuted(List<Integer> transactions, int[] cycle) {
        IntOpenHashSet named = new IntOpenHashSet(cycle);
        named.addAll(transactions);
        int[] ids = named.toIntArray();
        Arrays.sort(ids);
        return new SmallDecision(null, new boolean[0], ids);
    }

    /** The ends of the edges of a cycle that are not session order; empty if the graph has no cycle. */
    private static int[] cycle(KnownGraph graph) {
        graph.indexPredecessors();
        Events events = graph.events();
        int n = events.count();
        int[] next = new int[n];
        // By event: 1 on the current path, 2 if it is known to be on no cycle.
        byte[] state = new byte[n];
        int[] path = new int[n];
        for (int root = 0; root < n; root++) {
            int depth = 0;
            int v = state[root] == 0 ? root : -1;
            while (v >= 0 || depth > 0) {
                if (v >= 0) {
                    path[depth++] = v;
                    state[v] = 1;
                }
                int top = path[depth - 1];
                int p = predecessor(graph, top, next[top]++);
                if (p == NO_MORE) {
                    state[top] = 2;
                    depth--;
                    v = -1;
                } else if (p >= 0 && state[p] == 1) {
                    return ends(events, path, depth, p);
                } else {
                    v = p >= 0 && state[p] == 0 ? p : -1;
                }
            }
        }
        return new int[0];
    }

    /**
     * Predecessor i of an event, that of its session last; -1 if it is the first of its session, then {@link #NO_MORE}.
     */
    private static int predecessor(KnownGraph graph, int event, int i) {
        int from = graph.predecessorStarts()[event];
        int count = graph.predecessorStarts()[event + 1] - from;
        if (i < count) {
            return graph.from(graph.predecessorEdges()[from + i]);
        }
        boolean first = event == graph.events().chainStart(graph.events().chain(event));
        return i > count ? NO_MORE : first ? -1 : event - 1;
    }

    private static int[] ends(Events events, int[] path, int depth, int last) {
        IntOpenHashSet ends = new IntOpenHashSet();
        for (int i = depth - 1, to = last; ; i--) {
            int from = path[i];
            if (events.chain(from) != events.chain(to)) {
                ends.add(from);
                ends.add(to);
            }
            if (from == last) {
                return ends.toIntArray();
            }
            to = from;
        }
    }
}
