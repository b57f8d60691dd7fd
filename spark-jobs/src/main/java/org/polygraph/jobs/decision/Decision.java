package org.polygraph.jobs.decision;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.application.Checker;
import org.polygraph.jobs.certificate.IndeterminateMode;
import org.polygraph.jobs.verdict.Certificate;
import org.polygraph.jobs.verdict.ResidualSize;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.closure.EventOrder;
import org.polygraph.partitioner.evidence.CycleEvidence;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.graph.RealTime;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.order.VersionChains;
import org.polygraph.partitioner.residual.ResidualCore;
import org.polygraph.solver.Outcome;
import org.polygraph.storage.artifact.ArrayFile;
import org.polygraph.storage.columnar.HistoryTable;

/**
 * One decision, from a history to a verdict: the stages that all engines share, around the {@link Kernels} of one of
 * them. Index, closure and saturation in turn, order, check by key, solver for what is left, replay of the order against
 * the raw history. One thread; used once.
 */
public final class Decision {
    private static final String EVIDENCE = "evidence";
    /** Of the memory that is left, what the clocks may take; the rest is for edges, the solver and the replay. */
    static final double CLOCK_SHARE = 0.6;

    private final HistoryTable table;
    private final CheckRequest request;
    private final Budget budget;
    private final PhaseClock phases;
    private final DecisionCheckpoints kept;
    private final VerdictMaker verdicts;

    /** Arguments as of {@link Checker#check}. */
    public Decision(HistoryTable table, CheckRequest request, Progress progress, Budget budget, Checkpoints kept) {
        this.table = table;
        this.request = request;
        this.budget = budget;
        this.phases = new PhaseClock(progress, table.operations());
        this.kept = new DecisionCheckpoints(kept, table, request, phases);
        this.verdicts = new VerdictMaker(table, request, budget, phases);
    }

    /** Makes it, with the stages of an engine. */
    public Verdict make(Kernels stages) {
        return make(stages, Tuning.DEFAULT);
    }

    /** The same for tests and measurements. */
    public Verdict make(Kernels stages, Tuning tuning) {
        return switch (request.level()) {
            case RC, RA, CC -> new WeakLevelDecision(table, request, budget, phases, stages).make();
            case LIN -> new LinearDecision(table, request, budget, phases, stages, kept).make();
            default -> order(stages, tuning);
        };
    }

    private Verdict order(Kernels stages, Tuning tuning) {
        IndexedHistory history = index(stages);
        if (history == null) {
            return verdicts.exhausted();
        }
        if (!history.violations().isEmpty()) {
            phases.begin(EVIDENCE);
            return verdicts.violation(history.violations());
        }
        verdicts.uniqueValues(history.versions().hasUniqueValues());
        if (budget.exhausted()) {
            return verdicts.exhausted();
        }
        FoundOrder resumed = kept.order();
        if (resumed != null) {
            return replay(history, resumed);
        }
        Events events = new Events(request.level().eventsPerTransaction(), table.sessionStarts(), history.sessionOf());
        ArrayFile left = kept.rules();
        if (left != null) {
            try {
                return resumed(stages, history, events, left, tuning);
            } catch (ArrayFile.DamagedException e) {
                kept.rejectRules(e);
                stages.restore(history);
            }
        }
        phases.begin("graph");
        if (tuning.hasRules()) {
            Verdict chained = byChains(history, events);
            if (chained != null) {
                return chained;
            }
        }
        RealTime hint = tuning.hasRules() && request.time() == TimeMode.HINT
                ? RealTime.of(table, history.commitStatus(), request.clockSkewNanos())
                : null;
        KnownGraph graph = null;
        if (hint != null) {
            TimeHint attempt = new TimeHint(table, budget, phases, stages, history, events, tuning);
            FoundOrder found = attempt.order(hint);
            if (found != null) {
                return accept(history, found);
            }
            phases.begin("graph");
            graph = attempt.graph();
        }
        return exactly(stages, tuning, history, graph == null ? KnownGraph.of(events, history.versions()) : graph);
    }

