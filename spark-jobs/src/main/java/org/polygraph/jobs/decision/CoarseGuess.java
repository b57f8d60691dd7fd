package org.polygraph.jobs.decision;

import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.closure.ChainClocks;
import org.polygraph.partitioner.closure.EventOrder;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.order.CoarseOrder;
import org.polygraph.partitioner.residual.ResidualCore;
import org.polygraph.solver.Outcome;
import org.polygraph.storage.columnar.HistoryTable;

/**
 * Accepts histories of few values, where the rules alone decide next to no read: as if an order were right but for small
 * distances ({@link CoarseOrder}), the rules go to their fixpoint. What is found is replayed; that nothing is found says
 * nothing.
 *
 * <p>Rules on repeated values come in avalanches: a read decided is an edge, edges decide reads. There is a threshold of what
 * must be known for one to start, and below it the solver has tens of thousands of reads to guess. A guess of the order that
 * is far too coarse to be wrong is above it. Two orders are tried, that of sessions in turn, which is near the truth when
 * sessions went on at one pace, and the one that the rules gave; each from fine to coarse parts until one is not refuted.
 * A refutation takes milliseconds, for it is an avalanche too.
 *
 * <p>Measured, 25 sessions, 500 keys, 5 values, SER, thread CPU-s of a first check: 4,000 transactions 0.4, 8,000 0.8, 16,000 4.8;
 * without the guess 3.9 for 4,000 and none of the others (benchmarks/results/2026-11-solver.md, the wall).
 */
final class CoarseGuess {
    /** Below so many violated reads a transaction the solver is quick. */
    private static final double DENSE = 0.5;

    private static final int FINEST = 64;
    private static final int COARSEST = 3;

    /** What the avalanche must leave of the violated reads at most, or it was none. */
    private static final int MOST_LEFT_SHARE = 3;

    /** Edges of the guess a transaction: many sessions of few transactions each have no pace. */
    private static final int MOST_EDGES = 32;

    private static final long MOST_NANOS = 20_000_000_000L;

    private final HistoryTable table;
    private final Budget budget;
    private final PhaseClock phases;
    private final Kernels stages;
    private final Tuning tuning;

    CoarseGuess(HistoryTable table, Budget budget, PhaseClock phases, Kernels stages, Tuning tuning) {
        this.table = table;
        this.budget = budget;
        this.phases = phases;
        this.stages = stages;
        this.tuning = tuning;
    }

    /** Whether a core is of the kind that this is for. */
    boolean isWorthwhile(IndexedHistory history, ResidualCore core) {
        return tuning.rounds() == Tuning.ADAPTIVE
                && core.violated() >= DENSE * table.transactions()
                && history.versions().ambiguous() >= core.violated() / 2;
    }

    /**
     * Looks for an order. Its rules are on this JVM's heap, whatever the engine.
     *
     * @param known acyclic, without real time
     * @param loop with clocks; what they hold stays as it is
     * @return null if none was found, or there is no memory for more clocks
     */
    @Nullable
    FoundOrder order(IndexedHistory history, KnownGraph known, PruneLoop loop) {
        Events events = known.events();
        if (ChainClocks.bytes(events) > room(history, known, loop)) {
            return null;
        }
        Budget part = budget.part(MOST_NANOS);
        int[] turns = EventOrder.byTurns(known);
        for (int[] position : new int[][] {turns, loop.position()}) {
            for (int parts = FINEST; position != null && parts >= COARSEST; parts = next(parts)) {
                if (CoarseOrder.edges(events, parts) > (long) MOST_EDGES * table.transactions()) {
                    continue;
                }
                IndexedHistory copy = history.copy();
                KnownGraph graph = KnownGraph.of(events, copy.versions());
                CoarseOrder.add(graph, position, parts);
                try (PruneLoop guess = guess(copy, graph, part)) {
                    boolean holds =
                            guess.run(room(copy, graph, loop)) && !guess.isRefuted() && guess.reachability() != null;
                    if (part.exhausted()) {
                        return null;
                    }
                    if (holds) {
                        FoundOrder found = solve(copy, guess, loop, part);
                        if (found != null) {
                            return found;
                        }
                        // A coarser guess of this order says less.
                        break;
                    }
                }
            }
        }
        return null;
    }

    private static int next(int parts) {
        return parts > 4 ? parts / 2 : parts - 1;
    }

    private PruneLoop guess(IndexedHistory copy, KnownGraph graph, Budget part) {
        return new PruneLoop(
                copy,
                graph,
                phases,
                part::exhausted,
                Rules::inMemory,
                order -> stages.check(copy, graph, copy.commitStatus(), order),
                tuning.withRounds(Tuning.FIXPOINT),
                PruneLoop.Listener.NONE);
    }

    /** Bytes that the clocks of a guess may take, beside those of the loop. */
    private long room(IndexedHistory copy, KnownGraph graph, PruneLoop loop) {
        long held = held(copy) + 26L * graph.edges() + loop.heapBytes();
        return (long) (Decision.CLOCK_SHARE * (budget.bytes() - held));
    }

    private @Nullable FoundOrder solve(IndexedHistory copy, PruneLoop rules, PruneLoop loop, Budget part) {
        ResidualCore core = rules.core();
        if (core.violated() > loop.core().violated() / MOST_LEFT_SHARE) {
            return null;
        }
        phases.begin("solve");
        CoreSolving.Solved solved = CoreSolving.attempt(
                copy,
                rules.graph(),
                rules.reachability(),
                rules.position(),
                core,
                part,
                tuning.solver(),
                Math.max(0, budget.bytes() - held(copy) - loop.heapBytes() - rules.heapBytes()));
        Outcome outcome = solved.outcome();
        phases.end(outcome.statistics().conflicts());
        return outcome instanceof Outcome.Satisfiable satisfiable
                ? new FoundOrder(
                        solved.position(satisfiable),
                        solved.committed(satisfiable),
                        CoreSolving.size(core, copy, outcome.statistics()))
                : null;
    }

    private long held(IndexedHistory of) {
        return table.arrayBytes() + 2 * of.versions().bytes();
    }
}
