package org.polygraph.solver;

/**
 * When a search has so many clauses that it is better begun anew. The order is the memory of what worked, so what it violates is
 * all that there is left to do, and needs few of the clauses that were made on the way. But a search that makes no
 * headway may need all it has learnt: then the limit doubles.
 *
 * <p>So there are at most as many searches as the limit doubles before memory ends, and as what waits can shrink by an
 * eighth: a refutation that fits the memory is found.
 */
final class ClauseLimit {
    /** Headway: an eighth of what waited before. */
    private static final int LEAST_SHARE = 8;

    private long bytes;
    private long leastWaiting = Long.MAX_VALUE;

    /** @param bytes that clauses and what belongs to them may take at first */
    ClauseLimit(long bytes) {
        this.bytes = bytes;
    }

    boolean isReached(long held) {
        return held > bytes;
    }

    /**
     * A search begins.
     *
     * @param waiting items that the order may violate
     */
    void begin(long waiting) {
        if (waiting >= leastWaiting - leastWaiting / LEAST_SHARE) {
            bytes = bytes > Long.MAX_VALUE / 2 ? Long.MAX_VALUE : 2 * bytes;
        }
        leastWaiting = Math.min(leastWaiting, waiting);
    }
}