    private Verdict exactly(Kernels stages, Tuning tuning, IndexedHistory history, KnownGraph graph) {
        if (request.level().realTime()) {
            RealTime time = RealTime.of(table, history.commitStatus(), request.clockSkewNanos());
            if (time != null && !time.isComplete()) {
                return verdicts.make(Verdict.of(Verdict.Status.INVALID, request.level())
                        .reason("a transaction ends before it starts, and real-time order is part of the level"));
            }
            if (time != null) {
                graph.bind(time);
            }
        }
        phases.end(graph.edges());
        try (PruneLoop loop = loop(stages, history, graph, tuning)) {
            return loop.run(closureBytes(history, graph))
                    ? decide(stages, history, graph, loop, tuning)
                    : verdicts.exhausted();
        }
    }

    /** The index, of an earlier process or made now. @return null if the budget ended */
    private @Nullable IndexedHistory index(Kernels stages) {
        IndexedHistory left = kept.index();
        if (left != null) {
            stages.restore(left);
            return left;
        }
        phases.begin("index");
        IndexedHistory history = stages.index(indeterminate(request));
        if (history == null) {
            return null;
        }
        phases.end(table.operations());
        kept.keepIndex(history);
        return history;
    }

    private Verdict resumed(Kernels stages, IndexedHistory indexed, Events events, ArrayFile left, Tuning tuning)
            throws ArrayFile.DamagedException {
        IndexedHistory history = indexed.versions().ambiguous() > 0 ? indexed.withReadsOf(left) : indexed;
        KnownGraph graph = KnownGraph.of(events, left);
        RealTime time = request.level().realTime()
                ? RealTime.of(table, history.commitStatus(), request.clockSkewNanos())
                : null;
        if (time != null) {
            graph.rebind(time);
        }
        stages.restore(history);
        try (PruneLoop loop = loop(stages, history, graph, tuning)) {
            kept.restoreRules(left);
            return loop.resume(left, closureBytes(history, graph))
                    ? decide(stages, history, graph, loop, tuning)
                    : verdicts.exhausted();
        }
    }

    /** What the closure may take. */
    private long closureBytes(IndexedHistory history, KnownGraph graph) {
        long held = table.arrayBytes() + history.versions().bytes() + 13L * graph.edges();
        return (long) (CLOCK_SHARE * (budget.bytes() - held));
    }

    /** A loop that keeps each state from which a later process can go on, where there are such states. */
    private PruneLoop loop(Kernels stages, IndexedHistory history, KnownGraph graph, Tuning tuning) {
        boolean decidesReads = history.versions().ambiguous() > 0;
        return new PruneLoop(
                history,
                graph,
                phases,
                budget::exhausted,
                stages::rules,
                position -> stages.check(history, graph, history.commitStatus(), position),
                tuning,
                kept.keeps() ? loop -> kept.keepRules(loop, history, decidesReads) : PruneLoop.Listener.NONE);
    }

    /**
     * Where every writer of a key has read it, the version order is told by the reads, and an order or a cycle decides
     * ({@link VersionChains}).
     *
     * @return null if the history is not of this kind, or only real time may refute it
     */
    private @Nullable Verdict byChains(IndexedHistory history, Events events) {
        VersionChains chains = VersionChains.of(history.versions(), history.commitStatus());
        if (chains == null) {
            return null;
        }
        KnownGraph graph = KnownGraph.of(events, history.versions());
        chains.addTo(graph);
        phases.end(graph.edges());
        phases.begin("order");
        int[] position = null;
        boolean realTime = request.level().realTime();
        if (!chains.isDiverging()) {
            position = realTime ? byTime(history, graph) : byTurns(graph);
        }
        phases.end(graph.events().count());
        if (position != null) {
            return accept(history, new FoundOrder(position, null, ResidualSize.NONE));
        }
        if (realTime && !chains.isDiverging() && byTurns(graph) != null) {
            phases.begin("graph");
            return null;
        }
        phases.begin(EVIDENCE);
        return verdicts.violation(new CycleEvidence(history, graph).ofCycles());
    }

    private int @Nullable [] byTime(IndexedHistory history, KnownGraph graph) {
        RealTime time = RealTime.of(table, history.commitStatus(), request.clockSkewNanos());
        return time == null ? null : EventOrder.byTime(graph, time);
    }

