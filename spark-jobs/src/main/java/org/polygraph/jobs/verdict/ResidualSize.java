package org.polygraph.jobs.verdict;

/**
 * What no rule decided and the solver had to.
 *
 * @param constraints clauses instantiated
 * @param candidateReads reads with more than one candidate writer left
 * @param components connected components of the core
 * @param largest transactions in the largest of them
 */
public record ResidualSize(
        long constraints, long candidateReads, long components, long largest, long decisions, long conflicts) {
    /** Nothing was left. */
    public static final ResidualSize NONE = new ResidualSize(0, 0, 0, 0, 0, 0);
}
