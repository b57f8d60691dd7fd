package org.polygraph.solver.proof;

/**
 * Paths over the known edges (for two events a transaction, from each snapshot to its commit too). Searches keep to the
 * window of topological places between their ends. Memory: 16 bytes an event, 4 an edge.
 */
final class KnownPaths {
    private final ProofProblem p;
    private final EdgeLists successors;
    private final EdgeLists predecessors;
    private final int[] place;
    private final int[] seen;
    private final int[] stack;
    private final boolean acyclic;
    private int stamp;

    KnownPaths(ProofProblem p) {
        this.p = p;
        int events = p.events();
        successors = p.successors;
        predecessors = successors.reversed(events);
        place = new int[events];
        seen = new int[events];
        stack = new int[events];
        acyclic = sort();
    }

    /** Whether the known edges are acyclic. */
    boolean isAcyclic() {
        return acyclic;
    }

    private boolean hasOwnEdge(int event) {
        return p.eventsPerTransaction == 2 && (event & 1) == 0;
    }

    private boolean sort() {
        int events = p.events();
        int[] incoming = new int[events];
        int size = 0;
        for (int e = 0; e < events; e++) {
            incoming[e] = predecessors.start[e + 1] - predecessors.start[e] + (e > 0 && hasOwnEdge(e - 1) ? 1 : 0);
            if (incoming[e] == 0) {
                stack[size++] = e;
            }
        }
        int placed = 0;
        while (size > 0) {
            int event = stack[--size];
            place[event] = placed++;
            if (hasOwnEdge(event) && --incoming[event + 1] == 0) {
                stack[size++] = event + 1;
            }
            for (int i = successors.start[event]; i < successors.start[event + 1]; i++) {
                if (--incoming[successors.target[i]] == 0) {
                    stack[size++] = successors.target[i];
                }
            }
        }
        return placed == events;
    }

    /** Place of an event in some order that extends the known edges. */
    int place(int event) {
        return place[event];
    }

    /** Whether this edge itself is known. O(log in-degree). */
    boolean isEdge(int from, int to) {
        if (from + 1 == to && hasOwnEdge(from)) {
            return true;
        }
        return java.util.Arrays.binarySearch(
                        predecessors.target, predecessors.start[to], predecessors.start[to + 1], from)
                >= 0;
    }

    /** Whether every order has {@code from} before {@code to}, or they are one event. */
    boolean reaches(int from, int to) {
        forward(from, place[to]);
        return isReached(to);
    }

    /** After {@link #forward} or {@link #backward}: whether the event was reached. */
    boolean isReached(int event) {
        return seen[event] == stamp;
    }

    /** Marks all events reachable from {@code from}, itself included, up to a place. */
    void forward(int from, int lastPlace) {
        int size = start(from);
        while (size > 0) {
            int event = stack[--size];
            if (hasOwnEdge(event)) {
                size = visit(event + 1, place[event + 1] <= lastPlace, size);
            }
            for (int i = successors.start[event]; i < successors.start[event + 1]; i++) {
                int next = successors.target[i];
                size = visit(next, place[next] <= lastPlace, size);
            }
        }
    }

    /** Marks all events that reach {@code to}, itself included, down to a place. */
    void backward(int to, int firstPlace) {
        int size = start(to);
        while (size > 0) {
            int event = stack[--size];
            if (event > 0 && hasOwnEdge(event - 1)) {
                size = visit(event - 1, place[event - 1] >= firstPlace, size);
            }
            for (int i = predecessors.start[event]; i < predecessors.start[event + 1]; i++) {
                int next = predecessors.target[i];
                size = visit(next, place[next] >= firstPlace, size);
            }
        }
    }

    private int start(int event) {
        if (++stamp < 0) {
            java.util.Arrays.fill(seen, 0);
            stamp = 1;
        }
        seen[event] = stamp;
        stack[0] = event;
        return 1;
    }

    private int visit(int event, boolean inWindow, int size) {
        if (!inWindow || seen[event] == stamp) {
            return size;
        }
        seen[event] = stamp;
        stack[size] = event;
        return size + 1;
    }
}
