package org.polygraph.partitioner.order;

import java.util.Arrays;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.KnownGraph;

/**
 * An order of events taken as right but for small distances: it is cut into parts of equal length, and every event of a part
 * comes before every event of the next part but one. A guess, of use only where a wrong one does no harm: to find an order
 * that is then checked.
 *
 * <p>O(events + parts x chains^2); edges: at most parts x chains^2, for each part from the last event so far of each chain
 * to the first one left of each other.
 */
public final class CoarseOrder {
    private static final int NONE = -1;

    private CoarseOrder() {}

    /** Edges that {@link #add} may add. */
    public static long edges(Events events, int parts) {
        return (long) parts * events.chains() * events.chains();
    }

    /**
     * Adds the edges.
     *
     * @param position of each event, in an order that the graph allows; the graph stays acyclic then
     * @param parts 3 or more: fewer say nothing
     */
    public static void add(KnownGraph graph, int[] position, int parts) {
        Events events = graph.events();
        int chains = events.chains();
        // Per part and chain: its first event in the part, then its last one.
        int[] first = new int[parts * chains];
        int[] last = new int[parts * chains];
        Arrays.fill(first, NONE);
        Arrays.fill(last, NONE);
        for (int v = 0; v < events.count(); v++) {
            int at = (int) ((long) position[v] * parts / events.count()) * chains + events.chain(v);
            first[at] = first[at] == NONE ? v : first[at];
            last[at] = v;
        }
        for (int i = chains; i < last.length; i++) {
            last[i] = last[i] == NONE ? last[i - chains] : last[i];
        }
        for (int i = first.length - chains - 1; i >= 0; i--) {
            first[i] = first[i] == NONE ? first[i + chains] : first[i];
        }
        for (int part = 2; part < parts; part++) {
            for (int a = (part - 2) * chains; a < (part - 1) * chains; a++) {
                for (int b = part * chains; last[a] != NONE && b < (part + 1) * chains; b++) {
                    if (first[b] != NONE && a % chains != b % chains) {
                        graph.add(last[a], first[b]);
                    }
                }
            }
        }
    }
}
