package org.polygraph.partitioner.evidence;

import it.unimi.dsi.fastutil.ints.Int2IntOpenHashMap;
import it.unimi.dsi.fastutil.ints.IntList;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.axiom.Axiom;
import org.polygraph.partitioner.axiom.CommitOrder;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.index.ReadsFrom;
import org.polygraph.partitioner.isolation.Alternative;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.Basis;
import org.polygraph.partitioner.isolation.Dependency;
import org.polygraph.partitioner.isolation.EdgeKind;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.Reason;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.table.HistoryTable;

/**
 * Makes counterexamples of a refuted {@link CommitOrder}: the shortest cycle of each component of session order,
 * reads and demanded edges. The reason of a demanded edge t2 -> t1 is the read of t1's version by a transaction that
 * sees t2. If t1 is known to come before t2, the cycle shows that read's anti-dependency instead.
 */
public final class AxiomEvidence {
    /** Edges of rounds below are SO and WR. */
    private static final int DEMANDED = 1;

    private final HistoryTable table;
    private final IsolationLevel level;
    private final ReadsFrom reads;
    private final CommitOrder order;
    private final Events events;
    private final EvidenceGraph graph;
    private final ListPairs lists;

    /** @param refuted an order that was refuted */
    public AxiomEvidence(CommitOrder refuted, BooleanSupplier stop) {
        this.table = refuted.table();
        this.level = refuted.level();
        this.reads = refuted.readsFrom();
        this.order = refuted;
        this.events = refuted.graph().events();
        this.graph = new EvidenceGraph(withAllReads(refuted.graph()), stop);
        this.lists = new ListPairs(table);
    }

