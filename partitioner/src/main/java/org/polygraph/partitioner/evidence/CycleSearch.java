package org.polygraph.partitioner.evidence;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The shortest cycle of a strongly connected component, measured by edges outside sessions. For each edge it searches
 * the shortest path back. The work is bounded: in components of a few hundred events the result is the shortest cycle,
 * in huge ones the shortest that was found. Of equally short cycles {@value #MOST_TIES} through observed reads are
 * found, {@value #MOST_TIES} that may be lost updates, and {@value #MOST_TIES} others, each the first in the order of
 * edges.
 */
final class CycleSearch {
    /** The most events that all searches of one graph visit, in some tenths of a second. */
    private static final long MOST_WORK = 5_000_000;

    /** The most equally short cycles of a component for each kind of edge. */
    private static final int MOST_TIES = 8;

    private static final int ANY_LENGTH = Integer.MAX_VALUE - 1;

    private final EvidenceGraph graph;
    private final long limit;

    /** Kinds of edges, those of the simplest names first. Only cycles of two edges are searched by kind. */
    private final List<IntPredicate> kinds;

    private CycleSearch(EvidenceGraph graph, IntPredicate isLost) {
        this.graph = graph;
        this.kinds = List.of(e -> graph.step(e).round() == 0, isLost, e -> true);
        this.limit = graph.work() + MOST_WORK;
    }

    /**
     * The shortest cycles of each component of a cyclic graph, their edges outside sessions in order.
     *
     * @param isLost whether both ends of an edge write a key that its source read, which a lost update needs
     */
    static List<List<List<EvidenceGraph.Step>>> ofEach(EvidenceGraph graph, IntPredicate isLost) {
        CycleSearch search = new CycleSearch(graph, isLost);
        List<List<List<EvidenceGraph.Step>>> cycles = new ArrayList<>();
        for (int[] component : Components.of(graph)) {
            BitSet within = new BitSet();
            for (int v : component) {
                within.set(v);
            }
            cycles.add(search.ties(component, within, search.shortest(component, within)));
        }
        if (cycles.isEmpty()) {
            throw new IllegalStateException("the closure found a cycle, but the graph has none");
        }
        return cycles;
    }

    /** The cycles that are as short as the given one, which comes first. */
    private List<List<EvidenceGraph.Step>> ties(int[] component, BitSet within, List<EvidenceGraph.Step> shortest) {
        List<List<EvidenceGraph.Step>> ties = new ArrayList<>(List.of(shortest));
        Set<Set<Integer>> seen = new HashSet<>(Set.of(edges(shortest)));
        for (IntPredicate kind : shortest.size() == 2 ? kinds : kinds.subList(2, 3)) {
            addTies(component, kind, within, seen, ties);
        }
        return ties;
    }

    private void addTies(
            int[] component,
            IntPredicate kind,
            BitSet within,
            Set<Set<Integer>> seen,
            List<List<EvidenceGraph.Step>> ties) {
        int[] edges = graph.edgesFrom();
        int[] first = graph.firstEdges();
        int most = ties.size() + MOST_TIES;
        int others = ties.get(0).size() - 1;
        for (int v : component) {
            for (int i = first[v]; i < first[v + 1]; i++) {
                if (ties.size() == most || graph.work() >= limit) {
                    return;
                }
                if (within.get(graph.target(edges[i])) && kind.test(edges[i])) {
                    List<EvidenceGraph.Step> cycle = through(edges[i], others, within);
                    if (cycle != null && seen.add(edges(cycle))) {
                        ties.add(cycle);
                    }
                }
            }
        }
    }

    private static Set<Integer> edges(List<EvidenceGraph.Step> cycle) {
        Set<Integer> edges = new HashSet<>();
        for (EvidenceGraph.Step step : cycle) {
            edges.add(step.edge());
        }
        return edges;
    }

    private List<EvidenceGraph.Step> shortest(int[] component, BitSet within) {
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
        List<EvidenceGraph.Step> cycle = through(edge, best == null ? ANY_LENGTH : best.size() - 2, within);
        return cycle == null ? best : cycle;
    }

    /** The shortest cycle through an edge; null if it has more than {@code most} other edges. */
    private @Nullable List<EvidenceGraph.Step> through(int edge, int most, BitSet within) {
        List<EvidenceGraph.Step> back = most < 0
                ? null
                : graph.path(graph.target(edge), graph.source(edge), EvidenceGraph.ALL_ROUNDS, within, most);
        if (back == null) {
            return null;
        }
        List<EvidenceGraph.Step> cycle = new ArrayList<>();
        cycle.add(graph.step(edge));
        cycle.addAll(back);
        return cycle;
    }
}
