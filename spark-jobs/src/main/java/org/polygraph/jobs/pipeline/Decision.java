package org.polygraph.jobs.pipeline;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.IndeterminateMode;
import org.polygraph.jobs.certificate.Replay;
import org.polygraph.jobs.certificate.Terms;
import org.polygraph.jobs.certificate.Witness;
import org.polygraph.jobs.verdict.Certificate;
import org.polygraph.jobs.verdict.Counts;
import org.polygraph.jobs.verdict.ResidualSize;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.closure.Closure;
import org.polygraph.partitioner.evidence.CycleEvidence;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.graph.RealTime;
import org.polygraph.partitioner.index.Counting;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.isolation.Dependency;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.partitioner.order.EventOrder;
import org.polygraph.partitioner.order.RealTimeTurns;
import org.polygraph.partitioner.order.VersionChains;
import org.polygraph.partitioner.residual.ResidualCore;
import org.polygraph.solver.Outcome;
import org.polygraph.storage.columnar.HistoryTable;

/**
 * One decision, from a history to a verdict: the stages that all engines share, around the {@link KeyStages} of one of
 * them. Index, closure and saturation in turn, order, check by key, solver for what is left, replay of the order against
 * the raw history. One thread; used once.
 */
public final class Decision {
    private static final String EVIDENCE = "evidence";
    /** Of the memory that is left, what the clocks may take; the rest is for edges, the solver and the replay. */
    static final double CLOCK_SHARE = 0.6;

    /** Further rounds of rules, after the solver's refutation, that may find a cycle to show. */
    private static final long MOST_EVIDENCE_NANOS = 5_000_000_000L;

    private final HistoryTable table;
    private final CheckRequest request;
    private final Budget budget;
    private final PhaseClock phases;
    private ResidualSize residual = ResidualSize.NONE;
    private boolean uniqueValues = true;
    /** Whether the graph has all that real time demands, where that is part of the level. */
    private boolean boundByTime = true;

    /** Arguments as of {@link Checker#check}. */
    public Decision(HistoryTable table, CheckRequest request, Progress progress, Budget budget) {
        this.table = table;
        this.request = request;
        this.budget = budget;
        this.phases = new PhaseClock(progress, table.operations());
    }

    /** Makes it, with the stages of an engine. */
    public Verdict make(KeyStages stages) {
        return make(stages, Tuning.DEFAULT);
    }

    Verdict make(KeyStages stages, Tuning tuning) {
        return switch (request.level()) {
            case RC, RA, CC -> new AxiomDecision(table, request, budget, phases, stages).make();
            case LIN -> new LinearDecision(table, request, budget, phases).make();
            default -> order(stages, tuning);
        };
    }

    private Verdict order(KeyStages stages, Tuning tuning) {
        phases.begin("index");
        IndexedHistory history = stages.index(indeterminate(request));
        if (history == null) {
            return unknown(budget.exhaustion(phases.stage()));
        }
        phases.end(table.operations());
        if (!history.violations().isEmpty()) {
            phases.begin(EVIDENCE);
            return violation(history.violations());
        }
        uniqueValues = history.versions().hasUniqueValues();
        if (budget.exhausted()) {
            return unknown(budget.exhaustion(phases.stage()));
        }
        phases.begin("graph");
        Events events = new Events(request.level().eventsPerTransaction(), table.sessionStarts(), history.sessionOf());
        if (tuning.hasRules()) {
            Verdict chained = byChains(history, events);
            if (chained != null) {
                return chained;
            }
        }
        RealTime hint = tuning.hasRules() && request.time() == TimeMode.HINT
                ? RealTime.of(table, history.counting(), request.clockSkewNanos())
                : null;
        KnownGraph graph = null;
        if (hint != null) {
            TimeHint attempt = new TimeHint(table, budget, phases, stages, history, events, tuning);
            TimeHint.Found found = attempt.order(hint);
            if (found != null) {
                residual = found.residual();
                return replay(history.counting(), found.committed(), found.position());
            }
            phases.begin("graph");
            graph = attempt.graph();
        }
        return exactly(stages, tuning, history, graph == null ? KnownGraph.of(events, history.versions()) : graph);
    }

    private Verdict exactly(KeyStages stages, Tuning tuning, IndexedHistory history, KnownGraph graph) {
        if (request.level().realTime()) {
            RealTime time = RealTime.of(table, history.counting(), request.clockSkewNanos());
            boundByTime = time != null && time.isComplete();
            if (time != null) {
                graph.bind(time);
            }
        }
        phases.end(graph.edges());
        long held = table.arrayBytes() + history.versions().bytes() + 13L * graph.edges();
        long closureBytes = tuning.hasRules() ? (long) (CLOCK_SHARE * (budget.bytes() - held)) : 0;
        PruneLoop loop = new PruneLoop(
                history,
                graph,
                phases,
                budget::exhausted,
                position -> stages.check(history, graph, history.counting(), position),
                tuning);
        if (!loop.run(closureBytes)) {
            return unknown(budget.exhaustion(phases.stage()));
        }
        if (loop.isRefuted()) {
            return refuted(loop);
        }
        CoarseGuess guess = new CoarseGuess(table, budget, phases, stages, tuning);
        if (!request.level().realTime() && loop.clocks() != null && guess.isWorthwhile(history, loop.core())) {
            TimeHint.Found found = guess.order(history, graph, loop);
            if (found != null) {
                residual = found.residual();
                return replay(history.counting(), found.committed(), found.position());
            }
        }
        return decide(stages, history, graph, loop, tuning);
    }

