package org.polygraph.jobs.verdict;

import org.jspecify.annotations.Nullable;

/**
 * The parts of a history that a verdict covers, which {@code seam/chain.txt} of its run lists.
 *
 * @param count the number of parts
 * @param list SHA-256 of the list
 * @param base the run on whose seam the verdict rests; empty if all parts were read
 * @param sizes of the last part and of all parts; null if they are not known
 */
public record CoveredParts(
        int count, String list, String base, @Nullable Sizes sizes) {
    /**
     * Numbers of transactions of any status and of their operations.
     *
     * @param chainTransactions of all parts; negative if it is not known
     */
    public record Sizes(long transactions, long operations, long chainTransactions) {}

    /** Whether the verdict rests on the seam of another run. */
    public boolean isOnSeam() {
        return !base.isEmpty();
    }

    /** The same with the sizes. */
    public CoveredParts with(@Nullable Sizes value) {
        return new CoveredParts(count, list, base, value);
    }
}
