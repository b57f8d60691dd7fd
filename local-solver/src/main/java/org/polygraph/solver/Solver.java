package org.polygraph.solver;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.solver.Outcome.Core;
import org.polygraph.solver.SolverOptions.Option;
import org.polygraph.solver.proof.EdgeLists;
import org.polygraph.solver.proof.ProofTrace;
import org.polygraph.solver.sat.BudgetExhausted;
import org.polygraph.solver.sat.IntStack;
import org.polygraph.solver.sat.Search;
import org.polygraph.solver.sat.SearchBudget;
import org.polygraph.solver.theory.Atoms;
import org.polygraph.solver.theory.DynamicOrder;
import org.polygraph.solver.theory.EventGraph;

/**
 * Decides a {@link Polygraph}.
 *
 * <p>States of a solve: <i>set up</i> (missing edge directions, order, checks), <i>search</i>; a budget
 * may end either with {@link Outcome.Unknown}. A solver object holds nothing between calls and may be shared by
 * threads; each call works on its own structures and only reads the polygraph's arrays.
 *
 * <p>Requires: the known edges are acyclic, {@code position} extends them, {@code reachability} (if any) answers true
 * only for what they imply. {@link Polygraph.Builder#build} checks only the lengths of arrays, and nothing checks the
 * rest. Ensures: Satisfiable has an order that explains the polygraph (callers replay it); Unsatisfiable follows from
 * the core's clauses and the known edges; the same polygraph, options and seed give the same outcome, budgets aside.
 */
public final class Solver {
    /**
     * Finds an order of the events, or shows that there is none.
     *
     * @throws IllegalStateException when the polygraph contradicts itself
     */
    public Outcome solve(Polygraph polygraph, SolverOptions options) {
        return solve(polygraph, options, new SearchBudget(options.stop(), options.maxBytes()));
    }

    /** Solves within a budget that the caller watches. */
    static Outcome solve(Polygraph polygraph, SolverOptions options, SearchBudget budget) {
        return new Run(polygraph, options, budget).solve();
    }

    /** The state of one call. */
    private static final class Run {
        private final Polygraph p;
        private final SolverOptions options;
        private final SearchBudget budget;
        /** The part of the budget that clauses, variables and learnt clauses take. */
        private final SearchBudget ofClauses;

        private final long startNanos = System.nanoTime();
        private @Nullable Search search;
        private @Nullable DynamicOrder order;
        private @Nullable ReadCheck check;
        private @Nullable ClauseMaker clauses;
        /** The counters of earlier searches of this call. */
        private Statistics past = Statistics.NONE;

        Run(Polygraph p, SolverOptions options, SearchBudget budget) {
            this.p = p;
            this.options = options;
            this.budget = budget;
            ofClauses = budget.sharing();
        }

        Outcome solve() {
            try {
                return search();
            } catch (BudgetExhausted e) {
                return unknown(String.valueOf(e.getMessage()));
            } catch (OutOfMemoryError e) {
                return unknown("the Java heap is full (" + budget.bytes() + " bytes in the solver's structures)");
            } finally {
                ofClauses.release();
            }
        }

        /** An Unknown whose reason also states how far the search came. */
        private Outcome unknown(String why) {
            Statistics s = statistics();
            return new Outcome.Unknown(
                    why + ", after " + s.decisions() + " decisions and " + s.conflicts() + " conflicts; " + s.violated()
                            + " items were left that the order may break",
                    s);
        }

        private Outcome search() {
            budget.check();
            budget.reserve(4L * (p.events() + 1 + p.predecessorStart[p.events()]));
            EdgeLists successors = p.successors();
            EventGraph graph = new EventGraph(
                    p.events(), successors.start(), successors.target(), p.predecessorStart, p.predecessor, budget);
            order = new DynamicOrder(graph, p.position, budget);
            check = new ReadCheck(p, order, requiredTransactions(), budget);
            check.refreshAll();
            ClauseLimit limit = new ClauseLimit(firstLimit());
            while (true) {
                limit.begin(check.waiting());
                try {
                    return search(limit, order, check);
                } catch (ClausesOutgrown e) {
                    past = statistics();
                    search = null;
                    clauses = null;
                    ofClauses.release();
                    order.removeAdded();
                }
            }
        }

        /** By transaction, whether it is not optional; null if none is optional. */
        private boolean @Nullable [] requiredTransactions() {
            if (p.optional == null) {
                return null;
            }
            budget.reserve(p.transactions);
            boolean[] required = new boolean[p.transactions];
            for (int t = 0; t < p.transactions; t++) {
                required[t] = !p.isOptional(t);
            }
            return required;
        }

        /** The value of the option, or a quarter of the memory that is left if that is less. */
        private long firstLimit() {
            return Math.min(options.get(Option.CLAUSE_BYTES), Math.max(0, options.maxBytes() - budget.bytes()) / 4);
        }

        private Outcome search(ClauseLimit limit, DynamicOrder order, ReadCheck check) {
            ProofTrace proof = options.proof();
            if (proof != null) {
                proof.begin(p.shape());
            }
            Atoms atoms = new Atoms(ofClauses);
            clauses = new ClauseMaker(p, atoms, check, ofClauses, proof);
            OrderTheory theory = new OrderTheory(p, atoms, order, check, clauses, limit, ofClauses, options);
            search = new Search(theory, ofClauses, options.search(), proof);
            if (!search.solve()) {
                return new Outcome.Unsatisfiable(core(search, clauses, theory), statistics());
            }
            return found(order.position(), check);
        }

        private Outcome found(int[] position, ReadCheck check) {
            boolean[] committed = null;
            if (p.optional != null) {
                committed = new boolean[p.transactions];
                for (int t = 0; t < p.transactions; t++) {
                    committed[t] = p.isOptional(t) && check.counts(t);
                }
            }
            budget.reserve(4L * p.events());
            return new Outcome.Satisfiable(Arrays.copyOf(position, p.events()), committed, statistics());
        }

        private Core core(Search refuted, ClauseMaker made, OrderTheory theory) {
            IntStack ids = new IntStack(budget);
            refuted.core(ids);
            int n = ids.size();
            int[] sorted = Arrays.copyOf(ids.array(), n);
            Arrays.sort(sorted);
            int[] readers = new int[n];
            int[] writers = new int[n];
            int[] others = new int[n];
            for (int i = 0; i < n; i++) {
                readers[i] = made.reader(sorted[i]);
                writers[i] = made.writer(sorted[i]);
                others[i] = made.other(sorted[i]);
            }
            int[] cycle = refuted.lastConflictFromTheory() ? theory.lastCycle() : new int[0];
            return new Core(p, readers, writers, others, cycle);
        }

        private Statistics statistics() {
            Search s = search;
            ReadCheck c = check;
            ClauseMaker m = clauses;
            return new Statistics(
                    past.instantiated() + (m == null ? 0 : m.size()),
                    past.decisions() + (s == null ? 0 : s.decisions()),
                    past.conflicts() + (s == null ? 0 : s.conflicts()),
                    c == null ? 0 : c.checks(),
                    c == null ? 0 : c.waiting(),
                    budget.bytes(),
                    System.nanoTime() - startNanos);
        }
    }
}
