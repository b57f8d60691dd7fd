package org.polygraph.jobs.pipeline;

import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.closure.ChainClocks;
import org.polygraph.partitioner.closure.Closure;
import org.polygraph.partitioner.closure.WindowClosure;
import org.polygraph.partitioner.evidence.CycleEvidence;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.index.VersionIndex;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.partitioner.order.EventOrder;
import org.polygraph.partitioner.prune.Saturation;
import org.polygraph.partitioner.residual.ResidualCore;

/**
 * Closure, saturation, order and check in turn, a few rounds: what can be decided by rules alone, and the residual core
 * that is left. Nearly all forced edges come in the first round; another one is worth its time only while the order breaks
 * more than a read in {@value #FEW} transactions, for the solver repairs a few sooner, and while rounds still bring much.
 * Far from that, order and check wait for the last round.
 */
final class PruneLoop {
    private static final int MOST_ROUNDS = 8;
    private static final int FEW = 500;
    /** So few violated reads are never worth another round: it runs cold on a history that small. */
    private static final int FEW_ITEMS = 400;

    /** So many times {@link #FEW} and no next round will bring it down to that: it is not even checked. */
    private static final int FAR = 32;

    /**
     * A round that forces less than this share of the first round's edges is the last: the solver is as fast from there. With
     * unique values that is the second one: 1M transactions, zipf 0.9, after 1, 2 and 3 rounds: SER 9.9, 11.0, 11.6 CPU-s, SI
     * 16.0, 14.3, 14.4; 300k: SER 3.7, 3.5, 3.9, SI 6.5, 5.5, 5.7.
     */
    private static final double WORTHWHILE_UNIQUE = 0.5;

    /** The same where values repeat: rounds decide reads there, which the solver does not. */
    private static final double WORTHWHILE_REPEATED = 0.06;

    /** Writers of a key from which on it is better handled by session than by time, where real time counts. */
    private static final int MANY_WRITERS = 256;

    private static final int MOST_SESSIONS = 128;

    /** Rounds after a refutation by the solver, for evidence. */
    private static final int MOST_EVIDENCE_ROUNDS = 40;

    /** The check of every key against an order, by the engine at hand. */
    @FunctionalInterface
    interface Check {
        /** What the order breaks; null if the budget ended. */
        @Nullable
        ResidualCore of(int[] position);
    }

    private final IndexedHistory history;
    private final KnownGraph graph;
    private final PhaseClock phases;
    private final BooleanSupplier stop;
    private final Check check;
    private final Tuning tuning;
    private @Nullable Closure clocks;
    private @Nullable Saturation saturation;
    private int @Nullable [] position;
    private @Nullable ResidualCore core;
    private int lastForced;
    private @Nullable Supplier<List<Violation>> refutation;

    PruneLoop(
            IndexedHistory history,
            KnownGraph graph,
            PhaseClock phases,
            BooleanSupplier stop,
            Check check,
            Tuning tuning) {
        this.history = history;
        this.graph = graph;
        this.phases = phases;
        this.stop = stop;
        this.check = check;
        this.tuning = tuning;
    }

    /**
     * Runs it.
     *
     * @param closureBytes what the closure may take; if it does not fit no rule is applied
     * @return false if the budget ended
     */
    boolean run(long closureBytes) {
        Closure rows = closure(closureBytes);
        if (rows == null) {
            return orderOnly();
        }
        if (saturate(rows)) {
            return true;
        }
        if (rows instanceof WindowClosure window && window.isOutgrown()) {
            clocks = null;
            saturation = null;
            return orderOnly();
        }
        return false;
    }

    private @Nullable Closure closure(long most) {
        if (graph.realTime() == null) {
            return ChainClocks.bytes(graph.events()) <= most ? ChainClocks.of(graph) : null;
        }
        if (goesBySession()
                && ChainClocks.bytes(graph.events()) + 12L * graph.events().count() <= most) {
            return ChainClocks.of(graph);
        }
        long fixed = WindowClosure.bytes(graph.events());
        return fixed <= most ? WindowClosure.of(graph, most - fixed) : null;
    }

    /**
     * Whether rules by session are faster than rules by time: where keys have many writers, all of few sessions, for then
     * nearly all that overlaps writes the key.
     */
    private boolean goesBySession() {
        if (tuning.rows() != Tuning.RealTimeRows.BY_KEYS) {
            return tuning.rows() == Tuning.RealTimeRows.CHAINS;
        }
        if (graph.events().chains() > MOST_SESSIONS) {
            return false;
        }
        VersionIndex index = history.versions();
        int[] starts = index.writerStarts();
        long inHot = 0;
        for (int key = 0; key < index.keys(); key++) {
            int writers = starts[key + 1] - starts[key];
            inHot += writers >= MANY_WRITERS ? writers : 0;
        }
        return 2 * inHot > index.writers();
    }

    /** Whether the rules alone refute the graph; if not there is an order, and maybe a refutation by the solver. */
    boolean isRefuted() {
        return refutation != null;
    }

