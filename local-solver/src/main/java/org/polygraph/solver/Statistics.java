package org.polygraph.solver;

/**
 * Counters of a search.
 *
 * @param instantiated clauses made because an order violated them
 * @param conflicts false clauses and cycles found
 * @param cycles the conflicts among them that were cycles
 * @param variables pairs of events, brackets and commits for which a variable was made
 * @param edges pairs of events among the variables
 * @param checks how often a key, or a window of it, was checked
 * @param violated items in the queue at the end; 0 if satisfiable
 * @param bytes memory of the solver's own structures at the end
 */
public record Statistics(
        long instantiated,
        long decisions,
        long conflicts,
        long cycles,
        long propagations,
        long variables,
        long edges,
        long checks,
        long violated,
        long bytes,
        long nanos) {
    /** The counters of no search. */
    static final Statistics NONE = new Statistics(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
}
