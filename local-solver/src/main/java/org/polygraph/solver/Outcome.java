package org.polygraph.solver;

import org.jspecify.annotations.Nullable;

/** A solver's answer. */
public sealed interface Outcome {
    /** What the search did. */
    Statistics statistics();

    /**
     * There is such an order; it was checked from scratch.
     *
     * @param position event to position, a permutation
     * @param committed by transaction, which optional transactions committed (false for all others); null when the
     *     polygraph has none
     */
    record Satisfiable(int[] position, boolean @Nullable [] committed, Statistics statistics) implements Outcome {}

    /** There is no such order: the core has none. */
    record Unsatisfiable(Core core, Statistics statistics) implements Outcome {}

    /**
     * A budget ran out.
     *
     * @param reason which, for the user
     */
    record Unknown(String reason, Statistics statistics) implements Outcome {}

    /** What an instantiated clause says. */
    enum ClauseKind {
        /** A read must not have {@code writer} as its last writer: writer after it, or a candidate between. */
        READ,
        /** A read needs a candidate before it. */
        READ_UNWRITTEN,
        /** Two writers of a key must not overlap. */
        OVERLAP
    }

    /**
     * Clauses that, with the known edges, no order satisfies. Parallel arrays.
     *
     * @param kinds what each clause says
     * @param keys the key it is about
     * @param readers index of the read in the polygraph's readers; -1 for {@link ClauseKind#OVERLAP}
     * @param writers index in the polygraph's writers of the writer that the read must not see, or of the first of two
     *     that overlap; -1 for {@link ClauseKind#READ_UNWRITTEN}
     * @param others index of the second writer that overlaps; -1 for the other kinds
     * @param cycle events of the cycle on which the last alternative broke, each before the next and the last before
     *     the first; empty when a clause broke last
     * @param minimized whether the clauses were traced through the refutation; otherwise these are all there were
     */
    record Core(
            ClauseKind[] kinds,
            int[] keys,
            int[] readers,
            int[] writers,
            int[] others,
            int[] cycle,
            boolean minimized) {}
}