    /**
     * Where every writer of a key has read it, the version order is told by the reads, and an order or a cycle decides
     * ({@link VersionChains}).
     *
     * @return null if the history is not of this kind, or only real time may refute it
     */
    private @Nullable Verdict byChains(IndexedHistory history, Events events) {
        VersionChains chains = VersionChains.of(history.versions(), history.counting());
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
            position = realTime
                    ? RealTimeTurns.order(graph, table, history.counting(), request.clockSkewNanos())
                    : byTurns(graph);
        }
        phases.end(graph.events().count());
        if (position != null) {
            return replay(history.counting(), null, position);
        }
        if (realTime && !chains.isDiverging() && byTurns(graph) != null) {
            phases.begin("graph");
            return null;
        }
        phases.begin(EVIDENCE);
        return violation(new CycleEvidence(history, graph).ofCycles());
    }

    private static int @Nullable [] byTurns(KnownGraph graph) {
        return EventOrder.byTurns(graph, new int[graph.events().chains()]);
    }

    /** What the request says of unknown outcomes. */
    static IndexedHistory.Indeterminate indeterminate(CheckRequest request) {
        return request.indeterminate() == IndeterminateMode.MAYBE
                ? IndexedHistory.Indeterminate.MAYBE
                : IndexedHistory.Indeterminate.ABORT;
    }

    private Verdict decide(KeyStages stages, IndexedHistory history, KnownGraph graph, PruneLoop loop, Tuning tuning) {
        ResidualCore core = loop.core();
        Closure clocks = loop.clocks();
        int[] position = loop.position();
        boolean[] committed = null;
        int[] order = position;
        if (!core.isEmpty()) {
            phases.begin("solve");
            long held = table.arrayBytes() + history.versions().bytes() + (clocks == null ? 0 : clocks.bytes());
            CoreSolving.Solved solved = CoreSolving.solve(
                    history,
                    graph,
                    clocks,
                    position,
                    core,
                    budget,
                    tuning.solver(),
                    Math.max(0, budget.bytes() - held));
            Outcome outcome = solved.outcome();
            residual = CoreSolving.size(core, history, outcome.statistics());
            phases.end(outcome.statistics().conflicts());
            if (outcome instanceof Outcome.Unsatisfiable unsatisfiable) {
                if (loop.refuteByRules(MOST_EVIDENCE_NANOS)) {
                    return refuted(loop).with().refutation(solved.refutation()).build();
                }
                phases.begin(EVIDENCE);
                CoreSolving.Explained explained = CoreSolving.explain(history, graph, unsatisfiable.core());
                return violation(
                                List.of(explained.violation()),
                                explained.known(),
                                new Certificate("proof", null, solved.proved()))
                        .with()
                        .refutation(solved.refutation())
                        .build();
            }
            if (outcome instanceof Outcome.Unknown unknown) {
                return unknown(budget.exhausted() ? budget.exhaustion(phases.stage()) : "solver: " + unknown.reason());
            }
            Outcome.Satisfiable satisfiable = (Outcome.Satisfiable) outcome;
            order = solved.position(satisfiable);
            committed = satisfiable.committed();
            phases.begin("check");
            ResidualCore left =
                    stages.recheck(history, graph, history.counting().decided(committed), order);
            if (left == null) {
                return unknown(budget.exhaustion(phases.stage()));
            }
            phases.end(left.violated());
            if (!left.isEmpty()) {
                throw new IllegalStateException("the solver's order violates " + left.violated() + " reads, the first"
                        + " of key " + table.keys().label(left.keys()[0]));
            }
        }
        return replay(history.counting(), committed, order);
    }

    /** Nothing passes that independent code has not replayed from the raw operations, unless the request says so. */
    private Verdict replay(Counting counting, boolean @Nullable [] committed, int[] position) {
        boolean[] counted = new boolean[table.transactions()];
        for (int t = 0; t < counted.length; t++) {
            counted[t] = counting.isCounted(t) || (committed != null && committed[t]);
        }
        Terms terms = request.terms().orElseThrow();
        Witness witness = new Witness(table, terms, counted, position);
        if (request.replayed() || !boundByTime) {
            phases.begin("replay");
            String wrong = Replay.of(witness).discrepancy();
            phases.end(table.operations());
            if (wrong != null && !boundByTime) {
                return unknown(
                        "the order found does not obey real time, of which only a part was looked at: a session with"
                                + " unknown outcomes runs against the clock");
            }
            if (wrong != null) {
                throw new IllegalStateException("the order found does not explain the history: " + wrong);
            }
        }
        return finish(Verdict.of(Verdict.Status.PASS, request.level())
                .certificate(new Certificate("order", null, request.replayed()))
                .witness(witness));
    }

    private Verdict refuted(PruneLoop loop) {
        phases.begin(EVIDENCE);
        return violation(loop.violations());
    }

    private Verdict violation(List<Violation> violations) {
        return violation(violations, List.of(), new Certificate("cycle", null, false));
    }

    /** @param more what the first violation rests on besides what it says */
    private Verdict violation(List<Violation> violations, List<Dependency> more, Certificate certificate) {
        Counterexamples counterexamples = new Counterexamples(table, request, budget);
        List<Violation> told = counterexamples.of(violations, more);
        phases.end(told.size());
        return finish(Verdict.of(Verdict.Status.VIOLATION, request.level())
                .violations(told, table)
                .violationsFound(Math.max(told.size(), violations.size()))
                .certificate(new Certificate(
                        certificate.kind(), certificate.path(), certificate.verified() || counterexamples.isJudged())));
    }

    private Verdict unknown(String reason) {
        return finish(Verdict.of(Verdict.Status.UNKNOWN, request.level()).reason(reason));
    }

    private Verdict finish(Verdict.Builder verdict) {
        phases.addTo(verdict);
        return verdict.counts(Counts.of(table))
                .residual(residual)
                .assumptions(request.assumptions(table, uniqueValues))
                .build();
    }
}
