package org.polygraph.jobs.decision;

import it.unimi.dsi.fastutil.longs.LongHeapPriorityQueue;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.KnownGraph;

/**
 * An order of the events of a graph that extends its edges and is near a given one. Real time of the graph is not
 * considered.
 */
final class NearOrder {
    private NearOrder() {}

    /**
     * Places one event after another: of those whose predecessors have places, the first one in the given order.
     *
     * @param ranks by event: its place in the given order
     * @return by event: its place; null if the edges have a cycle
     */
    static int @Nullable [] of(KnownGraph graph, int[] ranks) {
        Events events = graph.events();
        int n = events.count();
        int[] waits = new int[n];
        int[] starts = new int[n + 1];
        for (int e = 0; e < graph.edges(); e++) {
            waits[graph.to(e)]++;
            starts[graph.from(e) + 1]++;
        }
        for (int v = 0; v < n; v++) {
            starts[v + 1] += starts[v];
        }
        int[] next = starts.clone();
        int[] targets = new int[graph.edges()];
        for (int e = 0; e < graph.edges(); e++) {
            targets[next[graph.from(e)]++] = graph.to(e);
        }
        LongHeapPriorityQueue ready = new LongHeapPriorityQueue();
        for (int v = 0; v < n; v++) {
            waits[v] += v == 0 || events.chain(v) != events.chain(v - 1) ? 0 : 1;
            if (waits[v] == 0) {
                ready.enqueue((long) ranks[v] << Integer.SIZE | v);
            }
        }
        int[] position = new int[n];
        int placed = 0;
        while (!ready.isEmpty()) {
            int v = (int) ready.dequeueLong();
            position[v] = placed++;
            for (int i = starts[v]; i < starts[v + 1]; i++) {
                if (--waits[targets[i]] == 0) {
                    ready.enqueue((long) ranks[targets[i]] << Integer.SIZE | targets[i]);
                }
            }
            if (v + 1 < n && events.chain(v) == events.chain(v + 1) && --waits[v + 1] == 0) {
                ready.enqueue((long) ranks[v + 1] << Integer.SIZE | (v + 1));
            }
        }
        return placed == n ? position : null;
    }
}
