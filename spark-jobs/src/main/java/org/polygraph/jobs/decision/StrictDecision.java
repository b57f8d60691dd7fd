package org.polygraph.jobs.decision;

import it.unimi.dsi.fastutil.ints.IntSet;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.graph.Problem;
import org.polygraph.partitioner.graph.RealTime;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.linear.StrictHistory;
import org.polygraph.partitioner.linear.StrictJudge;
import org.polygraph.partitioner.residual.ResidualCore;
import org.polygraph.solver.SolverOptions;
import org.polygraph.storage.table.HistoryTable;

/** Decides the operations of keys for level lin as SSER does: an order near a guess first, then the whole decision. */
public final class StrictDecision implements StrictJudge {
    /** The calls of the budget that the repair of a guess may take for each transaction, and at least. */
    private static final long LOOKS_A_TRANSACTION = 2;

    private static final long LOOKS = 20_000;

    /** The calls of the budget for all sub-histories of a check, as in evidence at other levels. */
    private static final long MOST_LOOKS = 300_000;

    /**
     * Backjumps of the solver keep levels up to this many late literals. A hundred clients, 60 values, 10,000 operations:
     * 50,000 conflicts without an answer at 500, 5,000 and an order from 5,000 on.
     */
    private static final long MOST_LATE = 10_000;

    private final Check check;
    private final Tuning tuning;
    private final CheckRequest request;
    private final Budget evidence;

    /** For the keys of a history at level lin. */
    public StrictDecision(Check check, Tuning tuning) {
        this.check = check;
        this.tuning = tuning.with(SolverOptions.Option.MOST_LATE, MOST_LATE);
        // The clock skew is part of the ends of a strict history.
        this.request = new CheckRequest(
                IsolationLevel.SSER,
                TimeMode.STRICT,
                0,
                IndeterminateMode.MAYBE,
                check.request().replayed(),
                1);
        this.evidence = check.budget().half().ofLooks(MOST_LOOKS);
    }

    @Override
    public int @Nullable [] near(StrictHistory strict, IntSet refuting) {
        HistoryTable table = strict.table();
        Budget budget = check.budget();
        IndexedHistory history = IndexedHistory.of(table, request.indexing(), budget::exhausted);
        if (!history.violations().isEmpty()) {
            refuting.addAll(history.violations().get(0).transactions());
            return null;
        }
        int n = table.transactions();
        Problem problem = Problem.of(history, 1);
        RealTime time = RealTime.withUnknownEnds(table, history.commitStatus());
        if (time == null || !extendsAll(strict.ranks(), problem.graph(), time)) {
            return null;
        }
        problem.bind(time).graph().indexPredecessors();
        FoundOrder found = new FoundOrder(strict.ranks());
        ResidualCore core = ResidualCore.of(problem, found.position(), budget::exhausted);
        if (!core.isEmpty()) {
            Solved solved = CoreSolving.attempt(
                    new ResidualProblem(problem, time::precedes, found.position(), core),
                    budget.ofLooks(LOOKS + LOOKS_A_TRANSACTION * n),
                    tuning.solver(),
                    budget.bytes());
            found = solved.order();
            if (found == null) {
                budget.require();
                if (solved.isRefuted()) {
                    refuting.addAll(CoreSolving.explain(problem, solved.core(), budget::exhausted)
                            .violation()
                            .transactions());
                }
                return null;
            }
        }
        return order(
                new Check(table, request, budget).witness(history.commitStatus(), found.committed(), found.position()));
    }

    /** Whether an order of the transactions extends the edges of a graph and real time. */
    private static boolean extendsAll(int[] ranks, KnownGraph graph, RealTime time) {
        for (int e = 0; e < graph.edges(); e++) {
            if (ranks[graph.from(e)] > ranks[graph.to(e)]) {
                return false;
            }
        }
        int[] order = new int[ranks.length];
        for (int t = 0; t < ranks.length; t++) {
            order[ranks[t]] = t;
        }
        int latest = 0;
        for (int t : order) {
            if (time.places()[t] < latest) {
                return false;
            }
            latest = Math.max(latest, time.ended()[t]);
        }
        return true;
    }

    @Override
    public int @Nullable [] order(StrictHistory history, IntSet refuting) {
        Finding found = Decision.of(new Check(history.table(), request, check.budget()), tuning);
        if (!(found instanceof Finding.Order order)) {
            if (found instanceof Finding.Refuted refuted) {
                refuting.addAll(refuted.violations().get(0).transactions());
            }
            return null;
        }
        return order(order.witness());
    }

    /** The transactions that count, in turn. */
    private static int[] order(Witness witness) {
        int n = witness.position().length;
        int[] at = new int[n];
        for (int t = 0; t < n; t++) {
            at[witness.position()[t]] = t;
        }
        int[] transactions = new int[n];
        int counted = 0;
        for (int t : at) {
            if (witness.counted()[t]) {
                transactions[counted++] = t;
            }
        }
        return Arrays.copyOf(transactions, counted);
    }

    @Override
    public boolean violates(HistoryTable history) {
        Decision.charge(evidence, history, IsolationLevel.SSER);
        return Decision.violates(history, request, evidence);
    }
}
