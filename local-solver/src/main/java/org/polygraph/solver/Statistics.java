package org.polygraph.solver;

/**
 * What a search did.
 *
 * @param instantiated clauses of the problem that an order broke and so came to exist
 * @param decisions literals decided
 * @param conflicts false clauses and cycles met
 * @param cycles the conflicts among them that were cycles
 * @param propagations literals propagated
 * @param learnt clauses learnt that still stand
 * @param variables pairs of events, brackets and commits that came to exist
 * @param edges pairs of events among the variables
 * @param moves times an event changed its place in the order
 * @param checks times a key was checked (again)
 * @param violated items that waited at the end, each violated or moved since it was; 0 when satisfiable
 * @param bytes memory of the solver's own structures at the end
 * @param nanos wall-clock time
 */
public record Statistics(
        long instantiated,
        long decisions,
        long conflicts,
        long cycles,
        long propagations,
        long learnt,
        long variables,
        long edges,
        long moves,
        long checks,
        long violated,
        long bytes,
        long nanos) {}
