package org.polygraph.solver;

/**
 * Counters of a search.
 *
 * @param instantiated clauses made because an order violated them
 * @param conflicts false clauses and cycles found
 * @param checks how often a key, or a window of it, was checked
 * @param violated items in the queue at the end; 0 if satisfiable
 * @param bytes memory of the solver's own structures at the end
 */
public record Statistics(
        long instantiated, long decisions, long conflicts, long checks, long violated, long bytes, long nanos) {
    /** The counters of no search. */
    static final Statistics NONE = new Statistics(0, 0, 0, 0, 0, 0, 0);
}
