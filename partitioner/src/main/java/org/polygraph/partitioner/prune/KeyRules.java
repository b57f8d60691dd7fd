package org.polygraph.partitioner.prune;

import java.util.function.BooleanSupplier;

/** The rules for one key at a time, by one kind of closure. */
interface KeyRules {
    /** Every read has a candidate. */
    int NONE = -1;
    /** The budget ended. */
    int STOPPED = -2;

    /** Called before the first key of a round. */
    void begin();

    /**
     * Adds the edges that decided reads of the key force.
     *
     * @param all false: only what the last update of the closure changed can bring
     */
    void apply(int key, boolean all);

    /**
     * Judges the reads with several candidates, of the key that {@link #apply} was just called for.
     *
     * @param stop asked every few hundred reads
     * @return the transaction of a read that has no candidate left, {@link #NONE} or {@link #STOPPED}
     */
    int judgeReads(int key, BooleanSupplier stop);

    /** After {@link #judgeReads}: what of so many reads the index is to be told by VersionIndex.resolve; empty if nothing. */
    int[] decided(int reads);
}
