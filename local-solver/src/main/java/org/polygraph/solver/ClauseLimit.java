package org.polygraph.solver;

/**
 * Decides when a search has so many clauses that a new search is cheaper. The order keeps what the search has achieved,
 * so only the items that it still violates are left, and these need few of the clauses made on the way. A search that
 * makes no progress may need everything it has learnt: the limit then doubles.
 *
 * <p>The number of searches is bounded by how often the limit can double before memory ends, plus how often the number
 * of waiting items can shrink by an eighth. A refutation that fits in memory is therefore found.
 */
final class ClauseLimit {
    /** A search made progress if the number of waiting items fell by an eighth. */
    private static final int LEAST_SHARE = 8;

    private long bytes;
    private long leastWaiting = Long.MAX_VALUE;

    /** @param bytes the first limit on clauses and the structures that belong to them */
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
