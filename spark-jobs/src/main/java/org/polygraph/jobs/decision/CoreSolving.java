package org.polygraph.jobs.decision;

import it.unimi.dsi.fastutil.ints.IntLinkedOpenHashSet;
import it.unimi.dsi.fastutil.ints.IntSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.verdict.Refutation;
import org.polygraph.jobs.verdict.ResidualSize;
import org.polygraph.partitioner.evidence.CycleEvidence;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.graph.Problem;
import org.polygraph.partitioner.index.CommitStatus;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.index.Sums;
import org.polygraph.partitioner.index.VersionIndex;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.Dependency;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.solver.Outcome;
import org.polygraph.solver.Polygraph;
import org.polygraph.solver.Reachability;
import org.polygraph.solver.Solver;
import org.polygraph.solver.SolverOptions;
import org.polygraph.solver.SumItems;
import org.polygraph.solver.proof.ProofChecker;
import org.polygraph.solver.proof.ProofResult;
import org.polygraph.solver.proof.ProofText;
import org.polygraph.solver.proof.ProofTrace;

/**
 * Turns a residual core into a polygraph for the solver, and a refutation into evidence. In this package, only
 * this class calls the solver.
 */
final class CoreSolving {
    /** A longer refutation is not traced. Its verdict then has no proof. */
    private static final long MOST_TRACE_BYTES = 64L << 20;

    private static final long MOST_CHECK_NANOS = 30_000_000_000L;

    /** If a refutation has at most this many transactions, the known order of each two of them is looked up. */
    private static final int MOST_RELATED = 60;

    /** With at least this many sessions, backjumps keep their levels up to {@link #MOST_LATE} late literals. */
    private static final int MANY_SESSIONS = 256;

    private static final int MOST_LATE = 2_000;

    private CoreSolving() {}

    /**
     * Solves a residual core; arrays of the index are shared, not copied.
     *
     * <p>Code that knows no solver checks a refutation step by step, as far as memory for the trace and time allow; the
     * refutation is then part of the certificate.
     *
     * @param solver options of the search; budgets and proof are set here
     * @param bytes that the structures of the solver may take
     * @throws IllegalStateException if a refutation fails its check: a bug, never a verdict
     */
    static Solved solve(ResidualProblem residual, Budget budget, SolverOptions solver, long bytes) {
        RealTimeChain chain = RealTimeChain.of(residual.problem().graph());
        Polygraph problem = problem(residual, chain);
        ProofTrace trace = new ProofTrace(Math.min(MOST_TRACE_BYTES, bytes / 4));
        SolverOptions options = searching(solver, residual.problem())
                .withStop(budget::exhausted)
                .withMaxBytes(bytes - bytes / 4)
                // No proof states that a sum is wrong.
                .withProof(residual.problem().history().sums() == null ? trace : null);
        Outcome outcome = new Solver().solve(problem, options);
        boolean proved =
                outcome instanceof Outcome.Unsatisfiable && trace.isEnded() && proofHolds(problem, trace, budget);
        Refutation refutation = outcome instanceof Outcome.Unsatisfiable && trace.isEnded()
                ? out -> ProofText.write(problem.proofProblem(), trace, out)
                : null;
        return solved(residual, chain, outcome, proved, refutation);
    }

    /**
     * Solves without a trace. A refutation is then not checked, so it is not a verdict. The arguments are those of
     * {@link #solve}.
     *
     * @param budget its end ends the attempt
     */
    static Solved attempt(ResidualProblem residual, Budget budget, SolverOptions solver, long bytes) {
        RealTimeChain chain = RealTimeChain.of(residual.problem().graph());
        SolverOptions options = searching(solver, residual.problem())
                .withStop(budget::exhausted)
                .withMaxBytes(bytes);
        Outcome outcome = new Solver().solve(problem(residual, chain), options);
        return solved(residual, chain, outcome, false, null);
    }

    private static Solved solved(
            ResidualProblem residual,
            RealTimeChain chain,
            Outcome outcome,
            boolean proved,
            @Nullable Refutation refutation) {
        ResidualSize size = residual.size(outcome.statistics());
        FoundOrder order = null;
        if (outcome instanceof Outcome.Satisfiable found) {
            boolean[] chosen = found.committed();
            boolean[] committed = chosen == null ? null : Arrays.copyOf(chosen, chosen.length - chain.count());
            order = new FoundOrder(chain.leave(found.position()), committed, size);
        }
        return new Solved(order, outcome, size, proved, refutation);
    }

    /**
     * Returns the search options. If there are many sessions of few transactions, few pairs of transactions have a
     * known order, so the search has tens of thousands of decisions, and many jumps over some hundred of them. Measured
     * in local-solver/docs/decisions.md.
     */
    private static SolverOptions searching(SolverOptions solver, Problem problem) {
        return problem.events().chains() < MANY_SESSIONS || !solver.isInitial(SolverOptions.Option.MOST_LATE)
                ? solver
                : solver.with(SolverOptions.Option.MOST_LATE, MOST_LATE);
    }

    /** Returns the problem in the form that the solver takes; arrays of the index are shared, not copied. */
    static Polygraph problem(ResidualProblem residual, RealTimeChain chain) {
        IndexedHistory history = residual.problem().history();
        Reachability reachability = residual.reachability();
        Events events = residual.problem().events();
        PredecessorLists predecessors = predecessors(residual.problem().graph(), chain);
        Polygraph.Builder polygraph = Polygraph.builder(
                        history.table().transactions() + chain.count(), events.perTransaction())
                .position(chain.join(residual.position()))
                .predecessors(predecessors.starts(), predecessors.sources())
                .optional(optional(history.commitStatus(), chain))
                .chains(events.chainsByTransaction())
                // If none of the transactions with an open start commits, the keys of these starts break no order.
                .dirtyKeys(residual.core().keys())
                .sums(sums(history));
        new SolverKeys(history.versions(), chain, events.mayOverlap()).addTo(polygraph);
        if (reachability != null) {
            int known = events.count();
            polygraph.reachability(
                    chain.openStarts().length == 0
                            ? reachability
                            : (from, to) -> from < known && to < known && reachability.reaches(from, to));
        }
        return polygraph.build();
    }

