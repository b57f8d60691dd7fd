package org.polygraph.jobs.decision;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.verdict.ResidualSize;
import org.polygraph.partitioner.index.CommitStatus;

/**
 * An order that explains a history, to be replayed.
 *
 * @param position of each event
 * @param committed by transaction, which optional ones committed; null: none
 * @param residual the problem that the solver had to decide for it
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record FoundOrder(int[] position, boolean @Nullable [] committed, ResidualSize residual) implements Serializable {
    private static final long serialVersionUID = 1L;

    /** An order that was found without the solver. */
    FoundOrder(int[] position) {
        this(position, null, ResidualSize.NONE);
    }

    /** By transaction: whether it counts. */
    boolean[] counted(CommitStatus status) {
        boolean[] counted = new boolean[status.states().length];
        for (int t = 0; t < counted.length; t++) {
            counted[t] = status.isCounted(t) || (committed != null && committed[t]);
        }
        return counted;
    }
}