    /** Why it {@link #isRefuted}, the clearest first. Searches for the shortest cycles only now. */
    List<Violation> violations() {
        Supplier<List<Violation>> found = refutation;
        if (found == null) {
            throw new IllegalStateException("nothing was refuted");
        }
        return found.get();
    }

    KnownGraph graph() {
        return graph;
    }

    /** An order that extends the known graph, unless it {@link #isRefuted}. */
    int[] position() {
        int[] found = position;
        if (found == null) {
            throw new IllegalStateException("no order was made");
        }
        return found;
    }

    /** What {@link #position} breaks, unless it {@link #isRefuted}. */
    ResidualCore core() {
        ResidualCore found = core;
        if (found == null) {
            throw new IllegalStateException("nothing was checked");
        }
        return found;
    }

    /** Certain reachability; null without a closure. */
    @Nullable
    Closure clocks() {
        return clocks;
    }

    private boolean orderOnly() {
        phases.begin("order");
        int[] order = EventOrder.of(graph);
        phases.end(graph.events().count());
        if (order == null) {
            refutation = () -> new CycleEvidence(history, graph).ofCycles();
            return true;
        }
        return checked(order);
    }

    private boolean saturate(Closure rows) {
        phases.begin("closure");
        clocks = rows;
        if (!close(rows)) {
            return false;
        }
        Saturation rules = new Saturation(graph, history.versions(), rows, history.counting());
        saturation = rules;
        long few = Math.max(FEW_ITEMS, graph.events().chainsByTransaction().length / FEW);
        double worthwhile = history.versions().hasUniqueValues() ? WORTHWHILE_UNIQUE : WORTHWHILE_REPEATED;
        int firstRound = 0;
        boolean isStale = true;
        boolean adaptive = tuning.rounds() == Tuning.ADAPTIVE;
        int mostRounds = adaptive ? MOST_ROUNDS : tuning.rounds();
        if (mostRounds == 0 && refutation == null) {
            return ordered(rows);
        }
        for (int round = 1; refutation == null; round++) {
            Saturation.Result result = round(rules, rows);
            if (result == Saturation.Result.STOPPED) {
                return false;
            }
            if (refutation != null) {
                return true;
            }
            firstRound = Math.max(firstRound, lastForced);
            isStale |= result == Saturation.Result.FORCED;
            boolean last = result == Saturation.Result.FIXPOINT
                    || round == mostRounds
                    || (adaptive && lastForced < worthwhile * firstRound);
            ResidualCore known = core;
            if (isStale && (last || (adaptive && (known == null || known.violated() <= FAR * few)))) {
                if (!ordered(rows)) {
                    return false;
                }
                isStale = false;
            }
            if (last || (adaptive && core().violated() <= few)) {
                return true;
            }
        }
        return true;
    }

    private boolean ordered(Closure rows) {
        phases.begin("order");
        int[] order = tuning.start() == Tuning.StartOrder.TURNS && graph.realTime() == null
                ? EventOrder.byTurns(graph, new int[graph.events().chains()])
                : EventOrder.of(graph, rows);
        phases.end(graph.events().count());
        return checked(Objects.requireNonNull(order));
    }

    /** One round of rules and the closure of what they force. */
    private Saturation.Result round(Saturation rules, Closure rows) {
        phases.begin("saturation");
        int before = graph.edges();
        Saturation.Result result = rules.round(stop);
        lastForced = graph.edges() - before;
        phases.end(lastForced);
        if (result == Saturation.Result.CONTRADICTION) {
            int round = graph.currentRound();
            refutation = () -> List.of(new CycleEvidence(history, graph)
                    .ofImpossibleRead(rules.impossibleKey(), rules.impossibleReader(), round));
        } else if (result == Saturation.Result.FORCED) {
            phases.begin("closure");
            if (!close(rows)) {
                return Saturation.Result.STOPPED;
            }
        }
        return result;
    }

    private boolean checked(int[] order) {
        phases.begin("check");
        ResidualCore found = check.of(order);
        phases.end(found == null ? 0 : found.violated());
        position = order;
        core = found;
        return found != null;
    }

    /**
     * After the solver has refuted the core: goes on with the rules, for a cycle with reasons says more than a core of
     * clauses.
     *
     * @param mostNanos gives up after so long: the verdict stands without it
     * @return whether the rules found one
     */
    boolean refuteByRules(long mostNanos) {
        Saturation rules = saturation;
        Closure rows = clocks;
        if (rules == null || rows == null) {
            return false;
        }
        long start = System.nanoTime();
        for (int round = 0;
                round < MOST_EVIDENCE_ROUNDS && refutation == null && System.nanoTime() - start < mostNanos;
                round++) {
            Saturation.Result result = round(rules, rows);
            if (result == Saturation.Result.STOPPED || result == Saturation.Result.FIXPOINT) {
                break;
            }
        }
        return refutation != null;
    }

    /** @return false if the budget ended */
    private boolean close(Closure rows) {
        Closure.Result result = rows.update(stop);
        if (result == Closure.Result.CYCLIC) {
            refutation = () -> new CycleEvidence(history, graph).ofCycles();
        }
        phases.end(graph.edges());
        return result != Closure.Result.STOPPED;
    }
}
