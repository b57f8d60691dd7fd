package org.polygraph.jobs.decision;

import it.unimi.dsi.fastutil.ints.IntArrayList;

/** The predecessors of events, which are added in the order of the events. */
final class PredecessorLists {
    private final int[] starts;
    private final IntArrayList sources;
    private int lists;

    /** @param edges the number of predecessors, or a larger one */
    PredecessorLists(int events, int edges) {
        starts = new int[events + 1];
        sources = new IntArrayList(edges);
    }

    /** Begins the list of the next event, or ends that of the last one. */
    void next() {
        starts[lists++] = sources.size();
    }

    void add(int event) {
        sources.add(event);
    }

    /** By event: where its list begins, and at the end that of all. */
    int[] starts() {
        return starts;
    }

    /** The lists, one behind the other. The array may be longer. */
    int[] sources() {
        return sources.elements();
    }
}
