package org.polygraph.partitioner.prune;

import java.util.Arrays;

/** Edges that rules forced and the graph does not have yet, in the order in which they were found. 8 bytes an edge. */
public final class ForcedEdges {
    private static final int SMALL = 32;

    private int[] from = new int[SMALL];
    private int[] to = new int[SMALL];
    private int count;

    void add(int fromEvent, int toEvent) {
        if (count == from.length) {
            from = Arrays.copyOf(from, 2 * count);
            to = Arrays.copyOf(to, 2 * count);
        }
        from[count] = fromEvent;
        to[count++] = toEvent;
    }

    public int count() {
        return count;
    }

    public int from(int edge) {
        return from[edge];
    }

    public int to(int edge) {
        return to[edge];
    }

    /** Removes all edges and frees their memory. */
    void clear() {
        count = 0;
        if (from.length > SMALL) {
            from = new int[SMALL];
            to = new int[SMALL];
        }
    }
}
