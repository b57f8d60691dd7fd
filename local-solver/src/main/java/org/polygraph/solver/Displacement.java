package org.polygraph.solver;

/**
 * The displacement of an edge against the order, which estimates the cost of deciding it.
 *
 * <p>Where one group of keys dominates, it is the distance between the two events in the order. Where many groups are mixed in
 * the order, that distance is misleading: two thousand groups of 40 transactions took six times the decisions of solving each
 * group alone. There, the displacement is the number of items of the current key between the two events; with one
 * group that is up to a fifth worse.
 */
final class Displacement {
    private final Polygraph p;
    private final int[] position;
    private final ReadCheck check;
    private final boolean byItems;

    /** @param position the position of each event; the search changes it */
    Displacement(Polygraph p, int[] position, ReadCheck check) {
        this.p = p;
        this.position = position;
        this.check = check;
        byItems = check.isScattered();
    }

    /** The displacement of an edge between two events of the current key; 0 if the edge agrees with the order. */
    long of(int from, int to) {
        if (position[from] < position[to]) {
            return 0;
        }
        return byItems
                ? Math.abs((long) check.slotOf(p.transaction(from)) - check.slotOf(p.transaction(to)))
                : (long) position[from] - position[to];
    }
}
