package org.polygraph.solver;

/**
 * How far an edge goes against the order: the guess at what deciding it costs.
 *
 * <p>Where one group of keys dominates, places in the order between its ends. Where there are many groups, mixed in the
 * order, that says nothing: events that moved stand side by side, all others a group's events apart, and two thousand
 * groups of 40 transactions took six times the decisions of solving each alone. There, items of the key in hand between
 * the ends count; with one group that is up to a fifth worse.
 */
final class Displacement {
    private final Polygraph p;
    private final int[] position;
    private final ReadCheck check;
    private final boolean byItems;

    /** @param position event to position; live */
    Displacement(Polygraph p, int[] position, ReadCheck check) {
        this.p = p;
        this.position = position;
        this.check = check;
        byItems = check.isScattered();
    }

    /** Of an edge between events of the reader and writers of the key in hand; 0 when it follows the order. */
    long of(int from, int to) {
        if (position[from] < position[to]) {
            return 0;
        }
        return byItems
                ? Math.abs((long) check.slotOf(p.transaction(from)) - check.slotOf(p.transaction(to)))
                : (long) position[from] - position[to];
    }
}
