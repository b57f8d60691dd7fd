package org.polygraph.jobs.decision;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.closure.EventOrder;
import org.polygraph.partitioner.closure.TopologicalOrder;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.ListEdges;
import org.polygraph.partitioner.graph.Problem;
import org.polygraph.partitioner.graph.RealTime;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.prune.Rules;
import org.polygraph.partitioner.residual.ResidualCore;
import org.polygraph.solver.proof.ProofProblem;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.table.HistoryTable;

/**
 * Decides SER, SSER, SI, SSI and PC: finds an order of events in which every read returns the last write before it, or
 * proves that there is none. There are three efforts:
 *
 * <ul>
 *   <li>{@link #of}, for whole histories, tries strategies in turn. Its refutations are proved, its orders replayed.
 *   <li>{@link #attempt}, for windows and sub-histories, has rules and solver alone. A few operations take tens of
 *       microseconds.
 *   <li>{@link #repair}, for windows, has the solver alone, which begins with an order that breaks few reads.
 * </ul>
 */
public final class Decision {
    /** The parameters of decisions of small histories. */
    static final Tuning SMALL = Tuning.DEFAULT.withWorkers(1);

    /** The share of the remaining memory that the closure may take; edges, the solver and the replay take the rest. */
    private static final double CLOCK_SHARE = 0.6;

    private static final String GRAPH = "graph";

    /** The operations that index and rules process in the time in which the solver calls the budget once. */
    private static final int OPERATIONS_PER_LOOK = 64;
    /** The keys that a sub-history copies with their labels in this time. */
    private static final int KEYS_PER_LOOK = 16;
    /** The cells of clocks that are computed in this time. */
    private static final int CELLS_PER_LOOK = 4_096;

    /** The most bytes that the solver of a sub-history takes. */
    private static final long SOLVER_BYTES = 256L << 20;

    /** An order is not repaired if it breaks reads of more than one transaction in this many, plus {@link #FEW}. */
    private static final int MOST_VIOLATED = 16;

    private static final int FEW = 20;
    private static final long LOOKS = 2_000;

    final Check check;
    final Tuning tuning;
    final PhaseClock phases;
    final Events events;
    private final IndexedHistory history;
    private @Nullable Problem problem;
    private @Nullable PruneLoop loop;

    private Decision(Check check, Tuning tuning, IndexedHistory history) {
        this.check = check;
        this.tuning = tuning;
        this.phases = check.phases();
        this.history = history;
        this.events = Events.of(check.request().level(), check.table().sessionStarts(), history.sessionOf());
    }

    /**
     * Decides a whole history.
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
        Decision decision = new Decision(check, tuning, history);
        FoundOrder left = check.checkpoints().order();
        return left == null ? decision.find() : decision.order(left);
    }

    /**
     * An order that is near a first one, as of {@link #of}.
     *
     * @return null if none is found, which says nothing of the history
     * @throws BudgetException if the budget ends
     */
    public static @Nullable Finding ofFirstOrder(Check check) {
        IndexedHistory history = indexed(check);
        return history.violations().isEmpty()
                ? new TimeHint(new Decision(check, Tuning.DEFAULT, history)).find()
                : null;
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
        Decision decision = new Decision(check, Tuning.DEFAULT, history);
        decision.runRules();
        PruneLoop loop = decision.loop();
        return loop.isRefuted() || loop.core().isEmpty()
                ? null
                : CoreSolving.problem(
                                loop.problem(),
                                RealTimeChain.of(decision.problem().graph()))
                        .proofProblem();
    }

    /** Charges a budget for selecting and deciding a history, but not for the solver, which checks the budget itself. */
    public static void charge(Budget budget, HistoryTable table, IsolationLevel level) {
        long cells = (long) level.eventsPerTransaction() * table.transactions() * table.sessions();
        budget.charge(1
                + table.operations() / OPERATIONS_PER_LOOK
                + table.keys().size() / KEYS_PER_LOOK
                + cells / CELLS_PER_LOOK);
    }

    /** Whether a sub-history violates the level of the request; false if the budget ends before that is known. */
    public static boolean violates(HistoryTable table, CheckRequest request, Budget budget) {
        IndexedHistory history = IndexedHistory.of(table, request.indexing());
        if (!history.violations().isEmpty()) {
            return true;
        }
        Problem problem = Problem.of(history, request.level());
        if (request.level().realTime()) {
            problem.bind(problem.realTime(request.clockSkewNanos()));
        }
        try {
            long bytes = Math.min(SOLVER_BYTES, budget.bytes() / 4);
            return attempt(problem, SMALL, Rules.Phases.NONE, budget, Long.MAX_VALUE, bytes)
                    .isRefuted();
        } catch (BudgetException e) {
            if (!budget.exhausted()) {
                throw e;
            }
            return false;
        }
    }

    /**
     * Applies the rules, and then the solver without a proof.
     *
     * @param closureBytes that the closure may take
     * @param bytes that solver and closure may take
     * @throws BudgetException if the budget ends
     */
    static Solved attempt(
            Problem problem, Tuning tuning, Rules.Phases phases, Budget budget, long closureBytes, long bytes) {
        PruneLoop loop = new PruneLoop(problem, phases, budget::exhausted, tuning);
        loop.run(closureBytes);
        if (loop.isRefuted()) {
            return Solved.REFUTED_BY_RULES;
        }
        if (loop.core().isEmpty()) {
            return Solved.byRules(loop.position());
        }
        phases.begin("solve");
        Solved solved =
                CoreSolving.attempt(loop.problem(), budget, tuning.solver(), Math.max(0, bytes - loop.heapBytes()));
        phases.end(solved.residual().conflicts());
        return solved;
    }

