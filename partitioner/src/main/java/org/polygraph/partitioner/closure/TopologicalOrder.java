package org.polygraph.partitioner.closure;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.KnownGraph;

/**
 * Some topological order of a graph's edges: chains advance in turn, one event each; one that must wait stands aside until
 * the chain it waits for has got there. Linear in events and edges; 4 bytes an event.
 */
public final class TopologicalOrder {
    private TopologicalOrder() {}

    /**
     * The events in order. Real-time order that is bound to the graph is not looked at.
     *
     * @param graph with its predecessors indexed
     * @param done filled with how many events of each chain were placed: all of them, or what precedes the cycles
     * @return null if the edges have a cycle
     */
    public static int @Nullable [] sequence(KnownGraph graph, int[] done) {
        Events events = graph.events();
        int n = events.count();
        int k = events.chains();
        int[] sequence = new int[n];
        int[] queue = new int[k];
        int[] waiterHead = new int[k];
        int[] waiterNext = new int[k];
        int[] waitPosition = new int[k];
        Arrays.fill(done, 0);
        Arrays.fill(waiterHead, -1);
        int size = 0;
        for (int s = 0; s < k; s++) {
            if (events.chainLength(s) > 0) {
                queue[size++] = s;
            }
        }
        int placed = 0;
        for (int head = 0; size > 0; ) {
            int s = queue[head];
            head = head + 1 == k ? 0 : head + 1;
            size--;
            int event = events.chainStart(s) + done[s];
            int blocking = blocking(graph, event, done);
            if (blocking >= 0) {
                int chain = events.chain(blocking);
                waitPosition[s] = blocking - events.chainStart(chain);
                waiterNext[s] = waiterHead[chain];
                waiterHead[chain] = s;
                continue;
            }
            sequence[placed++] = event;
            done[s]++;
            if (done[s] < events.chainLength(s)) {
                queue[(head + size++) % k] = s;
            }
            int kept = -1;
            for (int w = waiterHead[s]; w >= 0; ) {
                int next = waiterNext[w];
                if (waitPosition[w] < done[s]) {
                    queue[(head + size++) % k] = w;
                } else {
                    waiterNext[w] = kept;
                    kept = w;
                }
                w = next;
            }
            waiterHead[s] = kept;
        }
        return placed == n ? sequence : null;
    }

    /** A predecessor of the event that is not yet placed, or -1. */
    private static int blocking(KnownGraph graph, int event, int[] done) {
        Events events = graph.events();
        int[] starts = graph.predecessorStarts();
        int[] edges = graph.predecessorEdges();
        for (int i = starts[event]; i < starts[event + 1]; i++) {
            int p = graph.from(edges[i]);
            int chain = events.chain(p);
            if (p - events.chainStart(chain) >= done[chain]) {
                return p;
            }
        }
        return -1;
    }
}
