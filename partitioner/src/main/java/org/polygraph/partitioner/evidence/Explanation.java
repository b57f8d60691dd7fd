package org.polygraph.partitioner.evidence;

import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.axiom.CommitOrder;
import org.polygraph.partitioner.closure.WorkerThreads;
import org.polygraph.partitioner.graph.Problem;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.index.Sums;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.partitioner.prune.Rules;
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

    private final IsolationLevel level;
    private final long clockSkewNanos;
    private final BooleanSupplier stop;

    private Explanation(IsolationLevel level, long clockSkewNanos, BooleanSupplier stop) {
        this.level = level;
        this.clockSkewNanos = clockSkewNanos;
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
        if (!level.isOfEvents()) {
            // The budget may have ended while the history was shrunk; a small one is explained all the same.
            BooleanSupplier end = sub.operations() <= SMALL ? () -> false : stop;
            return ofAxiom(CommitOrder.index(sub, level, indeterminate, end), end);
        }
        IndexedHistory history = IndexedHistory.of(sub, indeterminate);
        if (!history.violations().isEmpty()) {
            return history.violations().get(0);
        }
        Explanation explanation = new Explanation(level, clockSkewNanos, stop);
        Violation found = explanation.refute(history.copy(), new Branch());
        if (found == null && history.sums() != null) {
            return ofSums(sub, history.sums());
        }
        return found == null ? new CaseSplit(explanation, history, level).explain() : found;
    }

    private static Violation ofSums(HistoryTable sub, Sums sums) {
        List<Integer> counters =
                IntStream.range(0, sub.keys().size()).filter(sums::has).boxed().toList();
        return new Violation(
                Anomaly.NO_VALID_ORDER,
                IntStream.range(0, sub.transactions()).boxed().toList(),
                counters,
                List.of(),
                "no order of its " + sub.transactions() + " transactions makes all the sums that they read");
    }

    private static Violation ofAxiom(CommitOrder order, BooleanSupplier stop) {
        if (!order.violations().isEmpty()) {
            return order.violations().get(0);
        }
        return order.order(Long.MAX_VALUE, stop)
                ? AxiomEvidence.ofChoices(order.readsFrom())
                : new AxiomEvidence(order, stop).violations().get(0);
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
        Problem problem = Problem.of(of, level);
        if (level.realTime()) {
            problem.bind(problem.realTime(clockSkewNanos));
        }
        problem.graph().nextRound();
        branch.edges().keySet().forEach((long pair) -> problem.graph().add((int) (pair >>> 32), (int) pair));
        Rules rules =
                Rules.of(problem, Long.MAX_VALUE, Rules.RealTimeRows.TIME, WorkerThreads.all(), Rules.Phases.NONE);
        Rules.Refutation refutation = rules == null ? null : rules.run(MOST_ROUNDS, stop);
        return refutation == null
                ? null
                : new CycleEvidence(problem, branch, stop).of(refutation).get(0);
    }
}
