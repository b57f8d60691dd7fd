package org.polygraph.jobs.decision;

import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.closure.EventOrder;
import org.polygraph.partitioner.closure.OutgrownException;
import org.polygraph.partitioner.evidence.CycleEvidence;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.graph.Problem;
import org.polygraph.partitioner.index.VersionIndex;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.partitioner.prune.Rules;
import org.polygraph.partitioner.residual.ResidualCore;
import org.polygraph.storage.model.BudgetException;

/**
 * Runs a few rounds of closure and saturation, then orders the events and checks the order. It decides the reads that
 * rules can decide, and leaves the residual core. Almost all forced edges come in the first rounds.
 */
final class PruneLoop {
    /**
     * Rounds if values are unique: the solver is as fast from there. 1M transactions, zipf 0.9, after 1, 2 and 3
     * rounds: SER 9.9, 11.0, 11.6 CPU-s, SI 16.0, 14.3, 14.4; 300k: SER 3.7, 3.5, 3.9, SI 6.5, 5.5, 5.7.
     */
    private static final int UNIQUE_ROUNDS = 2;

    /** Rounds if values repeat. They decide reads with several candidates, which is hard for the solver. */
    private static final int REPEATED_ROUNDS = 8;
    /** Estimated cost of a round: closure for each cell of the clocks; rules for each read or write. */
    private static final double CELL_NANOS = 10;

    private static final double ITEM_NANOS = 250;

    /**
     * Rounds after a refutation by the solver, for evidence. Their time is estimated, not measured, so that the
     * evidence depends neither on the machine nor on the engine.
     */
    static final int MOST_EVIDENCE_ROUNDS = 40;

    private static final double MOST_EVIDENCE_NANOS = 5e9;

    private final Problem problem;
    private final Rules.Phases phases;
    private final BooleanSupplier stop;
    private final Tuning tuning;
    private @Nullable Rules rules;
    private int @Nullable [] position;
    private @Nullable ResidualCore core;
    private Rules.@Nullable Refutation refutation;

    PruneLoop(Problem problem, Rules.Phases phases, BooleanSupplier stop, Tuning tuning) {
        this.problem = problem;
        this.phases = phases;
        this.stop = stop;
        this.tuning = tuning;
    }

    /**
     * Runs the loop.
     *
     * @param closureBytes what the closure may take; if it does not fit no rule is applied
     */
    void run(long closureBytes) {
        if (!tuning.hasRules()) {
            orderOnly();
            return;
        }
        try {
            saturate(closureBytes);
        } catch (OutgrownException e) {
            // The rounds outgrew their memory.
            rules = null;
            orderOnly();
        }
    }

    /** Whether the rules alone refute the graph. If not there is an order, which the solver may still refute. */
    boolean isRefuted() {
        return refutation != null;
    }

    /**
     * Returns the violations by which it {@link #isRefuted}, the clearest first. The shortest cycles are searched only
     * now.
     */
    List<Violation> violations() {
        return new CycleEvidence(problem, stop).of(Objects.requireNonNull(refutation, "a refutation"));
    }

    /** Returns an order that extends the known graph, unless it {@link #isRefuted}. */
    int[] position() {
        return Objects.requireNonNull(position, "an order");
    }

    /** Returns the reads and writers that {@link #position} breaks, unless it {@link #isRefuted}. */
    ResidualCore core() {
        return Objects.requireNonNull(core, "a check of the order");
    }

    /** Returns the problem that is left to the solver, unless it {@link #isRefuted}. */
    ResidualProblem problem() {
        Rules made = rules;
        return new ResidualProblem(problem, made == null ? null : made::reaches, position(), core());
    }

    /** Whether there is a closure. */
    boolean hasReachability() {
        return rules != null;
    }

    /** The bytes of heap that reachability takes. */
    long heapBytes() {
        return rules == null ? 0 : rules.heapBytes();
    }

    private void orderOnly() {
        phases.begin("order");
        KnownGraph graph = problem.graph();
        int[] found = EventOrder.of(graph);
        int[] order = found == null ? null : tightened(found);
        phases.end(graph.events().count());
        if (order == null) {
            refutation = Rules.Refutation.BY_CYCLES;
        } else {
            check(order);
        }
    }

    private void saturate(long closureBytes) {
        Rules made = Rules.of(problem, closureBytes, tuning.rows(), tuning.workerThreads(), phases);
        rules = made;
        if (made == null) {
            orderOnly();
            return;
        }
        refutation = made.run(mostRounds(), stop);
        if (refutation == null) {
            phases.begin("order");
            int[] order = tightened(made.order());
            phases.end(problem.events().count());
            check(order);
        }
    }

    private int mostRounds() {
        if (tuning.rounds() != Tuning.USUAL) {
            return tuning.rounds();
        }
        return problem.versions().hasUniqueValues() ? UNIQUE_ROUNDS : REPEATED_ROUNDS;
    }

    /** Estimated time of a round. */
    private double roundNanos() {
        Events events = problem.events();
        VersionIndex versions = problem.versions();
        double cells = (double) events.count() * events.chains();
        double items = versions.writers() + versions.readers();
        return CELL_NANOS * cells + ITEM_NANOS * items;
    }

    private int[] tightened(int[] order) {
        return problem.graph().realTime() != null ? order : EventOrder.withEarlyCommits(problem.graph(), order);
    }

    private void check(int[] order) {
        phases.begin("check");
        ResidualCore found = ResidualCore.of(problem, order, stop);
        phases.end(found.violated());
        position = order;
        core = found;
    }

    /**
     * Runs further rounds after the solver has refuted the core, because a cycle with reasons explains more than a core
     * of clauses.
     */
    boolean refuteByRules() {
        Rules made = rules;
        if (made == null) {
            return false;
        }
        try {
            refutation = made.run(
                    Math.min(MOST_EVIDENCE_ROUNDS, (long) Math.ceil(MOST_EVIDENCE_NANOS / roundNanos())), stop);
        } catch (BudgetException | OutOfMemoryError e) {
            // The evidence is then the core of the solver.
            return false;
        }
        return refutation != null;
    }
}
