package org.polygraph.partitioner.evidence;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The shortest cycle of a strongly connected component by edges outside sessions: the shortest path back for each
 * edge. The work is bounded, so in huge components it is the shortest cycle found, and in components of a few hundred
 * events the shortest there is. Of equally short cycles it is the first in the order of edges.
 */
final class CycleSearch {
    /** Most events that all searches of one graph visit, in some tenths of a second. */
    private static final long MOST_WORK = 5_000_000;

    private static final int ANY_LENGTH = Integer.MAX_VALUE - 1;

    private final EvidenceGraph graph;
    private final long limit;

    private CycleSearch(EvidenceGraph graph) {
        this.graph = graph;
        this.limit = graph.work() + MOST_WORK;
    }

    /** A cycle of each component of a cyclic graph, its edges outside sessions in order; the shortest one first. */
    static List<List<EvidenceGraph.Step>> ofEach(EvidenceGraph graph) {
        CycleSearch search = new CycleSearch(graph);
        List<List<EvidenceGraph.Step>> cycles = new ArrayList<>();
        for (int[] component : Components.of(graph)) {
            cycles.add(search.shortest(component));
        }
        if (cycles.isEmpty()) {
            throw new IllegalStateException("the closure found a cycle, but the graph has none");
        }
        cycles.sort((a, b) -> Integer.compare(a.size(), b.size()));
        return cycles;
    }

    private List<EvidenceGraph.Step> shortest(int[] component) {
        BitSet within = new BitSet();
        for (int v : component) {
            within.set(v);
        }
        List<EvidenceGraph.Step> best = null;
        int[] edges = graph.edgesFrom();
        int[] first = graph.firstEdges();
        for (int v : component) {
            for (int i = first[v]; i < first[v + 1] && (best == null || best.size() > 1); i++) {
                if (within.get(graph.target(edges[i])) && (best == null || graph.work() < limit)) {
                    boolean none = best == null;
                    best = shorterThrough(edges[i], best, within);
                    if (none && best != null) {
                        best = aroundItself(best, within);
                    }
                }
            }
        }
        if (best == null) {
            throw new IllegalStateException("a component of " + component.length + " events has no cycle");
        }
        return best;
    }

    /** Searches shortcuts over the edges of a long first cycle, which bounds all further searches. */
    private List<EvidenceGraph.Step> aroundItself(List<EvidenceGraph.Step> cycle, BitSet within) {
        List<EvidenceGraph.Step> best = cycle;
        for (int i = 0; i < cycle.size() && graph.work() < limit; i++) {
            int edge = cycle.get(i).edge();
            List<EvidenceGraph.Step> shorter = edge < 0 ? null : shorterThrough(edge, best, within);
            best = shorter == null ? best : shorter;
        }
        return best;
    }

    private @Nullable List<EvidenceGraph.Step> shorterThrough(
            int edge, @Nullable List<EvidenceGraph.Step> best, BitSet within) {
        int most = best == null ? ANY_LENGTH : best.size() - 2;
        if (most < 0) {
            return best;
        }
        List<EvidenceGraph.Step> back =
                graph.path(graph.target(edge), graph.source(edge), EvidenceGraph.ALL_ROUNDS, within, most);
        if (back == null) {
            return best;
        }
        List<EvidenceGraph.Step> cycle = new ArrayList<>();
        cycle.add(graph.step(edge));
        cycle.addAll(back);
        return cycle;
    }
}
