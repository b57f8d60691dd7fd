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
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.index.VersionIndex;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.partitioner.prune.Saturation;
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

    private final IndexedHistory history;
    private final KnownGraph graph;
    private final PhaseClock phases;
    private final BooleanSupplier stop;
    private final Tuning tuning;
    private @Nullable Rules rules;
    private int @Nullable [] position;
    private @Nullable ResidualCore core;
    private @Nullable Refuted refutation;

    /**
     * The reason why the rules refute the graph.
     *
     * @param key of the read that has no candidate left; -1: the graph has cycles
     * @param round that found it
     */
    private record Refuted(int key, int reader, int round) {
        static final Refuted BY_CYCLES = new Refuted(-1, -1, -1);
    }

    PruneLoop(IndexedHistory history, KnownGraph graph, PhaseClock phases, BooleanSupplier stop, Tuning tuning) {
        this.history = history;
        this.graph = graph;
        this.phases = phases;
        this.stop = stop;
        this.tuning = tuning;
    }

    /** A loop for a small history: without phases. */
    static PruneLoop ofSmall(IndexedHistory history, KnownGraph graph, Tuning tuning, BooleanSupplier stop) {
        return new PruneLoop(history, graph, new PhaseClock(Progress.NONE, 0), stop, tuning);
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
        Refuted found = Objects.requireNonNull(refutation, "a refutation");
        CycleEvidence evidence = new CycleEvidence(history, graph, stop);
        return found.key < 0
                ? evidence.ofCycles()
                : List.of(evidence.ofImpossibleRead(found.key, found.reader, found.round));
    }

    KnownGraph graph() {
        return graph;
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
        return new ResidualProblem(history, graph, made == null ? null : made::reaches, position(), core());
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
        int[] found = EventOrder.of(graph);
        int[] order = found == null ? null : tightened(found);
        phases.end(graph.events().count());
        if (order == null) {
            refutation = Refuted.BY_CYCLES;
        } else {
            check(order);
        }
    }

    private void saturate(long closureBytes) {
        phases.begin("closure");
        Rules made = Rules.of(history, graph, closureBytes, tuning);
        rules = made;
        if (made == null) {
            orderOnly();
            return;
        }
        close(made);
        Saturation.RoundResult result = Saturation.RoundResult.FORCED;
        for (int round = mostRounds();
                round > 0 && refutation == null && result == Saturation.RoundResult.FORCED;
                round--) {
            result = round(made);
        }
        if (refutation == null) {
            order(made);
        }
    }

    private int mostRounds() {
        if (tuning.rounds() != Tuning.ADAPTIVE) {
            return tuning.rounds();
        }
        return history.versions().hasUniqueValues() ? UNIQUE_ROUNDS : REPEATED_ROUNDS;
    }

    /** Estimated time of a round. */
    private double roundNanos() {
        Events events = graph.events();
        VersionIndex versions = history.versions();
        double cells = (double) events.count() * events.chains();
        double items = versions.writers() + versions.readers();
        return CELL_NANOS * cells + ITEM_NANOS * items;
    }

    private void order(Rules made) {
        phases.begin("order");
        int[] order = tightened(made.order());
        phases.end(graph.events().count());
        check(order);
    }

    private int[] tightened(int[] order) {
        return graph.realTime() != null ? order : EventOrder.withEarlyCommits(graph, order);
    }

    /** One round of rules and the closure of what they force. */
    private Saturation.RoundResult round(Rules made) {
        phases.begin("saturation");
        int before = graph.edges();
        Saturation.RoundResult result;
        try {
            result = made.round(stop);
        } finally {
            phases.end(graph.edges() - before);
        }
        if (result == Saturation.RoundResult.CONTRADICTION) {
            refutation = new Refuted(made.impossibleKey(), made.impossibleReader(), graph.currentRound());
        } else if (result == Saturation.RoundResult.FORCED) {
            phases.begin("closure");
            close(made);
        }
        return result;
    }

    private void check(int[] order) {
        phases.begin("check");
        ResidualCore found = ResidualCore.of(graph, history.versions(), history.commitStatus(), order, stop);
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
        long most = Math.min(MOST_EVIDENCE_ROUNDS, (long) Math.ceil(MOST_EVIDENCE_NANOS / roundNanos()));
        try {
            for (int more = 0; more < most && refutation == null; more++) {
                if (round(made) == Saturation.RoundResult.FIXPOINT) {
                    break;
                }
            }
        } catch (BudgetException | OutOfMemoryError e) {
            // The evidence is then the core of the solver.
            return false;
        }
        return refutation != null;
    }

    private void close(Rules made) {
        try {
            if (!made.close(stop)) {
                refutation = Refuted.BY_CYCLES;
            }
        } finally {
            phases.end(graph.edges());
        }
    }
}
