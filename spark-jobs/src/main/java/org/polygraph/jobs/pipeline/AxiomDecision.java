package org.polygraph.jobs.pipeline;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.polygraph.jobs.certificate.IndeterminateMode;
import org.polygraph.jobs.certificate.Replay;
import org.polygraph.jobs.certificate.Witness;
import org.polygraph.jobs.verdict.Certificate;
import org.polygraph.jobs.verdict.Counts;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.axiom.Axiom;
import org.polygraph.partitioner.axiom.CausalAxiom;
import org.polygraph.partitioner.axiom.ReadAxiom;
import org.polygraph.partitioner.axiom.WriterChoices;
import org.polygraph.partitioner.closure.ChainClocks;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.index.Counting;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.index.ReadSources;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.partitioner.order.EventOrder;
import org.polygraph.storage.columnar.HistoryTable;

/**
 * RC, RA and CC: the edges that the {@link Axiom} demands, and an order that extends them. No rounds, no solver.
 *
 * <p>Exact where it is known who read from whom. Where it is not, because values repeat: reads that are open demand
 * nothing at first, so a violation is one; then SI is tried, which implies all of these levels, so its PASS is one; then, of a
 * few open reads, every choice ({@link WriterChoices}); else the answer is UNKNOWN.
 */
final class AxiomDecision {
    /** For the attempt to accept by way of SI. */
    private static final long MOST_ORDER_NANOS = 20_000_000_000L;

    private static final long MOST_CHOICES = 200_000;
    private static final long MOST_CHOICE_STEPS = 100_000_000;

    /** Of an edge while the graph grows and is indexed. */
    private static final long EDGE_BYTES = 26;

    private final HistoryTable table;
    private final CheckRequest request;
    private final Budget budget;
    private final PhaseClock phases;
    private final KeyStages stages;
    private boolean hasOpenReads;

    AxiomDecision(HistoryTable table, CheckRequest request, Budget budget, PhaseClock phases, KeyStages stages) {
        this.table = table;
        this.request = request;
        this.budget = budget;
        this.phases = phases;
        this.stages = stages;
    }

    Verdict make() {
        return request.level() == IsolationLevel.CC ? causal() : reads();
    }

    private Verdict reads() {
        phases.begin("index");
        ReadSources sources = sources();
        phases.end(table.operations());
        if (!sources.violations().isEmpty()) {
            return violation(sources.violations());
        }
        hasOpenReads = sources.open().length > 0;
        Verdict verdict = decide(new ReadAxiom(sources, request.level()), sources.counting());
        return hasOpenReads ? ambiguous(sources, verdict) : verdict;
    }

    private Verdict causal() {
        phases.begin("index");
        IndexedHistory history = IndexedHistory.of(table, indeterminate());
        phases.end(table.operations());
        if (!history.violations().isEmpty()) {
            return violation(history.violations());
        }
        long held = table.arrayBytes()
                + history.versions().bytes()
                + EDGE_BYTES * history.versions().readers();
        long rows = ChainClocks.bytes(events());
        if (!budget.fits(held, rows)) {
            return unknown(budget.shortage("closure", held + rows));
        }
        hasOpenReads = history.versions().ambiguous() > 0;
        Verdict verdict = decide(new CausalAxiom(history), history.counting());
        return hasOpenReads ? ambiguous(sources(), verdict) : verdict;
    }

    private ReadSources sources() {
        return ReadSources.of(table, indeterminate(), request.level());
    }

    private Events events() {
        int[] sessionOf = new int[table.transactions()];
        for (int s = 0; s < table.sessions(); s++) {
            Arrays.fill(sessionOf, table.sessionStarts()[s], table.sessionStarts()[s + 1], s);
        }
        return new Events(1, table.sessionStarts(), sessionOf);
    }

    private Verdict decide(Axiom axiom, Counting counting) {
        phases.begin("graph");
        KnownGraph graph = new KnownGraph(events());
        Axiom.Result result = axiom.infer(graph, budget::exhausted);
        phases.end(graph.edges());
        if (result == Axiom.Result.STOPPED) {
            return unknown(budget.exhaustion(phases.stage()));
        }
        Axiom.Conflict conflict = axiom.conflict();
        if (conflict != null) {
            return violation(List.of(new Violation(
                    Anomaly.FRACTURED_READ,
                    List.of(conflict.writer(), conflict.reader()),
                    List.of(conflict.key()),
                    List.of(),
                    "")));
        }
        phases.begin("order");
        int[] position = result == Axiom.Result.CYCLIC
                ? null
                : EventOrder.byTurns(graph, new int[graph.events().chains()]);
        phases.end(graph.events().count());
        if (position == null) {
            return violation(List.of(new Violation(Anomaly.CAUSALITY_VIOLATION, List.of(0), List.of(), List.of(), "")));
        }
        return replay(counting, position);
    }

