package org.polygraph.solver;

import java.util.Arrays;
import java.util.BitSet;
import java.util.function.BooleanSupplier;
import org.polygraph.solver.sat.BudgetExhausted;
import org.polygraph.solver.sat.IntStack;
import org.polygraph.solver.sat.Search;
import org.polygraph.solver.sat.SearchBudget;
import org.polygraph.solver.theory.Atoms;
import org.polygraph.solver.theory.DynamicOrder;
import org.polygraph.solver.theory.EventGraph;

/**
 * Decides a {@link CommitProblem}. As for a {@link Polygraph}, the total order is the model and clauses are made when
 * something needs them; the choices of sources and of commits are variables too. See {@link CommitTheory}.
 */
public final class CommitSolver {
    private CommitSolver() {}

    /**
     * Finds a choice and an order, or shows that there is none.
     *
     * @param stop ends the search
     * @param maxBytes the most bytes of the structures of the solver
     */
    public static CommitOutcome solve(CommitProblem problem, BooleanSupplier stop, long maxBytes) {
        SearchBudget budget = new SearchBudget(stop, maxBytes);
        try {
            return solve(problem, budget);
        } catch (BudgetExhausted e) {
            return new CommitOutcome.Unknown(String.valueOf(e.getMessage()));
        } catch (OutOfMemoryError e) {
            return new CommitOutcome.Unknown("the Java heap is full (" + budget.bytes() + " bytes in the solver)");
        }
    }

    private static CommitOutcome solve(CommitProblem p, SearchBudget budget) {
        int n = p.transactions;
        budget.reserve(4L * (n + 1 + p.known.starts()[n]));
        int[] starts = new int[n + 1];
        int[] successors = new int[p.known.starts()[n]];
        reverse(p, starts, successors);
        EventGraph graph = new EventGraph(n, starts, successors, p.known.starts(), p.known.transactions(), budget);
        DynamicOrder order = new DynamicOrder(graph, p.position, budget);
        CommitTheory theory = new CommitTheory(p, order, new Atoms(budget), budget);
        Search search = new Search(theory, budget, SolverOptions.defaults().search(), null);
        if (search.solve()) {
            return new CommitOutcome.Ordered(Arrays.copyOf(order.position(), n), theory.sources(), theory.counted());
        }
        return core(search, theory, budget);
    }

    private static void reverse(CommitProblem p, int[] starts, int[] successors) {
        int n = p.transactions;
        for (int i = 0; i < successors.length; i++) {
            starts[p.known.transactions()[i] + 1]++;
        }
        for (int t = 0; t < n; t++) {
            starts[t + 1] += starts[t];
        }
        int[] next = starts.clone();
        for (int t = 0; t < n; t++) {
            for (int i = p.known.starts()[t]; i < p.known.starts()[t + 1]; i++) {
                successors[next[p.known.transactions()[i]]++] = t;
            }
        }
    }

    private static CommitOutcome core(Search search, CommitTheory theory, SearchBudget budget) {
        IntStack tags = new IntStack(budget);
        BitSet transactions = new BitSet();
        BitSet keys = new BitSet();
        search.core(tags);
        for (int i = 0; i < tags.size(); i++) {
            theory.addNamed(tags.get(i), transactions, keys);
        }
        return new CommitOutcome.Refuted(
                transactions.stream().toArray(), keys.stream().toArray());
    }
}
