package org.polygraph.jobs.decision;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.solver.proof.ProofProblem;
import org.polygraph.storage.model.BudgetException;

/**
 * Decides SER, SSER, SI and SSI: finds an order of events in which every read returns the last write before it, or
 * proves that there is none. Every engine uses it for whole histories, and a check by windows for the small histories
 * that show its violation.
 */
public final class Decision {
    private Decision() {}

    /**
     * Decides one history.
     *
     * @throws BudgetException if the budget ends before anything is found
     */
    public static Finding of(Check check, Tuning tuning) {
        check.phases().begin("index");
        IndexedHistory history = indexed(check);
        check.phases().end(check.table().operations());
        if (!history.violations().isEmpty()) {
            check.phases().begin("evidence");
            return new Finding.Refuted(history.violations());
        }
        check.uniqueValues(history.versions().hasUniqueValues(check.table()));
        check.budget().require();
        DecisionState state = new DecisionState(check, tuning, history);
        FoundOrder left = check.checkpoints().order();
        return left == null ? find(state) : state.order(left);
    }

    /**
     * The problem that the solver has to refute before the history violates its level.
     *
     * @return null if the history is decided without a solver
     * @throws BudgetException if the budget ends
     */
    public static @Nullable ProofProblem problem(Check check) {
        IndexedHistory history = indexed(check);
        if (!history.violations().isEmpty()) {
            return null;
        }
        DecisionState state = new DecisionState(check, Tuning.DEFAULT, history);
        state.runRules();
        PruneLoop loop = state.loop();
        return loop.isRefuted() || loop.core().isEmpty()
                ? null
                : CoreSolving.problem(loop.problem(), RealTimeChain.of(loop.graph()))
                        .proofProblem();
    }

    /** Tries the strategies in turn. The first finding decides; the last strategy always has one. */
    private static Finding find(DecisionState state) {
        Budget budget = state.check.budget();
        List<Strategy> strategies = List.of(
                // Every writer of a key has read it: the reads give the order of versions.
                new ChainOrder(state),
                // The order of client times, of lines or of values may explain every read. It never refutes.
                Strategy.optional(budget, new TimeHint(state)),
                // Forced edges: a cycle refutes, an order that extends them may explain every read.
                new RuleOrder(state),
                // If there are few values on few keys, an order is guessed and its reads are checked. It never refutes.
                Strategy.optional(budget, new CoarseGuess(state)),
                // The solver decides the reads that the order of the rules breaks.
                new SolverOrder(state));
        state.beginGraph();
        for (Strategy strategy : strategies) {
            Finding found = strategy.find();
            if (found != null) {
                return found;
            }
        }
        throw new IllegalStateException("no strategy decided");
    }

    private static IndexedHistory indexed(Check check) {
        return IndexedHistory.of(check.table(), check.request().indexing(), check.budget()::exhausted);
    }
}
