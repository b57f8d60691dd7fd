package org.polygraph.jobs.verdict;

import java.io.Serializable;

/**
 * The size of the residual core, which the solver decides.
 *
 * @param candidateReads reads with more than one candidate writer left
 * @param components connected components of the core
 * @param largest transactions in the largest of them
 */
public record ResidualSize(
        long constraints, long candidateReads, long components, long largest, long decisions, long conflicts)
        implements Serializable {
    /** Nothing was left to the solver, or windows were decided. */
    public static final ResidualSize NONE = new ResidualSize(0, 0, 0, 0, 0, 0);
}