    private static int @Nullable [] byTurns(KnownGraph graph) {
        return EventOrder.byTurns(graph);
    }

    /** What the request says of unknown outcomes. */
    static IndexedHistory.Indeterminate indeterminate(CheckRequest request) {
        return request.indeterminate() == IndeterminateMode.MAYBE
                ? IndexedHistory.Indeterminate.MAYBE
                : IndexedHistory.Indeterminate.ABORT;
    }

    /** What follows the rules: a refutation, a guess where it is worthwhile, or the solver. */
    private Verdict decide(Kernels stages, IndexedHistory history, KnownGraph graph, PruneLoop loop, Tuning tuning) {
        if (loop.isRefuted()) {
            return refuted(loop);
        }
        CoarseGuess guess = new CoarseGuess(table, budget, phases, stages, tuning);
        if (!request.level().realTime() && loop.reachability() != null && guess.isWorthwhile(history, loop.core())) {
            FoundOrder found = guess.order(history, graph, loop);
            if (found != null) {
                return accept(history, found);
            }
        }
        return solve(stages, history, graph, loop, tuning);
    }

    private Verdict solve(Kernels stages, IndexedHistory history, KnownGraph graph, PruneLoop loop, Tuning tuning) {
        ResidualCore core = loop.core();
        ResidualSize residual = ResidualSize.NONE;
        boolean[] committed = null;
        int[] order = loop.position();
        if (!core.isEmpty()) {
            phases.begin("solve");
            long held = table.arrayBytes() + history.versions().bytes() + loop.heapBytes();
            CoreSolving.Solved solved = CoreSolving.solve(
                    history,
                    graph,
                    loop.reachability(),
                    order,
                    core,
                    budget,
                    tuning.solver(),
                    Math.max(0, budget.bytes() - held));
            Outcome outcome = solved.outcome();
            residual = CoreSolving.size(core, history, outcome.statistics());
            verdicts.residual(residual);
            phases.end(outcome.statistics().conflicts());
            if (outcome instanceof Outcome.Unsatisfiable unsatisfiable) {
                if (loop.refuteByRules()) {
                    return refuted(loop).with().refutation(solved.refutation()).build();
                }
                phases.begin(EVIDENCE);
                CoreSolving.Explained explained = CoreSolving.explain(history, graph, unsatisfiable.core());
                return verdicts.violation(
                                List.of(explained.violation()),
                                explained.known(),
                                new Certificate("proof", null, solved.proved()))
                        .with()
                        .refutation(solved.refutation())
                        .build();
            }
            if (outcome instanceof Outcome.Unknown unknown) {
                return budget.exhausted() ? verdicts.exhausted() : verdicts.unknown("solver: " + unknown.reason());
            }
            Outcome.Satisfiable satisfiable = (Outcome.Satisfiable) outcome;
            order = solved.position(satisfiable);
            committed = solved.committed(satisfiable);
            phases.begin("check");
            ResidualCore left =
                    stages.recheck(history, graph, history.commitStatus().decided(committed), order);
            if (left == null) {
                return verdicts.exhausted();
            }
            phases.end(left.violated());
            if (!left.isEmpty()) {
                throw new IllegalStateException("the solver's order violates " + left.violated() + " reads, the first"
                        + " of key " + table.keys().label(left.keys()[0]));
            }
        }
        FoundOrder found = new FoundOrder(order, committed, residual);
        // Otherwise what is kept of the rules has it.
        return core.isEmpty() ? replay(history, found) : accept(history, found);
    }

    /** Keeps an order, for its replay takes a while, and replays it. */
    private Verdict accept(IndexedHistory history, FoundOrder found) {
        kept.keepOrder(found);
        return replay(history, found);
    }

    private Verdict replay(IndexedHistory history, FoundOrder found) {
        verdicts.residual(found.residual());
        return verdicts.replay(verdicts.witness(history.commitStatus(), found.committed(), found.position()));
    }

    private Verdict refuted(PruneLoop loop) {
        phases.begin(EVIDENCE);
        return verdicts.violation(loop.violations());
    }
}
