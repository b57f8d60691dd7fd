package org.polygraph.partitioner.evidence;

import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.axiom.CommitOrder;
import org.polygraph.partitioner.closure.Closure;
import org.polygraph.partitioner.closure.WorkerThreads;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.graph.RealTime;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.partitioner.prune.Saturation;
import org.polygraph.storage.model.StoppedException;
import org.polygraph.storage.table.HistoryTable;

/**
 * The complete reason why a small history violates a level: an impossible read, the shortest cycle at the fixpoint of
 * the rules, or a case split. It needs no solver. The history must be known to violate the level.
 */
public final class Explanation {
    /** The graph numbers rounds in a byte. */
    private static final int MOST_ROUNDS = 100;
    /** A history of so many operations is explained in milliseconds, also after the end of the time. */
    private static final int SMALL = 1_000;

    private final Events events;
    private final IsolationLevel level;
    private final long clockSkewNanos;
    private final BooleanSupplier stop;

    private Explanation(IndexedHistory history, IsolationLevel level, long clockSkewNanos, BooleanSupplier stop) {
        this.level = level;
        this.clockSkewNanos = clockSkewNanos;
        this.events = new Events(level.eventsPerTransaction(), history.table().sessionStarts(), history.sessionOf());
        this.stop = stop;
    }

    /**
     * Finds the clearest violation of a small history.
     *
     * @param sub the history, which violates the level
     * @param clockSkewNanos used if real-time order is part of the level
     * @throws org.polygraph.storage.model.BudgetException if the time ends, for a large history at RC, RA or CC
     */
    public static Violation of(
            HistoryTable sub,
            IsolationLevel level,
            IndexedHistory.Indeterminate indeterminate,
            long clockSkewNanos,
            BooleanSupplier stop) {
        if (level.isAxiom()) {
            // The budget may have ended while the history was shrunk; a small one is explained all the same.
            BooleanSupplier end = sub.operations() <= SMALL ? () -> false : stop;
            return ofAxiom(CommitOrder.index(sub, level, indeterminate, end), end);
        }
        IndexedHistory history = IndexedHistory.of(sub, indeterminate);
        if (!history.violations().isEmpty()) {
            return history.violations().get(0);
        }
        Explanation explanation = new Explanation(history, level, clockSkewNanos, stop);
        Violation found = explanation.refute(history.copy(), new Branch());
        return found == null ? new CaseSplit(explanation, history).explain() : found;
    }

    private static Violation ofAxiom(CommitOrder order, BooleanSupplier stop) {
        if (!order.violations().isEmpty()) {
            return order.violations().get(0);
        }
        return order.order(Long.MAX_VALUE, stop)
                ? AxiomEvidence.ofChoices(order.readsFrom())
                : new AxiomEvidence(order, stop).violations().get(0);
    }

    Events events() {
        return events;
    }

    BooleanSupplier stop() {
        return stop;
    }

    /**
     * Applies the rules to their fixpoint.
     *
     * @param of an index of its own, because reads are decided in it
     * @param branch edges that are assumed in addition
     * @return null if they refute nothing, or the budget ended
     */
    @Nullable
    Violation refute(IndexedHistory of, Branch branch) {
        try {
            return refuteByRules(of, branch);
        } catch (StoppedException e) {
            return null;
        }
    }

    private @Nullable Violation refuteByRules(IndexedHistory of, Branch branch) {
        KnownGraph graph = KnownGraph.of(events, of.versions());
        RealTime time = level.realTime() ? RealTime.of(of.table(), of.commitStatus(), clockSkewNanos) : null;
        if (time != null) {
            graph.bind(time);
        }
        Closure clocks = Closure.of(graph);
        boolean exact = clocks.update(stop);
        if (exact) {
            graph.nextRound();
            for (long edge : branch.edges()) {
                graph.add((int) (edge >>> 32), (int) edge);
            }
        }
        Saturation rules = new Saturation(graph, of.versions(), clocks, of.commitStatus(), WorkerThreads.all());
        for (int round = 1; exact && clocks.update(stop); round++) {
            Saturation.RoundResult result = rules.round(stop);
            if (result == Saturation.RoundResult.CONTRADICTION) {
                return evidence(of, graph, branch)
                        .ofImpossibleRead(rules.impossibleKey(), rules.impossibleReader(), graph.currentRound());
            }
            if (result != Saturation.RoundResult.FORCED || round == MOST_ROUNDS) {
                return null;
            }
        }
        return evidence(of, graph, branch).ofCycles().get(0);
    }

    private CycleEvidence evidence(IndexedHistory of, KnownGraph graph, Branch branch) {
        return new CycleEvidence(of, graph, branch, stop);
    }
}
