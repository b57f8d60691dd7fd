package org.polygraph.jobs.decision;

import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.closure.ChainClocks;
import org.polygraph.partitioner.closure.EventOrder;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.Problem;
import org.polygraph.partitioner.order.CoarseOrder;

/**
 * Accepts histories of few values, where the rules alone decide almost no read: assumes that an order is right except
 * over small distances ({@link CoarseOrder}), and runs the rules to their fixpoint. An order that is found is replayed.
 * A failure has no meaning.
 *
 * <p>If values repeat, a decided read is an edge, and edges decide further reads. Above a threshold of known edges this
 * decides almost all reads; below it the solver has to guess tens of thousands of them. Even a guess of the order that
 * is so coarse that it is rarely wrong reaches the threshold. Two orders are tried: the sessions in turn, which is near
 * the truth when sessions ran at one pace, and the order of the rules. Guesses of each order become coarser until one
 * is not refuted. A refutation takes milliseconds, because it decides many reads at once too.
 *
 * <p>Measured, 25 sessions, 500 keys, 5 values, SER, CPU seconds of the thread in a first check: 4,000 transactions
 * 0.4, 8,000 0.8, 16,000 4.8; without the guess 3.9 for 4,000 and none of the others
 * (benchmarks/results/2026-11-solver.md, few keys and few values).
 */
final class CoarseGuess implements Strategy {
    /** With fewer violated reads per transaction the solver is fast. */
    private static final double DENSE = 0.5;

    private static final int FINEST = 64;
    private static final int COARSEST = 3;

    /** A guess is worthwhile if it leaves at most one violated read in this many. */
    private static final int MOST_LEFT_SHARE = 3;

    /**
     * The most edges of a guess for each transaction. A guess over many sessions of few transactions would have more,
     * and such sessions do not run at one pace.
     */
    private static final int MOST_EDGES = 32;

    private static final long MOST_NANOS = 20_000_000_000L;

    private final Decision state;
    private final Budget budget;

    CoarseGuess(Decision state) {
        this.state = state;
        this.budget = state.check.budget();
    }

    /** @return null if no guess has an order, or the memory for more clocks is missing */
    @Override
    public @Nullable Finding find() {
        PruneLoop loop = state.loop();
        return state.needsRealTime() || !loop.hasReachability() || !isWorthwhile(loop) ? null : find(loop);
    }

    /** Whether the core is dense, and has reads with several candidate writers. */
    private boolean isWorthwhile(PruneLoop loop) {
        long violated = loop.core().violated();
        return state.tuning.rounds() == Tuning.USUAL
                && violated >= DENSE * state.check.table().transactions()
                && state.history().versions().ambiguous() >= violated / 2;
    }

    /** The rules of a guess take heap of their own; those of the loop stay as they are. */
    private @Nullable Finding find(PruneLoop loop) {
        Problem known = state.problem();
        Events events = state.events;
        if (ChainClocks.bytes(events) > room(known, loop)) {
            return null;
        }
        Budget share = budget.atMost(MOST_NANOS);
        int[] turns = EventOrder.byTurns(known.graph());
        for (int[] position : new int[][] {turns, loop.position()}) {
            for (int windows = FINEST; position != null && windows >= COARSEST; windows = next(windows)) {
                if (CoarseOrder.edges(events, windows)
                        > (long) MOST_EDGES * state.check.table().transactions()) {
                    continue;
                }
                Problem copy = known.copy();
                CoarseOrder.add(copy.graph(), position, windows);
                PruneLoop guess =
                        new PruneLoop(copy, state.phases, share::exhausted, state.tuning.withRounds(Tuning.FIXPOINT));
                guess.run(room(copy, loop));
                share.require();
                if (!guess.isRefuted() && guess.hasReachability()) {
                    Finding found = solve(copy, guess, loop, share);
                    if (found != null) {
                        return found;
                    }
                    // A coarser guess of this order assumes less and decides less, so it is not tried.
                    break;
                }
            }
        }
        return null;
    }

    private static int next(int windows) {
        return windows > 4 ? windows / 2 : windows - 1;
    }

    /** Returns the bytes that the clocks of a guess may take, beside those of the loop. */
    private long room(Problem copy, PruneLoop loop) {
        return state.closureBytes(held(copy) + 26L * copy.graph().edges() + loop.heapBytes());
    }

    private @Nullable Finding solve(Problem copy, PruneLoop guess, PruneLoop loop, Budget share) {
        if (guess.core().violated() > loop.core().violated() / MOST_LEFT_SHARE) {
            return null;
        }
        state.phases.begin("solve");
        Solved solved = CoreSolving.attempt(
                guess.problem(),
                share,
                state.tuning.solver(),
                state.freeBytes(held(copy) + loop.heapBytes() + guess.heapBytes()));
        state.phases.end(solved.residual().conflicts());
        return state.kept(solved);
    }

    private long held(Problem of) {
        return state.check.table().arrayBytes() + 2 * of.versions().bytes();
    }
}
