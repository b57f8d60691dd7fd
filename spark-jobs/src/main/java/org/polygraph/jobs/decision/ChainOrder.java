package org.polygraph.jobs.decision;

import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.closure.EventOrder;
import org.polygraph.partitioner.evidence.CycleEvidence;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.graph.Problem;
import org.polygraph.partitioner.graph.RealTime;
import org.polygraph.partitioner.order.VersionChains;

/**
 * If every writer of a key has read it, the reads give the order of versions ({@link VersionChains}). Then the graph is
 * complete, and an order or a cycle of it decides.
 */
final class ChainOrder implements Strategy {
    private final Decision state;

    ChainOrder(Decision state) {
        this.state = state;
    }

    /** @return null if the history is not of this kind, or only real time may refute it */
    @Override
    public @Nullable Finding find() {
        if (!state.tuning.hasRules()
                || state.events.mayOverlap()
                || state.history().sums() != null) {
            return null;
        }
        VersionChains chains =
                VersionChains.of(state.history().versions(), state.history().commitStatus());
        if (chains == null) {
            return null;
        }
        PhaseClock phases = state.phases;
        Problem problem = Problem.of(state.history(), state.check.request().level());
        KnownGraph graph = problem.graph();
        chains.addTo(graph);
        phases.end(graph.edges());
        phases.begin("order");
        int[] position = null;
        if (!chains.isDiverging()) {
            position = state.needsRealTime() ? byTime(graph) : EventOrder.byTurns(graph);
        }
        phases.end(graph.events().count());
        if (position != null) {
            return state.kept(new FoundOrder(position));
        }
        if (state.needsRealTime() && !chains.isDiverging() && EventOrder.byTurns(graph) != null) {
            return null;
        }
        state.check.refuted(Finding.Refuted.unexplained());
        phases.begin("evidence");
        return new Finding.Refuted(new CycleEvidence(problem, state.check.budget()::exhausted).ofCycles());
    }

    private int @Nullable [] byTime(KnownGraph graph) {
        RealTime time = state.realTime();
        return time == null ? null : EventOrder.byTime(graph, time);
    }
}
