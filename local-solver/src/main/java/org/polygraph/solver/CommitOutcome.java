package org.polygraph.solver;

/** The answer of {@link CommitSolver}. */
public sealed interface CommitOutcome {
    /**
     * A choice and an order.
     *
     * @param position by transaction
     * @param sources by read: the candidate chosen; undefined for transactions that are not counted
     * @param counted by transaction
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Ordered(int[] position, int[] sources, boolean[] counted) implements CommitOutcome {}

    /**
     * There is none.
     *
     * @param transactions those that the refutation names, ascending; perhaps all
     * @param keys the keys that they read there, ascending
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Refuted(int[] transactions, int[] keys) implements CommitOutcome {}

    /** A budget ended. */
    record Unknown(String why) implements CommitOutcome {}
}
