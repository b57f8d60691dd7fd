package org.polygraph.jobs.decision;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.verdict.ResidualSize;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.graph.RealTime;
import org.polygraph.partitioner.index.CommitStatus;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.solver.Outcome;

/**
 * The data that the strategies of one decision share: the indexed history, its known graph and the state of the rules.
 */
final class DecisionState {
    /** The share of the remaining memory that the closure may take; edges, the solver and the replay take the rest. */
    private static final double CLOCK_SHARE = 0.6;

    private static final String GRAPH = "graph";

    final Check check;
    final Tuning tuning;
    final PhaseClock phases;
    final Events events;
    private final IndexedHistory history;
    private @Nullable KnownGraph graph;
    private @Nullable PruneLoop loop;

    DecisionState(Check check, Tuning tuning, IndexedHistory history) {
        this.check = check;
        this.tuning = tuning;
        this.phases = check.phases();
        this.history = history;
        this.events = new Events(
                check.request().level().eventsPerTransaction(), check.table().sessionStarts(), history.sessionOf());
    }

    IndexedHistory history() {
        return history;
    }

    /** The edges that hold in every order, without real time until the rules run. */
    KnownGraph graph() {
        KnownGraph made = graph;
        if (made == null) {
            made = KnownGraph.of(events, history.versions());
            graph = made;
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
    long heldBytes(IndexedHistory indexed, KnownGraph known) {
        return check.table().arrayBytes() + indexed.versions().bytes() + 13L * known.edges();
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
    void beginGraph() {
        if (!phases.phase().equals(GRAPH)) {
            phases.begin(GRAPH);
        }
    }

    /** Runs the rules over the known graph, which they extend. */
    void runRules() {
        beginGraph();
        KnownGraph known = graph();
        RealTime time = needsRealTime() ? realTime() : null;
        if (time != null) {
            if (!time.isComplete()) {
                throw new IllegalArgumentException("a transaction ends before it starts");
            }
            known.bind(time);
        }
        phases.end(known.edges());
        PruneLoop made = new PruneLoop(history, known, phases, check.budget()::exhausted, tuning);
        loop = made;
        made.run(closureBytes(heldBytes(history, known)));
    }

    /** Returns an order that was found without the solver, and keeps it in a checkpoint. */
    Finding.Order kept(int[] position) {
        return kept(new FoundOrder(position, null, ResidualSize.NONE));
    }

    /** Returns an order as a finding, and keeps it in a checkpoint, because its replay takes a while. */
    Finding.Order kept(FoundOrder found) {
        check.checkpoints().keepOrder(found);
        return order(found);
    }

    /** Returns the order that the solver found, and keeps it in a checkpoint; null if the solver found none. */
    @Nullable
    Finding kept(CoreSolving.Solved solved, ResidualProblem problem) {
        Outcome outcome = solved.outcome();
        phases.end(outcome.statistics().conflicts());
        return outcome instanceof Outcome.Satisfiable satisfiable
                ? kept(new FoundOrder(
                        solved.position(satisfiable),
                        solved.committed(satisfiable),
                        problem.size(outcome.statistics())))
                : null;
    }

    Finding.Order order(FoundOrder found) {
        check.residual(found.residual());
        CommitStatus status = history.commitStatus();
        return new Finding.Order(check.witness(status, found.committed(), found.position()), false);
    }
}