    private Verdict replay(Counting counting, int[] position) {
        boolean[] counted = new boolean[table.transactions()];
        for (int t = 0; t < counted.length; t++) {
            counted[t] = counting.isCounted(t);
        }
        Witness witness = new Witness(table, request.terms().orElseThrow(), counted, position);
        boolean replayed = request.replayed() && !hasOpenReads;
        if (replayed) {
            phases.begin("replay");
            String wrong = Replay.of(witness).discrepancy();
            phases.end(table.operations());
            if (wrong != null) {
                throw new IllegalStateException("the order found does not explain the history: " + wrong);
            }
        }
        return finish(Verdict.of(Verdict.Status.PASS, request.level())
                .certificate(new Certificate("order", null, replayed))
                .witness(witness));
    }

    /**
     * Where values repeat.
     *
     * @param relaxed the verdict of the history without its open reads
     */
    private Verdict ambiguous(ReadSources sources, Verdict relaxed) {
        if (relaxed.status() != Verdict.Status.PASS) {
            return relaxed;
        }
        CheckRequest snapshots = new CheckRequest(
                IsolationLevel.SI,
                request.time(),
                request.clockSkewNanos(),
                request.indeterminate(),
                request.replayed());
        Verdict implied = new Decision(table, snapshots, Progress.NONE, budget.part(MOST_ORDER_NANOS)).make(stages);
        Witness stronger = implied.witness();
        if (implied.status() == Verdict.Status.PASS && stronger != null) {
            return finish(Verdict.of(Verdict.Status.PASS, request.level())
                    .certificate(new Certificate("order", null, request.replayed()))
                    .witness(stronger));
        }
        WriterChoices.Result result = WriterChoices.search(
                sources, this::holds, Math.min(MOST_CHOICES, MOST_CHOICE_STEPS / (1 + table.operations())));
        if (budget.exhausted()) {
            return unknown(budget.exhaustion(phases.stage()));
        }
        return switch (result) {
            case HOLDS ->
                finish(Verdict.of(Verdict.Status.PASS, request.level())
                        .certificate(new Certificate("choice of writers", null, request.replayed())));
            case FAILS -> violation(List.of(noChoice(sources)));
            case GIVEN_UP ->
                unknown(sources.open().length + " reads have several possible writers, too many to try them all; "
                        + request.level().title() + " is decided where written values are unique");
        };
    }

    private boolean holds(HistoryTable history) {
        return new AxiomDecision(history, request, budget, new PhaseClock(Progress.NONE, 0), stages)
                        .make()
                        .status()
                == Verdict.Status.PASS;
    }

    private Violation noChoice(ReadSources sources) {
        Set<Integer> keys = new LinkedHashSet<>();
        for (int operation : sources.open()) {
            keys.add(table.operationKeys()[operation] >>> 1);
        }
        return new Violation(
                Anomaly.NO_VALID_ORDER,
                List.of(),
                new ArrayList<>(keys),
                List.of(),
                "whichever of their possible writers " + sources.open().length + " reads have, a cycle remains");
    }

    private IndexedHistory.Indeterminate indeterminate() {
        return request.indeterminate() == IndeterminateMode.MAYBE
                ? IndexedHistory.Indeterminate.MAYBE
                : IndexedHistory.Indeterminate.ABORT;
    }

    private Verdict violation(List<Violation> violations) {
        return finish(Verdict.of(Verdict.Status.VIOLATION, request.level()).violations(violations, table));
    }

    private Verdict unknown(String reason) {
        return finish(Verdict.of(Verdict.Status.UNKNOWN, request.level()).reason(reason));
    }

    private Verdict finish(Verdict.Builder verdict) {
        phases.addTo(verdict);
        return verdict.counts(Counts.of(table))
                .assumptions(request.assumptions(table, !hasOpenReads))
                .build();
    }
}
