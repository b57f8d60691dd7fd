package org.polygraph.jobs.pipeline;

import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.closure.ChainClocks;
import org.polygraph.partitioner.evidence.CycleEvidence;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.partitioner.order.EventOrder;
import org.polygraph.partitioner.prune.Saturation;

/**
 * Closure and saturation in turn, a few rounds, then the order: what can be decided by rules alone. Nearly all forced
 * edges come in the first round; the loop ends when one brings less than {@value #WORTHWHILE} of the first, for the
 * solver finishes the rest sooner.
 */
final class PruneLoop {
    private static final int MOST_ROUNDS = 4;
    private static final double WORTHWHILE = 0.01;

    private final IndexedHistory history;
    private final KnownGraph graph;
    private final PhaseClock phases;
    private final BooleanSupplier stop;
    private @Nullable ChainClocks clocks;
    private int @Nullable [] position;
    private @Nullable Supplier<Violation> refutation;

    PruneLoop(IndexedHistory history, KnownGraph graph, PhaseClock phases, BooleanSupplier stop) {
        this.history = history;
        this.graph = graph;
        this.phases = phases;
        this.stop = stop;
    }

    /** @param withClocks false if the clocks do not fit: then no rule is applied; @return false if the budget ended */
    boolean run(boolean withClocks) {
        return withClocks ? saturate() : orderOnly();
    }

    /** Whether the rules alone refute the graph; if not there is an order, and maybe a refutation by the solver. */
    boolean isRefuted() {
        return refutation != null;
    }

    /** Why it {@link #isRefuted}. Searches for the shortest cycle only now. */
    Violation violation() {
        Supplier<Violation> found = refutation;
        if (found == null) {
            throw new IllegalStateException("nothing was refuted");
        }
        return found.get();
    }

    /** An order that extends the known graph, unless it {@link #isRefuted}. */
    int[] position() {
        int[] found = position;
        if (found == null) {
            throw new IllegalStateException("no order was made");
        }
        return found;
    }

    /** Certain reachability; null without clocks. */
    @Nullable
    ChainClocks clocks() {
        return clocks;
    }

    private boolean orderOnly() {
        phases.begin("order");
        position = EventOrder.byTurns(graph);
        if (position == null) {
            refutation = () -> new CycleEvidence(history, graph)
                    .ofCycle(new int[graph.events().chains()]);
        }
        phases.end(graph.events().count());
        return true;
    }

    private boolean saturate() {
        phases.begin("closure");
        ChainClocks rows = ChainClocks.of(graph);
        clocks = rows;
        if (!close(rows)) {
            return false;
        }
        Saturation saturation = new Saturation(graph, history.versions(), rows, history.counting());
        int firstRound = 0;
        for (int round = 0; round < MOST_ROUNDS && refutation == null; round++) {
            phases.begin("saturation");
            int before = graph.edges();
            Saturation.Result result = saturation.round(stop);
            int forced = graph.edges() - before;
            phases.end(forced);
            if (result == Saturation.Result.STOPPED) {
                return false;
            }
            if (result == Saturation.Result.CONTRADICTION) {
                refutation = () -> new CycleEvidence(history, graph)
                        .ofImpossibleRead(
                                saturation.impossibleKey(), saturation.impossibleReader(), graph.currentRound());
                return true;
            }
            if (result == Saturation.Result.FIXPOINT) {
                break;
            }
            phases.begin("closure");
            if (!close(rows)) {
                return false;
            }
            firstRound = Math.max(firstRound, forced);
            if (forced < WORTHWHILE * firstRound) {
                break;
            }
        }
        if (refutation == null) {
            phases.begin("order");
            position = EventOrder.byRank(graph.events(), rows);
            phases.end(graph.events().count());
        }
        return true;
    }

    /** @return false if the budget ended */
    private boolean close(ChainClocks rows) {
        ChainClocks.Result result = rows.update(stop);
        if (result == ChainClocks.Result.CYCLIC) {
            refutation = () -> new CycleEvidence(history, graph).ofCycle(rows.done());
        }
        phases.end(graph.edges());
        return result != ChainClocks.Result.STOPPED;
    }
}
