package org.polygraph.jobs.decision;

import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.closure.EventOrder;
import org.polygraph.partitioner.evidence.CycleEvidence;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.graph.RealTime;
import org.polygraph.partitioner.order.VersionChains;

/**
 * Where every writer of a key has read it, the reads give the order of versions ({@link VersionChains}): the graph is
 * complete, and an order or a cycle of it decides.
 */
final class ChainOrder implements Strategy {
    private final Search search;

    ChainOrder(Search search) {
        this.search = search;
    }

    /** @return null if the history is not of this kind, or only real time may refute it */
    @Override
    public @Nullable Finding find() {
        if (!search.tuning.hasRules()) {
            return null;
        }
        VersionChains chains =
                VersionChains.of(search.history().versions(), search.history().commitStatus());
        if (chains == null) {
            return null;
        }
        PhaseClock phases = search.phases;
        KnownGraph graph = KnownGraph.of(search.events, search.history().versions());
        chains.addTo(graph);
        phases.end(graph.edges());
        phases.begin("order");
        int[] position = null;
        if (!chains.isDiverging()) {
            position = search.needsRealTime() ? byTime(graph) : byTurns(graph);
        }
        phases.end(graph.events().count());
        if (position != null) {
            return search.kept(position);
        }
        if (search.needsRealTime() && !chains.isDiverging() && byTurns(graph) != null) {
            return null;
        }
        search.check.refuted(Finding.Refuted.unexplained());
        phases.begin("evidence");
        return new Finding.Refuted(new CycleEvidence(search.history(), graph).ofCycles());
    }

    private int @Nullable [] byTime(KnownGraph graph) {
        RealTime time = search.realTime();
        return time == null ? null : EventOrder.byTime(graph, time);
    }

    private static int @Nullable [] byTurns(KnownGraph graph) {
        return EventOrder.byTurns(graph);
    }
}