    /**
     * Lets the solver repair an order without real time, as far as edges allow.
     *
     * @param ranks by event: its place in the order
     * @return null if that order breaks many reads, or repairs take long
     */
    static @Nullable Solved repair(Problem problem, int[] ranks, Budget budget) {
        problem.graph().indexPredecessors();
        int[] sequence = TopologicalOrder.fair(problem.graph());
        if (sequence == null) {
            return null;
        }
        int[] position = EventOrder.byWishes(problem.graph(), sequence, ranks.clone());
        int transactions = problem.history().table().transactions();
        ResidualCore core = ResidualCore.of(problem, position, budget::exhausted);
        if (core.isEmpty()) {
            return Solved.byRules(position);
        }
        if (core.violated() > FEW + transactions / MOST_VIOLATED) {
            return null;
        }
        Budget share = budget.ofLooks(LOOKS + core.violated() + transactions / 5);
        Solved solved = CoreSolving.attempt(
                new ResidualProblem(problem, null, position, core), share, SMALL.solver(), budget.bytes());
        return solved.order() == null && !solved.isRefuted() ? null : solved;
    }

    /** Tries the strategies in turn. The first finding decides; the last strategy always has one. */
    private Finding find() {
        Budget budget = check.budget();
        List<Strategy> strategies = List.of(
                // Every writer of a key has read it: the reads give the order of versions.
                new ChainOrder(this),
                // The order of client times, of lines or of values may explain every read. It never refutes.
                Strategy.optional(budget, new TimeHint(this)),
                // Forced edges: a cycle refutes, an order that extends them may explain every read.
                this::byRules,
                // If there are few values on few keys, an order is guessed and its reads are checked. It never refutes.
                Strategy.optional(budget, new CoarseGuess(this)),
                // The solver decides the reads that the order of the rules breaks.
                new SolverOrder(this));
        beginGraph();
        for (Strategy strategy : strategies) {
            Finding found = strategy.find();
            if (found != null) {
                return found;
            }
        }
        throw new IllegalStateException("no strategy decided");
    }

    private @Nullable Finding byRules() {
        runRules();
        if (loop().isRefuted()) {
            return refutedByRules();
        }
        return loop().core().isEmpty() ? kept(new FoundOrder(loop().position())) : null;
    }

    /** The cycles by which the rules refute the history. */
    Finding.Refuted refutedByRules() {
        if (check.refutation() == null) {
            check.refuted(Finding.Refuted.unexplained());
        }
        phases.begin("evidence");
        return new Finding.Refuted(loop().violations());
    }

    private static IndexedHistory indexed(Check check) {
        return IndexedHistory.of(check.table(), check.request().indexing(), check.budget()::exhausted);
    }

    IndexedHistory history() {
        return history;
    }

    /** The history with the edges that hold in every order, without real time until the rules run. */
    Problem problem() {
        Problem made = problem;
        if (made == null) {
            made = Problem.of(history, check.request().level());
            problem = made;
        }
        return made;
    }

    /** Real-time order of the history; null if it has no times. */
    @Nullable
    RealTime realTime() {
        return RealTime.of(
                check.table(), history.commitStatus(), check.request().clockSkewNanos());
    }

    /** Whether real-time order is part of the level. */
    boolean needsRealTime() {
        return check.request().level().realTime();
    }

    /** The bytes that the history, its index and its graph hold. */
    long heldBytes(Problem of) {
        return check.table().arrayBytes()
                + of.versions().bytes()
                + 13L * of.graph().edges();
    }

    /** The bytes that a closure may take beside these. */
    long closureBytes(long heldBytes) {
        return (long) (CLOCK_SHARE * (check.budget().bytes() - heldBytes));
    }

    /** The bytes that are left beside the held ones. */
    long freeBytes(long heldBytes) {
        return Math.max(0, check.budget().bytes() - heldBytes);
    }

    /** The rules, after they have run. */
    PruneLoop loop() {
        return Objects.requireNonNull(loop, "the rules have run");
    }

    /** Begins the phase in which the known graph is made, unless it runs. */
    private void beginGraph() {
        if (!phases.phase().equals(GRAPH)) {
            phases.begin(GRAPH);
        }
    }

    /** Runs the rules over the known graph, which they extend. */
    void runRules() {
        beginGraph();
        RealTime time = needsRealTime() ? realTime() : null;
        if (time != null && !time.isComplete()) {
            throw new IllegalArgumentException("a transaction ends before it starts");
        }
        Problem bound = problem().bind(time);
        phases.end(bound.graph().edges());
        PruneLoop made = new PruneLoop(bound, phases, check.budget()::exhausted, tuning);
        loop = made;
        made.run(closureBytes(heldBytes(bound)));
    }

    /** Returns an order as a finding, and keeps it in a checkpoint, because its replay takes a while. */
    Finding.Order kept(FoundOrder found) {
        check.checkpoints().keepOrder(found);
        return order(found);
    }

    /** Returns the order that an attempt found, and keeps it in a checkpoint; null if it found none. */
    @Nullable
    Finding kept(Solved solved) {
        return solved.order() == null ? null : kept(solved.order());
    }

    private Finding.Order order(FoundOrder found) {
        int misplaced = events.mayOverlap() ? ListEdges.misplaced(problem(), found.committed(), found.position()) : -1;
        if (misplaced >= 0) {
            throw new BudgetException("level pc: " + check.table().whereIs(misplaced)
                    + ": found an append of unknown outcome that no list shows, and the order found has it too early;"
                    + " check si, which implies pc, or cc, which pc implies");
        }
        check.residual(found.residual());
        return new Finding.Order(check.witness(history.commitStatus(), found.committed(), found.position()), false);
    }
}
