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
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.graph.RealTimeEdges;
import org.polygraph.partitioner.index.Counting;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.isolation.Dependency;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.partitioner.residual.CoreComponents;
import org.polygraph.partitioner.residual.ResidualCore;
import org.polygraph.solver.Outcome;
import org.polygraph.solver.Reachability;
import org.polygraph.solver.Statistics;
import org.polygraph.storage.artifact.ArrayFile;
import org.polygraph.storage.columnar.HistoryTable;

/**
 * One decision, from a history to a verdict: the stages that all engines share, around the {@link KeyStages} of one of
 * them. Index, closure and saturation in turn, order, check by key, solver for what is left, replay of the order against
 * the raw history. One thread; used once.
 */
public final class Decision {
    private static final String EVIDENCE = "evidence";
    // What stages leave: each implies the one before.
    private static final String INDEX = "index";
    private static final String RULES = "rules";
    private static final String ORDER = "order";
    /** Of the memory that is left, what the clocks may take; the rest is for edges, the solver and the replay. */
    private static final double CLOCK_SHARE = 0.6;

    /** Real-time edges a transaction beyond which the attempt with them is not worth its memory. */
    private static final int MOST_REAL_TIME_EDGES = 64;

    /** Bytes of budget an edge: it takes 13, and 14 more while arrays grow. */
    private static final int REAL_TIME_EDGE_BUDGET_SHARE = 64;

    private static final long MOST_REAL_TIME_NANOS = 20_000_000_000L;
    /** Further rounds of rules, after the solver's refutation, that may find a cycle to show. */
    private static final long MOST_EVIDENCE_NANOS = 5_000_000_000L;

    private final HistoryTable table;
    private final CheckRequest request;
    private final Budget budget;
    private final PhaseClock phases;
    private final Stages kept;
    private ResidualSize residual = ResidualSize.NONE;
    private boolean uniqueValues = true;
    /** Whether the graph has all that real time demands, where that is part of the level. */
    private boolean boundByTime = true;

