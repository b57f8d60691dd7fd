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
 * @param bytes memory of the solver's own structures at the end; of several parts, when one ended
 * @param nanos wall-clock time; of several parts, summed up
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
        long nanos) {
    /** Of no search. */
    static final Statistics NONE = new Statistics(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

    /** What two searches did together. */
    Statistics plus(Statistics other) {
        return new Statistics(
                instantiated + other.instantiated,
                decisions + other.decisions,
                conflicts + other.conflicts,
                cycles + other.cycles,
                propagations + other.propagations,
                learnt + other.learnt,
                variables + other.variables,
                edges + other.edges,
                moves + other.moves,
                checks + other.checks,
                violated + other.violated,
                Math.max(bytes, other.bytes),
                nanos + other.nanos);
    }
}