    /** Adds the WR edges that the closure of CC drops because others imply them. They may explain most clearly. */
    private KnownGraph withAllReads(KnownGraph known) {
        KnownGraph all = new KnownGraph(events);
        for (int t = 0; t < table.transactions(); t++) {
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                if (reads.sources()[o] >= 0) {
                    all.add(reads.sources()[o], t);
                }
            }
        }
        for (int e = 0; e < known.edges(); e++) {
            if (known.round(e) >= DEMANDED) {
                all.add(known.from(e), known.to(e), DEMANDED);
            }
        }
        return all;
    }

    /** One violation per component, the simplest first. */
    public List<Violation> violations() {
        List<Violation> violations = new ArrayList<>();
        Axiom.Conflict conflict = order.conflict();
        if (conflict != null) {
            for (Axiom.Conflict each : conflicts(conflict)) {
                violations.add(ofConflict(each));
            }
            violations.sort(Violation.SIMPLEST);
            return violations;
        }
        for (List<List<EvidenceGraph.Step>> cycles : CycleSearch.ofEach(graph, e -> false)) {
            violations.add(
                    cycles.stream().map(this::ofCycle).min(Violation.SIMPLEST).orElseThrow());
        }
        violations.sort(Violation.SIMPLEST);
        return violations;
    }

    /**
     * The violation if there is no order for any choice of writers.
     *
     * @param transactions whose reads and writes show it
     * @param keys that they read
     */
    public static Violation ofChoices(int[] transactions, int[] keys) {
        return new Violation(
                Anomaly.NO_VALID_ORDER,
                IntList.of(transactions),
                IntList.of(keys),
                List.of(),
                "for every choice of the writers of what " + transactions.length
                        + " transactions read a cycle remains");
    }

    /** The violation if there is no order for any choice of writers of the open reads. */
    public static Violation ofChoices(ReadsFrom reads) {
        Set<Integer> keys = new LinkedHashSet<>();
        Set<Integer> transactions = new LinkedHashSet<>();
        HistoryTable table = reads.table();
        int t = 0;
        for (int operation : reads.open()) {
            while (table.operationsEnd(t) <= operation) {
                t++;
            }
            transactions.add(t);
            keys.add(table.key(operation));
        }
        return new Violation(
                Anomaly.NO_VALID_ORDER,
                new ArrayList<>(transactions),
                new ArrayList<>(keys),
                List.of(),
                "for every choice of the writers of "
                        + (reads.open().length == 1 ? "1 read" : reads.open().length + " reads")
                        + " a cycle remains");
    }

    /**
     * The given conflict, and of every other transaction the first one with a writer that it sees in its session or by
     * a read of its own. Conflicts that a transaction of CC sees only by longer paths are missing. Linear, but for the
     * length of transactions.
     */
    private List<Axiom.Conflict> conflicts(Axiom.Conflict known) {
        List<Axiom.Conflict> conflicts = new ArrayList<>(List.of(known));
        Int2IntOpenHashMap writtenInSession = new Int2IntOpenHashMap();
        writtenInSession.defaultReturnValue(Dependency.INITIAL);
        for (int s = 0; s < table.sessions(); s++) {
            writtenInSession.clear();
            for (int t = table.firstTransaction(s); t < table.transactionsEnd(s); t++) {
                if (!reads.commitStatus().isCounted(t)) {
                    continue;
                }
                Axiom.Conflict first = t == known.reader() ? null : conflict(t, writtenInSession);
                if (first != null) {
                    conflicts.add(first);
                }
                for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                    if (table.isWrite(o) && !level.readsAlone()) {
                        writtenInSession.put(table.key(o), t);
                    }
                }
            }
        }
        return conflicts;
    }

    private Axiom.@Nullable Conflict conflict(int t, Int2IntOpenHashMap writtenInSession) {
        for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
            if (reads.sources()[o] == ReadsFrom.INITIAL && !table.isWrite(o)) {
                int key = table.key(o);
                int writer = writtenInSession.get(key);
                int end = level.readsAlone() ? table.statementStart(o) : table.operationsEnd(t);
                for (int other = table.firstOperation(t); other < end && writer == Dependency.INITIAL; other++) {
                    int source = reads.sources()[other];
                    boolean isSeen = source >= 0 && source != t && table.lastWrite(source, key) >= 0;
                    writer = isSeen ? source : Dependency.INITIAL;
                }
                if (writer != Dependency.INITIAL) {
                    return new Axiom.Conflict(writer, t, key);
                }
            }
        }
        return null;
    }

    private Violation ofConflict(Axiom.Conflict conflict) {
        List<Dependency> cycle = seen(conflict.writer(), conflict.reader(), null);
        cycle.add(new Dependency(
                conflict.reader(),
                conflict.writer(),
                EdgeKind.RW,
                conflict.key(),
                table.initialValue(conflict.key()),
                "observed: it read the initial value, before any write"));
        return violation(CycleName.single(cycle, table, level.readsAlone()), cycle);
    }

    private Violation ofCycle(List<EvidenceGraph.Step> steps) {
        int demanded = 0;
        int shown = -1;
        for (int i = 0; i < steps.size(); i++) {
            if (steps.get(i).round() >= DEMANDED && !isOfList(steps.get(i))) {
                demanded++;
                shown = shown < 0 || isPartlyRead(steps.get(i)) ? i : shown;
            }
        }
        if (shown >= 0) {
            // The rest of the cycle puts t1 before t2, so a read of t1's version that sees t2 missed the write of t2.
            EvidenceGraph.Step only = steps.get(shown);
            Witness witness = witness(only.from(), only.to());
            List<EvidenceGraph.Step> rest = new ArrayList<>(steps.subList(shown + 1, steps.size()));
            rest.addAll(steps.subList(0, shown));
            List<EvidenceGraph.Step> known = demanded > 1 || rest.stream().anyMatch(step -> step.round() >= DEMANDED)
                    ? rest
                    : graph.path(only.to(), only.from(), DEMANDED);
            List<Dependency> cycle = seen(only.from(), witness.reader, witness);
            cycle.add(new Dependency(
                    witness.reader,
                    only.from(),
                    EdgeKind.RW,
                    witness.key,
                    witness.value,
                    new Reason(
                            Basis.FORCED,
                            "forced: it read what " + table.name(only.to()) + " wrote, which " + table.name(only.from())
                                    + " overwrote later",
                            known == null ? List.of() : List.of(overwritten(only.to(), only.from(), witness, known)))));
            return violation(CycleName.single(cycle, table, level.readsAlone()), cycle);
        }
        List<Dependency> cycle = path(steps.get(0).from(), steps.get(0).from(), steps);
        return violation(CycleName.withoutMissedWrites(cycle), cycle);
    }

    /**
     * Whether the order t2 before t1 is demanded by a transaction that reads from t2 only after it read the version of
     * t1, so that this read missed the write of t2. False at RC and PL2, where each operation reads alone, and where a
     * list shows the order.
     */
    private boolean isPartlyRead(EvidenceGraph.Step step) {
        if (level.readsAlone() || step.round() < DEMANDED || isOfList(step)) {
            return false;
        }
        Witness witness = witness(step.from(), step.to());
        return readsFrom(witness.reader, step.from(), table.operationsEnd(witness.reader))
                && !readsFrom(witness.reader, step.from(), witness.operation);
    }

    /** Whether lists show the order that is demanded. */
    private boolean isOfList(EvidenceGraph.Step step) {
        return lists.between(step.from(), step.to()) != null;
    }

    /** Why t2 cannot come before t1: t1 is known to come before t2. */
    private Alternative overwritten(int t1, int t2, Witness witness, List<EvidenceGraph.Step> known) {
        Dependency assumed = new Dependency(
                t2,
                t1,
                EdgeKind.WW,
                witness.key,
                witness.value,
                new Reason(Basis.ASSUMED, "if it had been overwritten before"));
        List<Dependency> cycle = path(t1, t2, known);
        cycle.add(assumed);
        return new Alternative(table.name(t2) + " before " + table.name(t1), assumed, cycle);
    }

    /** A read of t1's version by a transaction that sees t2. */
    private record Witness(int reader, int operation, int key, long value) {}

    /** Finds the reason why t2 must come before t1, in one pass over the reads. */
    private Witness witness(int t2, int t1) {
        for (int t = 0; t < table.transactions(); t++) {
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                int key = table.key(o);
                if (reads.sources()[o] == t1 && t != t2 && table.lastWrite(t2, key) >= 0 && sees(t, o, t2)) {
                    return new Witness(t, o, key, table.value(o));
                }
            }
        }
        throw new IllegalStateException("no read demands " + table.name(t2) + " before " + table.name(t1));
    }

    private boolean sees(int t, int read, int other) {
        boolean session = events.chain(t) == events.chain(other) && other < t;
        return switch (level) {
            case RC, PL2 -> readsFrom(t, other, table.statementStart(read));
            case RA -> session || readsFrom(t, other, table.operationsEnd(t));
            default -> session || graph.path(other, t, DEMANDED) != null;
        };
    }

    private boolean readsFrom(int t, int other, int before) {
        for (int o = table.firstOperation(t); o < before; o++) {
            if (reads.sources()[o] == other) {
                return true;
            }
        }
        return false;
    }

    /** How t3 sees t2. */
    private List<Dependency> seen(int t2, int t3, @Nullable Witness witness) {
        boolean session = events.chain(t2) == events.chain(t3) && t2 < t3 && !level.readsAlone();
        int before = level.readsAlone() && witness != null
                ? table.statementStart(witness.operation)
                : table.operationsEnd(t3);
        List<Dependency> dependencies = new ArrayList<>();
        if (session) {
            EdgeReasons.session(dependencies, t2, t3);
        } else if (readsFrom(t3, t2, before)) {
            dependencies.add(read(t2, t3));
        } else {
            List<EvidenceGraph.Step> path = graph.path(t2, t3, DEMANDED);
            dependencies.addAll(path(t2, t3, path == null ? List.of() : path));
        }
        return dependencies;
    }

    private List<Dependency> path(int from, int to, List<EvidenceGraph.Step> steps) {
        return EdgeReasons.chain(from, to, steps, events, this::dependency);
    }

    private Dependency dependency(EvidenceGraph.Step step) {
        return step.round() < DEMANDED ? read(step.from(), step.to()) : demanded(step.from(), step.to());
    }

    private Dependency read(int from, int to) {
        int element = -1;
        for (int o = table.firstOperation(to); o < table.operationsEnd(to); o++) {
            if (reads.sources()[o] == from && table.isImplied(o)) {
                element = o;
            } else if (reads.sources()[o] == from) {
                return new Dependency(
                        from,
                        to,
                        EdgeKind.WR,
                        table.key(o),
                        table.value(o),
                        "observed: the only writer of the value read");
            }
        }
        if (element < 0) {
            throw new IllegalStateException(table.name(to) + " does not read from " + table.name(from));
        }
        return new Dependency(
                from,
                to,
                EdgeKind.WR,
                listOf(from, table.key(element)),
                table.value(element),
                "observed: the only transaction that appended this element of the list");
    }

    private Dependency demanded(int t2, int t1) {
        Dependency shown = lists.between(t2, t1);
        if (shown != null) {
            return shown;
        }
        Witness witness = witness(t2, t1);
        String reader = table.name(witness.reader);
        Dependency assumed = new Dependency(
                t1,
                t2,
                EdgeKind.WW,
                witness.key,
                witness.value,
                new Reason(Basis.ASSUMED, "if " + table.name(t2) + " had written the key after " + table.name(t1)));
        List<Dependency> cycle = seen(t2, witness.reader, witness);
        cycle.add(new Dependency(
                witness.reader,
                t2,
                EdgeKind.RW,
                witness.key,
                witness.value,
                new Reason(Basis.ASSUMED, "then " + reader + " read what " + table.name(t2) + " had overwritten")));
        return new Dependency(
                t2,
                t1,
                EdgeKind.WW,
                witness.key,
                table.value(table.lastWrite(t2, witness.key)),
                new Reason(
                        Basis.FORCED,
                        "forced: " + reader + " read what " + table.name(t1) + " wrote although it sees "
                                + table.name(t2),
                        List.of(new Alternative(table.name(t1) + " before " + table.name(t2), assumed, cycle))));
    }

    /** Returns the list that a transaction appends to, by the key of an element. */
    private int listOf(int transaction, int ofElement) {
        int o = table.firstOperation(transaction);
        while (!table.isWriteOf(o, ofElement)) {
            o++;
        }
        return table.key(table.implying(o));
    }

    private static Violation violation(Anomaly anomaly, List<Dependency> found) {
        return FirstCycle.of(found).violation(anomaly, List.of(), "");
    }
}