    /** Arguments as of {@link Checker#check}. */
    public Decision(HistoryTable table, CheckRequest request, Progress progress, Budget budget, Stages kept) {
        this.kept = kept;
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
            default -> order(stages, tuning);
        };
    }

    private Verdict order(KeyStages stages, Tuning tuning) {
        IndexedHistory history = index(stages);
        if (history == null) {
            return unknown(budget.exhaustion(phases.stage()));
        }
        if (!history.violations().isEmpty()) {
            phases.begin(EVIDENCE);
            return violation(history.violations());
        }
        uniqueValues = history.versions().hasUniqueValues();
        if (budget.exhausted()) {
            return unknown(budget.exhaustion(phases.stage()));
        }
        Found order = resumedOrder();
        if (order != null) {
            return replay(history.counting(), order.committed, order.position);
        }
        Events events = new Events(request.level().eventsPerTransaction(), table.sessionStarts(), history.sessionOf());
        ArrayFile left = kept.find(RULES);
        if (left != null) {
            try {
                return resumed(stages, history, events, left, tuning);
            } catch (ArrayFile.DamagedException e) {
                kept.reject(RULES, String.valueOf(e.getMessage()));
            }
        }
        phases.begin("graph");
        if (tuning.hasRules()
                && request.time() == TimeMode.HINT
                && history.versions().ambiguous() > 0
                && table.starts() != null) {
            Found found = inRealTime(stages, history.copy(), events, tuning);
            if (found != null) {
                keepOrder(found.position, found.committed);
                return replay(history.counting(), found.committed, found.position);
            }
            residual = ResidualSize.NONE;
            phases.begin("graph");
        }
        KnownGraph graph = KnownGraph.of(events, history.versions());
        if (request.level().realTime()) {
            long room = budget.bytes() - table.arrayBytes() - history.versions().bytes();
            boundByTime = RealTimeEdges.add(
                    graph, table, history.counting(), request.clockSkewNanos(), room / REAL_TIME_EDGE_BUDGET_SHARE);
        }
        phases.end(graph.edges());
        long held = table.arrayBytes() + history.versions().bytes() + 13L * graph.edges();
        boolean withClocks = tuning.hasRules() && stages.fits(events, (long) (CLOCK_SHARE * (budget.bytes() - held)));
        try (PruneLoop loop = loop(stages, history, graph, tuning)) {
            if (!loop.run(withClocks)) {
                return unknown(budget.exhaustion(phases.stage()));
            }
            return loop.isRefuted() ? refuted(loop) : decide(stages, history, graph, loop, tuning);
        }
    }

    /** The index, of an earlier process or made now. @return null if the budget ended */
    private @Nullable IndexedHistory index(KeyStages stages) {
        ArrayFile left = kept.find(INDEX);
        if (left != null) {
            try {
                IndexedHistory history = IndexedHistory.of(table, left);
                phases.restore(left);
                stages.restore(history);
                return history;
            } catch (ArrayFile.DamagedException e) {
                kept.reject(INDEX, String.valueOf(e.getMessage()));
            }
        }
        phases.begin("index");
        IndexedHistory history = stages.index(indeterminate(request));
        if (history == null) {
            return null;
        }
        phases.end(table.operations());
        if (kept.keeps() && history.violations().isEmpty()) {
            ArrayFile file = new ArrayFile();
            history.saveTo(file);
            keep(INDEX, file);
        }
        return history;
    }

    /** A loop that keeps each state from which a later process can go on. */
    private PruneLoop loop(KeyStages stages, IndexedHistory history, KnownGraph graph, Tuning tuning) {
        boolean decidesReads = history.versions().ambiguous() > 0;
        return new PruneLoop(
                history,
                graph,
                phases,
                budget::exhausted,
                stages::rules,
                position -> stages.check(history, graph, history.counting(), position),
                tuning,
                kept.keeps() ? loop -> keepLoop(loop, history, decidesReads) : PruneLoop.Listener.NONE);
    }

    private void keepLoop(PruneLoop loop, IndexedHistory history, boolean decidesReads) {
        ArrayFile file = new ArrayFile();
        file.put("boundByTime", new byte[] {(byte) (boundByTime ? 1 : 0)});
        if (decidesReads) {
            history.versions().saveReadsTo(file);
        }
        loop.saveTo(file);
        keep(RULES, file);
    }

    private Verdict resumed(KeyStages stages, IndexedHistory indexed, Events events, ArrayFile left, Tuning tuning)
            throws ArrayFile.DamagedException {
        IndexedHistory history = indexed.versions().ambiguous() > 0 ? indexed.withReadsOf(left) : indexed;
        KnownGraph graph = KnownGraph.of(events, left);
        stages.restore(history);
        try (PruneLoop loop = loop(stages, history, graph, tuning)) {
            byte[] bound = left.bytes("boundByTime");
            phases.restore(left);
            boundByTime = bound[0] != 0;
            if (!loop.resume(left)) {
                return unknown(budget.exhaustion(phases.stage()));
            }
            return loop.isRefuted() ? refuted(loop) : decide(stages, history, graph, loop, tuning);
        }
    }

    /** The order that an earlier process found but did not get to replay, or null. */
    private @Nullable Found resumedOrder() {
        ArrayFile left = kept.find(ORDER);
        if (left == null) {
            return null;
        }
        try {
            int[] position = left.ints("position");
            byte[] chosen = left.bytes("committed");
            long[] size = left.longs("residual");
            int events = table.transactions() * request.level().eventsPerTransaction();
            if (position.length != events
                    || size.length != 6
                    || (chosen.length != 0 && chosen.length != table.transactions())) {
                throw new ArrayFile.DamagedException("it is of another history");
            }
            phases.restore(left);
            boundByTime = left.bytes("boundByTime")[0] != 0;
            residual = new ResidualSize(size[0], size[1], size[2], size[3], size[4], size[5]);
            boolean[] committed = null;
            if (chosen.length > 0) {
                committed = new boolean[chosen.length];
                for (int t = 0; t < chosen.length; t++) {
                    committed[t] = chosen[t] != 0;
                }
            }
            return new Found(position, committed);
        } catch (ArrayFile.DamagedException e) {
            kept.reject(ORDER, String.valueOf(e.getMessage()));
            return null;
        }
    }

    private void keepOrder(int[] position, boolean @Nullable [] committed) {
        if (!kept.keeps()) {
            return;
        }
        byte[] chosen = new byte[committed == null ? 0 : committed.length];
        for (int t = 0; t < chosen.length; t++) {
            chosen[t] = (byte) (committed != null && committed[t] ? 1 : 0);
        }
        ResidualSize r = residual;
        keep(
                ORDER,
                new ArrayFile()
                        .put("position", position)
                        .put("committed", chosen)
                        .put("boundByTime", new byte[] {(byte) (boundByTime ? 1 : 0)})
                        .put("residual", new long[] {
                            r.constraints(),
                            r.candidateReads(),
                            r.components(),
                            r.largest(),
                            r.decisions(),
                            r.conflicts()
                        }));
    }

    private void keep(String stage, ArrayFile file) {
        phases.saveTo(file);
        kept.keep(stage, file);
    }

    /** What the request says of unknown outcomes. */
    static IndexedHistory.Indeterminate indeterminate(CheckRequest request) {
        return request.indeterminate() == IndeterminateMode.MAYBE
                ? IndexedHistory.Indeterminate.MAYBE
                : IndexedHistory.Indeterminate.ABORT;
    }

    /** An order that explains the history, and which optional transactions committed in it. */
    private static final class Found {
        final int[] position;
        final boolean @Nullable [] committed;

        Found(int[] position, boolean @Nullable [] committed) {
            this.position = position;
            this.committed = committed;
        }
    }

    /**
     * Tries to accept with real-time order as if it were part of the level: it decides most reads with several candidates.
     * Only acceptance counts, for more edges only forbid more; a refutation says nothing about the level asked for.
     *
     * @param history a copy: what real time decides must not reach the exact path
     * @return null if there is no such order, or none was found in the time given
     */
    private @Nullable Found inRealTime(KeyStages stages, IndexedHistory history, Events events, Tuning tuning) {
        KnownGraph graph = KnownGraph.of(events, history.versions());
        long most = Math.min(
                (long) MOST_REAL_TIME_EDGES * table.transactions(), budget.bytes() / REAL_TIME_EDGE_BUDGET_SHARE);
        boolean complete = RealTimeEdges.add(graph, table, history.counting(), request.clockSkewNanos(), most);
        phases.end(graph.edges());
        long held = table.arrayBytes() + 2 * history.versions().bytes() + 13L * graph.edges();
        if (!complete || !stages.fits(events, (long) (CLOCK_SHARE * (budget.bytes() - held)))) {
            return null;
        }
        Budget part = budget.part(MOST_REAL_TIME_NANOS);
        try (PruneLoop loop = new PruneLoop(
                history,
                graph,
                phases,
                part::exhausted,
                stages::rules,
                position -> stages.check(history, graph, history.counting(), position),
                tuning,
                PruneLoop.Listener.NONE)) {
            return inRealTime(history, graph, loop, part, held, tuning);
        }
    }

    private @Nullable Found inRealTime(
            IndexedHistory history, KnownGraph graph, PruneLoop loop, Budget part, long held, Tuning tuning) {
        if (!loop.run(true) || loop.isRefuted()) {
            return null;
        }
        ResidualCore core = loop.core();
        if (core.isEmpty()) {
            return new Found(loop.position(), null);
        }
        phases.begin("solve");
        Outcome outcome = CoreSolving.solve(
                        history,
                        graph,
                        loop.reachability(),
                        loop.position(),
                        core,
                        part,
                        tuning.solver(),
                        Math.max(0, budget.bytes() - held - loop.heapBytes()))
                .outcome();
        measure(core, history, outcome.statistics());
        phases.end(outcome.statistics().conflicts());
        return outcome instanceof Outcome.Satisfiable found ? new Found(found.position(), found.committed()) : null;
    }

    private Verdict decide(KeyStages stages, IndexedHistory history, KnownGraph graph, PruneLoop loop, Tuning tuning) {
        ResidualCore core = loop.core();
        Reachability reachability = loop.reachability();
        int[] position = loop.position();
        boolean[] committed = null;
        int[] order = position;
        if (!core.isEmpty()) {
            phases.begin("solve");
            long held = table.arrayBytes() + history.versions().bytes() + loop.heapBytes();
            CoreSolving.Solved solved = CoreSolving.solve(
                    history,
                    graph,
                    reachability,
                    position,
                    core,
                    budget,
                    tuning.solver(),
                    Math.max(0, budget.bytes() - held));
            Outcome outcome = solved.outcome();
            measure(core, history, outcome.statistics());
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
            order = satisfiable.position();
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
            keepOrder(order, committed);
        }
        return replay(history.counting(), committed, order);
    }

    private void measure(ResidualCore core, IndexedHistory history, Statistics s) {
        CoreComponents components = CoreComponents.of(core, history.versions());
        residual = new ResidualSize(
                s.instantiated(),
                history.versions().ambiguous(),
                components.count(),
                components.largest(),
                s.decisions(),
                s.conflicts());
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
                        "the order found does not obey real time, of which the graph has only a part: there was no"
                                + " memory for all of it, or a session with unknown outcomes runs against the clock");
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
