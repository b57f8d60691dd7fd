package org.polygraph.solver.theory;

import org.polygraph.solver.sat.SearchBudget;

/**
 * The known edges (two CSR arrays, shared) plus added edges that come and go last in, first out; an added edge carries
 * its literal. Adding and removing take O(1).
 */
public final class EventGraph {
    static final int END = -1;

    private final SearchBudget budget;
    private final int events;
    private final int[] successorStart;
    private final int[] successor;
    private final int[] predecessorStart;
    private final int[] predecessor;

    /** The newest added edge out of and into each event; older ones are chained. */
    private final int[] firstOut;

    private final int[] firstIn;
    private int[] nextOut = new int[0];
    private int[] nextIn = new int[0];
    private int[] from = new int[0];
    private int[] to = new int[0];
    private int[] literal = new int[0];
    private int added;

    /**
     * A graph without added edges; the arrays of known edges are shared.
     *
     * @param successorStart by event, and one more: where its successors start in {@code successor}
     * @param predecessorStart likewise
     */
    public EventGraph(
            int events,
            int[] successorStart,
            int[] successor,
            int[] predecessorStart,
            int[] predecessor,
            SearchBudget budget) {
        this.budget = budget;
        this.events = events;
        this.successorStart = successorStart;
        this.successor = successor;
        this.predecessorStart = predecessorStart;
        this.predecessor = predecessor;
        firstOut = budget.ints(events);
        firstIn = budget.ints(events);
        java.util.Arrays.fill(firstOut, END);
        java.util.Arrays.fill(firstIn, END);
    }

    int events() {
        return events;
    }

    /** The index of an event's first known successor; those of the next event follow. */
    int successorsFrom(int event) {
        return successorStart[event];
    }

    int successor(int index) {
        return successor[index];
    }

    /** The index of an event's first known predecessor; those of the next event follow. */
    int predecessorsFrom(int event) {
        return predecessorStart[event];
    }

    int predecessor(int index) {
        return predecessor[index];
    }

    void add(int source, int target, int label) {
        nextOut = budget.grow(nextOut, added + 1L);
        nextIn = budget.grow(nextIn, added + 1L);
        from = budget.grow(from, added + 1L);
        to = budget.grow(to, added + 1L);
        literal = budget.grow(literal, added + 1L);
        int edge = added++;
        from[edge] = source;
        to[edge] = target;
        literal[edge] = label;
        nextOut[edge] = firstOut[source];
        firstOut[source] = edge;
        nextIn[edge] = firstIn[target];
        firstIn[target] = edge;
    }

    void removeNewest() {
        int edge = --added;
        firstOut[from[edge]] = nextOut[edge];
        firstIn[to[edge]] = nextIn[edge];
    }

    int added() {
        return added;
    }

    int firstOut(int event) {
        return firstOut[event];
    }

    int nextOut(int edge) {
        return nextOut[edge];
    }

    int firstIn(int event) {
        return firstIn[event];
    }

    int nextIn(int edge) {
        return nextIn[edge];
    }

    int from(int edge) {
        return from[edge];
    }

    int to(int edge) {
        return to[edge];
    }

    int literal(int edge) {
        return literal[edge];
    }
}
