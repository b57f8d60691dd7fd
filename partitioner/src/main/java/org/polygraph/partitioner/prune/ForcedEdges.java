package org.polygraph.partitioner.prune;

import java.util.Arrays;

/** Edges that rules force, on their way to the graph, in the order in which they were found. */
final class ForcedEdges {
    private static final int SMALL = 256;

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

    int count() {
        return count;
    }

    int from(int edge) {
        return from[edge];
    }

    int to(int edge) {
        return to[edge];
    }

    /** Forgets them, and gives back what they took. */
    void clear() {
        count = 0;
        if (from.length > SMALL) {
            from = new int[SMALL];
            to = new int[SMALL];
        }
    }
}
