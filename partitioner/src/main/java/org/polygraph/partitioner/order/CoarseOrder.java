package org.polygraph.partitioner.order;

import java.util.Arrays;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.KnownGraph;

/**
 * The guess that an order of events is right except for small distances: the order is divided into windows of equal
 * length, and every event of a window comes before every event of the next window but one. A wrong guess is harmless,
 * because an order that is found with it is checked.
 *
 * <p>O(events + windows x chains^2). Edges: at most windows x chains^2, for each window from the last event so far of
 * each chain to the first remaining event of each other chain. Memory: 8 bytes a window and chain.
 */
public final class CoarseOrder {
    private static final int NONE = -1;

    private CoarseOrder() {}

    /** Edges that {@link #add} may add. */
    public static long edges(Events events, int windows) {
        return (long) windows * events.chains() * events.chains();
    }

    /**
     * Adds the edges.
     *
     * @param position of each event, in an order that the graph allows; the graph stays acyclic then
     * @param windows 3 or more: fewer give no edges
     */
    public static void add(KnownGraph graph, int[] position, int windows) {
        Events events = graph.events();
        int chains = events.chains();
        // By window and chain: its first event in the window, then its last one.
        int[] first = new int[windows * chains];
        int[] last = new int[windows * chains];
        Arrays.fill(first, NONE);
        Arrays.fill(last, NONE);
        for (int v = 0; v < events.count(); v++) {
            int at = (int) ((long) position[v] * windows / events.count()) * chains + events.chain(v);
            first[at] = first[at] == NONE ? v : first[at];
            last[at] = v;
        }
        for (int i = chains; i < last.length; i++) {
            last[i] = last[i] == NONE ? last[i - chains] : last[i];
        }
        for (int i = first.length - chains - 1; i >= 0; i--) {
            first[i] = first[i] == NONE ? first[i + chains] : first[i];
        }
        for (int window = 2; window < windows; window++) {
            for (int a = (window - 2) * chains; a < (window - 1) * chains; a++) {
                for (int b = window * chains; last[a] != NONE && b < (window + 1) * chains; b++) {
                    if (first[b] != NONE && a % chains != b % chains) {
                        graph.add(last[a], first[b]);
                    }
                }
            }
        }
    }
}
