package org.polygraph.jobs.verdict;

/**
 * The parts of a history that a verdict covers, which {@code seam/chain.txt} of its run lists.
 *
 * @param count the number of parts
 * @param list SHA-256 of the list
 * @param base the run on whose seam the verdict rests; empty if all parts were read
 */
public record CoveredParts(int count, String list, String base) {}
