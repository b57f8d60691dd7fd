package org.polygraph.solver.proof;

import java.util.Arrays;

/**
 * The edges of a graph by their source: the targets of event e are {@code target[start[e]..start[e+1])}. The arrays are
 * shared.
 */
public final class EdgeLists {
    final int[] start;
    final int[] target;

    public EdgeLists(int[] start, int[] target) {
        this.start = start;
        this.target = target;
    }

    /** By event, and one more: where its targets start. The array is shared. */
    public int[] start() {
        return start;
    }

    /** The targets. The array is shared. */
    public int[] target() {
        return target;
    }

    /**
     * The same edges by their target; the lists ascend.
     *
     * @throws IllegalArgumentException when a start or target is out of range
     */
    public EdgeLists reversed(int events) {
        validate(events);
        int[] back = new int[events + 1];
        for (int i = start[0]; i < start[events]; i++) {
            back[target[i]]++;
        }
        for (int e = 1; e <= events; e++) {
            back[e] += back[e - 1];
        }
        int[] source = new int[back[events]];
        // From the last to the first, so that each list ends up ascending and each start where it belongs.
        for (int e = events - 1; e >= 0; e--) {
            for (int i = start[e]; i < start[e + 1]; i++) {
                source[--back[target[i]]] = e;
            }
        }
        return new EdgeLists(back, source);
    }

    void validate(int events) {
        ProofProblem.validateStarts("the starts of edges", start, events, target.length);
        for (int i = start[0]; i < start[events]; i++) {
            ProofProblem.require(target[i] >= 0 && target[i] < events, "the target of an edge", i, target[i]);
        }
    }

    /** Whether both have the same edges, in the same order. */
    boolean isSame(EdgeLists other, int events) {
        return Arrays.equals(start, 0, events + 1, other.start, 0, events + 1)
                && Arrays.equals(target, start[0], start[events], other.target, other.start[0], other.start[events]);
    }
}
