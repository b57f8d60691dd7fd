package org.polygraph.partitioner.evidence;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.index.CommitStatus;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.index.VersionIndex;
import org.polygraph.partitioner.isolation.Alternative;
import org.polygraph.partitioner.isolation.Basis;
import org.polygraph.partitioner.isolation.Dependency;
import org.polygraph.partitioner.isolation.EdgeKind;
import org.polygraph.partitioner.isolation.Reason;
import org.polygraph.storage.table.HistoryTable;

/**
 * Finds the reason why a read with several possible writers has only one left: each other one closes a cycle with
 * edges of earlier rounds. Every read is explained once for each round.
 */
final class ReadReasons {
    /** The most candidates of one read whose failure is shown. */
    private static final int MOST_CANDIDATES = 64;

    private final HistoryTable table;
    private final VersionIndex index;
    private final CommitStatus commitStatus;
    private final Events events;
    private final WriterLookup lookup;
    private final EvidenceGraph graph;
    private final Branch branch;
    private final EdgeReasons edges;
    private final Map<Decision, List<Alternative>> decisions = new HashMap<>();

    /** A read that has one candidate left under the edges of earlier rounds. */
    private record Decision(int key, int reader, int below) {}

    ReadReasons(IndexedHistory history, EvidenceGraph graph, WriterLookup lookup, Branch branch, EdgeReasons edges) {
        this.table = history.table();
        this.index = history.versions();
        this.commitStatus = history.commitStatus();
        this.events = graph.events();
        this.lookup = lookup;
        this.graph = graph;
        this.branch = branch;
        this.edges = edges;
    }

    /**
     * Why a read has no other writer.
     *
     * @return an alternative for each other candidate; null if edges of earlier rounds do not rule all of them out
     */
    @Nullable
    List<Alternative> others(int key, int reader, int below) {
        int r = lookup.read(key, reader);
        int valueClass = r < 0 ? 0 : index.readerClasses()[r];
        if (r < 0 || !lookup.isChoice(key, valueClass, reader) || branch.reads().contains(Branch.pair(key, reader))) {
            return List.of();
        }
        Decision wanted = new Decision(key, reader, below);
        if (decisions.containsKey(wanted)) {
            return decisions.get(wanted);
        }
        List<Alternative> others = candidates(key, reader, below, lookup.writerOf(key, reader));
        decisions.put(wanted, others);
        return others;
    }

    /**
     * The failure of each candidate of a read but one.
     *
     * @param but the candidate that is left, {@link WriterLookup#UNDECIDED} for none
     * @return null if one does not fail; if there are very many, only some are tried
     */
    @Nullable
    List<Alternative> candidates(int key, int reader, int below, int but) {
        int valueClass = index.readerClasses()[lookup.read(key, reader)];
        BitSet before = graph.reaching(events.begin(reader), below);
        List<Alternative> failures = new ArrayList<>();
        if (valueClass == VersionIndex.INITIAL && but != WriterLookup.INITIAL_WRITER) {
            Alternative initial = impossible(key, reader, Dependency.INITIAL, below, before);
            if (initial == null) {
                return null;
            }
            failures.add(initial);
        }
        for (int w = index.firstInClass(key, valueClass);
                w >= 0 && failures.size() < MOST_CANDIDATES;
                w = index.nextInClass(w)) {
            int t = index.writerTransactions()[w];
            if (t != reader && t != but && commitStatus.of(t) != CommitStatus.DROPPED) {
                Alternative failure = impossible(key, reader, t, below, before);
                if (failure == null) {
                    return null;
                }
                failures.add(failure);
            }
        }
        return failures;
    }

    /** Why a read cannot return a candidate's version: the candidate follows it, or was overwritten before it. */
    private @Nullable Alternative impossible(int key, int reader, int candidate, int below, BitSet before) {
        int begin = events.begin(reader);
        long value = table.value(table.firstRead(reader, key));
        String source = candidate == Dependency.INITIAL ? "the initial state" : table.name(candidate);
        String statement = table.name(reader) + " reads from " + source;
        Dependency assumed = new Dependency(
                candidate,
                reader,
                EdgeKind.WR,
                key,
                value,
                new Reason(Basis.ASSUMED, "if " + table.name(reader) + " read the value of " + source));
        if (candidate != Dependency.INITIAL) {
            List<EvidenceGraph.Step> later = graph.path(begin, events.commit(candidate), below);
            if (later != null) {
                return new Alternative(
                        statement, assumed, EdgeReasons.closed(assumed, edges.chain(reader, candidate, later)));
            }
        }
        BitSet after = candidate == Dependency.INITIAL ? null : graph.reachedFrom(events.commit(candidate), below);
        for (int w = index.writerStarts()[key]; w < index.writerStarts()[key + 1]; w++) {
            int other = index.writerTransactions()[w];
            if (other == candidate
                    || other == reader
                    || !commitStatus.isCounted(other)
                    || !before.get(events.commit(other))
                    || (after != null && !after.get(events.begin(other)))) {
                continue;
            }
            List<EvidenceGraph.Step> toReader = graph.path(events.commit(other), begin, below);
            List<EvidenceGraph.Step> toOther = candidate == Dependency.INITIAL
                    ? List.of()
                    : graph.path(events.commit(candidate), events.begin(other), below);
            if (toReader != null && toOther != null) {
                String why = "if " + table.name(reader) + " read the value of " + source + ", which "
                        + table.name(other) + " overwrote";
                List<Alternative> because = List.of();
                if (candidate != Dependency.INITIAL) {
                    List<Dependency> overwrote = edges.chain(candidate, other, toOther);
                    why += " (" + edges.describe(overwrote) + ")";
                    Dependency otherWay = edges.assumed(other, candidate, key);
                    because = edges.alternatives(otherWay, otherWay, overwrote, List.of());
                }
                Dependency missed =
                        new Dependency(reader, other, EdgeKind.RW, key, value, new Reason(Basis.ASSUMED, why, because));
                return new Alternative(
                        statement, assumed, EdgeReasons.closed(missed, edges.chain(other, reader, toReader)));
            }
        }
        return null;
    }
}
