package org.polygraph.partitioner.evidence;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.Problem;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.isolation.Alternative;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.Dependency;
import org.polygraph.partitioner.isolation.EdgeKind;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.partitioner.prune.Rules;
import org.polygraph.storage.table.HistoryTable;

/**
 * Makes counterexamples from a refutation by the rules: the simplest cycle of each component, with its name and
 * reasons.
 */
public final class CycleEvidence {
    /** The most pairs of operations that the search for lost updates compares, in some tenths of a second. */
    private static final long MOST_COMPARISONS = 100_000_000;

    private final HistoryTable table;
    private final Events events;
    private final WriterLookup lookup;
    private final EvidenceGraph graph;
    private final EdgeReasons reasons;
    private final ClearerCycle clearer;
    private long comparisons = MOST_COMPARISONS;

    /** For a whole history. @param stop ends each search with a {@link org.polygraph.storage.model.StoppedException} */
    public CycleEvidence(Problem problem, BooleanSupplier stop) {
        this(problem, new Branch(), stop);
    }

    /** For a sub-history. */
    CycleEvidence(Problem problem, Branch branch, BooleanSupplier stop) {
        IndexedHistory history = problem.history();
        this.table = history.table();
        this.events = problem.events();
        this.lookup = new WriterLookup(history.versions(), history.commitStatus());
        this.graph = new EvidenceGraph(problem.graph(), history.versions(), lookup, branch, stop);
        this.reasons = new EdgeReasons(history, graph, lookup, branch);
        this.clearer = new ClearerCycle(table, reasons);
    }

    /** The violations by which the rules refute the problem, the clearest first. */
    public List<Violation> of(Rules.Refutation refutation) {
        return refutation.isByCycles()
                ? ofCycles()
                : List.of(ofImpossibleRead(refutation.key(), refutation.reader(), refutation.round()));
    }

    /** Explains a cyclic graph: one violation per strongly connected component, the simplest first. */
    public List<Violation> ofCycles() {
        List<Violation> violations = new ArrayList<>();
        for (List<List<EvidenceGraph.Step>> cycles : CycleSearch.ofEach(graph, this::mayLoseUpdate)) {
            violations.add(cycles.stream()
                    .map(cycle -> violation(clearer.of(reasons.cycle(cycle))))
                    .min(Violation.SIMPLEST)
                    .orElseThrow());
        }
        violations.sort(Violation.SIMPLEST);
        return violations;
    }

    /** Whether both ends of an edge write a key that its source reads. False if the comparisons are used up. */
    private boolean mayLoseUpdate(int edge) {
        int reader = events.transaction(graph.source(edge));
        int writer = events.transaction(graph.target(edge));
        for (int w = table.firstOperation(writer); w < table.operationsEnd(writer) && comparisons > 0; w++) {
            boolean reads = false;
            boolean writes = false;
            for (int o = table.firstOperation(reader); table.isWrite(w) && o < table.operationsEnd(reader); o++) {
                comparisons--;
                reads |= table.isReadOf(o, table.key(w)) && !table.isImplied(o);
                writes |= table.isWriteOf(o, table.key(w));
            }
            if (reads && writes) {
                return true;
            }
        }
        return false;
    }

    /**
     * Explains a read that has several candidate writers, none of which is possible.
     *
     * @param below the round that found it: only edges of earlier rounds are used
     */
    private Violation ofImpossibleRead(int key, int reader, int below) {
        if (lookup.isExistence(key)) {
            return reasons.ofImpossibleRow(lookup.keyOf(key), reader);
        }
        List<Alternative> failures = reasons.reads().candidates(key, reader, below, WriterLookup.UNDECIDED);
        int candidates = lookup.candidates(key, reader);
        String detail = "the value that " + table.name(reader) + " read from key "
                + table.keys().label(key) + " has "
                + switch (candidates) {
                    case 0 -> "no possible writer";
                    case 1 -> "1 possible writer, which closes a cycle";
                    default -> candidates + " possible writers and each closes a cycle; the shortest is shown";
                };
        if (failures == null || failures.isEmpty()) {
            return new Violation(Anomaly.NO_VALID_ORDER, List.of(reader), List.of(key), List.of(), detail);
        }
        List<Dependency> best = clearer.of(failures.get(0).cycle());
        Set<Anomaly> names = EnumSet.noneOf(Anomaly.class);
        for (Alternative failure : failures) {
            List<Dependency> cycle = clearer.of(failure.cycle());
            best = length(cycle) < length(best) ? cycle : best;
            names.add(name(FirstCycle.of(cycle)));
        }
        // The name has to be right for every possible writer of the read.
        Anomaly name = names.size() == 1 ? name(FirstCycle.of(best)) : Anomaly.NO_VALID_ORDER;
        return FirstCycle.of(best).violation(name, candidates == 1 ? List.of() : failures, detail);
    }

    /** Edges outside sessions. */
    private static int length(List<Dependency> cycle) {
        int length = 0;
        for (Dependency d : cycle) {
            length += d.kind() == EdgeKind.SO ? 0 : 1;
        }
        return length;
    }

    /**
     * All known dependencies between some transactions, on which a refutation by search rests.
     *
     * @param transactions few, because each pair takes a search
     */
    public List<Dependency> between(int[] transactions) {
        List<Dependency> known = new ArrayList<>();
        for (int a : transactions) {
            for (int b : transactions) {
                if (a != b) {
                    List<EvidenceGraph.Step> path =
                            graph.path(events.begin(a), events.commit(b), EvidenceGraph.ALL_ROUNDS);
                    if (path != null) {
                        known.addAll(reasons.chain(a, b, path));
                    }
                }
            }
        }
        return known;
    }

    private Violation violation(List<Dependency> found) {
        FirstCycle cycle = FirstCycle.of(found);
        return cycle.violation(name(cycle), List.of(), "");
    }

    private Anomaly name(FirstCycle cycle) {
        return CycleName.of(cycle.steps(), lookup, table);
    }
}