    private static @Nullable SumItems sums(IndexedHistory history) {
        Sums sums = history.sums();
        if (sums == null) {
            return null;
        }
        Sums.Items items = sums.items(history.commitStatus());
        return new SumItems(items.starts(), items.initial(), items.transactions(), items.kinds(), items.values());
    }

    /** @return false if there was no time to check all of it */
    private static boolean proofHolds(Polygraph problem, ProofTrace trace, Budget budget) {
        Budget share = budget.atMost(MOST_CHECK_NANOS);
        ProofResult result = ProofChecker.check(problem.proofProblem(), trace, share::exhausted);
        if (!result.accepted() && !share.exhausted()) {
            throw new IllegalStateException(
                    "the refutation fails its check at step " + result.step() + ": " + result.message());
        }
        return result.accepted();
    }

    private static PredecessorLists predecessors(KnownGraph graph, RealTimeChain chain) {
        Events events = graph.events();
        graph.indexPredecessors();
        int[] edgeStarts = graph.predecessorStarts();
        PredecessorLists lists =
                new PredecessorLists(events.count() + chain.events(), graph.edges() + events.count() + chain.edges());
        for (int v = 0; v < events.count(); v++) {
            lists.next();
            if (v > 0 && events.chain(v - 1) == events.chain(v)) {
                lists.add(v - 1);
            }
            for (int i = edgeStarts[v]; i < edgeStarts[v + 1]; i++) {
                lists.add(graph.from(graph.predecessorEdges()[i]));
            }
            int instant = chain.before(v);
            if (instant >= 0) {
                lists.add(instant);
            }
        }
        chain.addPredecessors(lists);
        lists.next();
        return lists;
    }

    private static boolean @Nullable [] optional(CommitStatus commitStatus, RealTimeChain chain) {
        if (commitStatus.optional() == 0) {
            return null;
        }
        boolean[] optional = new boolean[commitStatus.states().length + chain.count()];
        for (int t = 0; t < commitStatus.states().length; t++) {
            optional[t] = commitStatus.of(t) == CommitStatus.OPTIONAL;
        }
        return optional;
    }

    /**
     * The content of a refutation.
     *
     * @param violation the reads and writers that it used, without a cycle
     * @param known the edges known to hold that it also used
     */
    record Explained(Violation violation, List<Dependency> known) {}

    /** @param stop ends the search for edges with a {@link org.polygraph.storage.model.StoppedException} */
    static Explained explain(Problem problem, Outcome.Core core, BooleanSupplier stop) {
        VersionIndex index = problem.versions();
        IntSet transactions = new IntLinkedOpenHashSet();
        IntSet keys = new IntLinkedOpenHashSet();
        RealTimeChain chain = RealTimeChain.of(problem.graph());
        Sums sums = problem.history().sums();
        Sums.Items items = sums == null ? null : sums.items(problem.commitStatus());
        boolean isOfSums = false;
        for (int i = 0; i < core.size(); i++) {
            if (items != null && core.sum(i) >= 0) {
                transactions.add(items.transactions()[core.sum(i)]);
                keys.add(items.keyOf(core.sum(i)));
                isOfSums = true;
                continue;
            }
            int key = core.key(i);
            if (key >= index.keys()) {
                int open = key - index.keys();
                transactions.add(chain.openStarts()[open]);
                addEnded(chain, open, problem.events(), core.cycle(), transactions);
                continue;
            }
            keys.add(index.keyOf(key));
            if (core.reader(i) >= 0) {
                transactions.add(index.readerTransactions()[core.reader(i)]);
                int valueClass = index.readerClasses()[core.reader(i)];
                for (int w = index.firstInClass(key, valueClass);
                        w >= 0 && transactions.size() < MOST_RELATED;
                        w = index.nextInClass(w)) {
                    transactions.add(index.writerTransactions()[w]);
                }
            }
            if (core.writer(i) >= 0) {
                transactions.add(index.writerTransactions()[core.writer(i)]);
            }
            if (core.other(i) >= 0) {
                transactions.add(index.writerTransactions()[core.other(i)]);
            }
        }
        List<Integer> transactionList = new ArrayList<>(transactions);
        Violation violation = new Violation(
                Anomaly.NO_VALID_ORDER,
                transactionList,
                new ArrayList<>(keys),
                List.of(),
                isOfSums
                        ? "no order of the history makes all the sums that were read here"
                        : "every order of " + transactions.size() + " transactions on " + keys.size()
                                + (keys.size() == 1 ? " key" : " keys") + " closes a cycle; all were refuted");
        List<Dependency> known = transactions.size() <= MOST_RELATED
                ? new CycleEvidence(problem, stop).between(transactions.toIntArray())
                : List.of();
        return new Explained(violation, known);
    }

    /** Adds those transactions on a cycle that had ended at an open start. */
    private static void addEnded(RealTimeChain chain, int open, Events events, int[] cycle, IntSet transactions) {
        for (int event : cycle) {
            if (event < events.count() && chain.precedes(events.transaction(event), open)) {
                transactions.add(events.transaction(event));
            }
        }
    }
}
