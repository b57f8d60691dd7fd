package org.polygraph.partitioner.sliced;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import org.polygraph.partitioner.closure.TopologicalOrder;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.KnownGraph;

/**
 * The input that all {@link ColumnGroup}s of a graph share: the order in which chains advance, which does not depend on
 * clock rows, and the predecessors of each event. It is made once, where the graph is, in time linear in events and
 * edges.
 */
public final class ClosurePlan {
    private final KnownGraph graph;
    private final boolean cyclic;
    private final IntArrayList turns = new IntArrayList();
    private final int known;

    private ClosurePlan(KnownGraph graph, int known, boolean cyclic) {
        this.graph = graph;
        this.known = known;
        this.cyclic = cyclic;
    }

    /**
     * Indexes the graph's predecessors and finds the order in which chains advance.
     *
     * @param known the number of edges that are already known not to be redundant; they come first
     */
    public static ClosurePlan of(KnownGraph graph, int known) {
        graph.indexPredecessors();
        int[] sequence = TopologicalOrder.byChain(graph);
        ClosurePlan plan = new ClosurePlan(graph, known, sequence == null);
        if (sequence != null) {
            plan.advance(sequence);
        }
        return plan;
    }

    /** Whether the graph has a cycle, so that it has no closure. */
    public boolean isCyclic() {
        return cyclic;
    }

    /** Pairs of a chain and the number of its events that come next. */
    public int[] turns() {
        return turns.toIntArray();
    }

    /** By event, see {@link KnownGraph#predecessorStarts}. */
    public int[] starts() {
        return graph.predecessorStarts();
    }

    /** The event that the i-th predecessor edge comes from. */
    public int source(int i) {
        return graph.from(graph.predecessorEdges()[i]);
    }

    /** The number of predecessor edges. */
    public int edges() {
        return graph.edges();
    }

    /** Whether the i-th predecessor edge is dropped if it is redundant. */
    public boolean isFresh(int i) {
        return graph.predecessorEdges()[i] >= known;
    }

    /**
     * Drops the redundant edges.
     *
     * @param kept bits of fresh predecessor edges that are not redundant
     */
    public void retain(long[] kept) {
        int edges = graph.edges();
        long[] keep = new long[(edges + 63) >> 6];
        int[] numbers = graph.predecessorEdges();
        for (int i = 0; i < edges; i++) {
            int e = numbers[i];
            if (e < known || (kept[i >> 6] & (1L << i)) != 0) {
                keep[e >> 6] |= 1L << e;
            }
        }
        graph.retain(keep);
    }

    private void advance(int[] sequence) {
        Events events = graph.events();
        for (int from = 0, to; from < sequence.length; from = to) {
            int chain = events.chain(sequence[from]);
            to = from + 1;
            while (to < sequence.length && events.chain(sequence[to]) == chain) {
                to++;
            }
            turns.add(chain);
            turns.add(to - from);
        }
    }
}
