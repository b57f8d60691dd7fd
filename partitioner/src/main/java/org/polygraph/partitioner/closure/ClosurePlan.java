package org.polygraph.partitioner.closure;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.util.Arrays;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.KnownGraph;

/**
 * What {@link ColumnGroup}s need of a graph, all of them the same: in which turns chains advance, which no row has a say
 * in, and the predecessors of each event. Made once, where the graph is; linear in events and edges.
 */
public final class ClosurePlan {
    private final KnownGraph graph;
    private final int[] done;
    private final IntArrayList turns = new IntArrayList();
    private final int known;

    private ClosurePlan(KnownGraph graph, int known) {
        this.graph = graph;
        this.known = known;
        this.done = new int[graph.events().chains()];
    }

    /**
     * Indexes the graph's predecessors and finds the turns.
     *
     * @param known edges before this number are not redundant
     */
    public static ClosurePlan of(KnownGraph graph, int known) {
        graph.indexPredecessors();
        ClosurePlan plan = new ClosurePlan(graph, known);
        plan.advance();
        return plan;
    }

    /** Whether the graph has a cycle: then there is no closure. */
    public boolean isCyclic() {
        Events events = graph.events();
        for (int s = 0; s < done.length; s++) {
            if (done[s] < events.chainLength(s)) {
                return true;
            }
        }
        return false;
    }

    /** Pairs: a chain, and how many of its events come next. */
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

    /** Edges. */
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

    private void advance() {
        Events events = graph.events();
        int chains = events.chains();
        int[] starts = graph.predecessorStarts();
        int[] edges = graph.predecessorEdges();
        int[] sources = graph.sources();
        int[] waiterHead = new int[chains];
        int[] waiterNext = new int[chains];
        int[] waitPosition = new int[chains];
        int[] runnable = new int[chains];
        int runnables = 0;
        Arrays.fill(waiterHead, -1);
        for (int s = chains - 1; s >= 0; s--) {
            runnable[runnables++] = s;
        }
        while (runnables > 0) {
            int s = runnable[--runnables];
            int before = done[s];
            int length = events.chainLength(s);
            int position = before;
            int blockedBy = -1;
            while (position < length && blockedBy < 0) {
                int v = events.chainStart(s) + position;
                for (int i = starts[v]; i < starts[v + 1]; i++) {
                    int p = sources[edges[i]];
                    int chain = events.chain(p);
                    int at = p - events.chainStart(chain);
                    if (at >= (chain == s ? position : done[chain])) {
                        waitPosition[s] = at;
                        blockedBy = chain;
                        break;
                    }
                }
                position += blockedBy < 0 ? 1 : 0;
            }
            done[s] = position;
            if (position > before) {
                turns.add(s);
                turns.add(position - before);
            }
            if (blockedBy >= 0) {
                waiterNext[s] = waiterHead[blockedBy];
                waiterHead[blockedBy] = s;
            }
            int kept = -1;
            for (int w = waiterHead[s]; w >= 0; ) {
                int next = waiterNext[w];
                if (waitPosition[w] < done[s]) {
                    runnable[runnables++] = w;
                } else {
                    waiterNext[w] = kept;
                    kept = w;
                }
                w = next;
            }
            waiterHead[s] = kept;
        }
    }
}
