package org.polygraph.jobs.pipeline;

import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.index.Counting;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.residual.ResidualCore;

/** The stages that go key by key, over all operations: the ones in which engines differ. For one history. */
public interface KeyStages {
    /** Indexes the history. @return null if the budget ended */
    @Nullable
    IndexedHistory index(IndexedHistory.Indeterminate indeterminate);

    /**
     * Checks every key against an order.
     *
     * @param counting who counts; optional transactions are taken as not committed
     * @param position of each event
     * @return null if the budget ended
     */
    @Nullable
    ResidualCore check(IndexedHistory history, KnownGraph graph, Counting counting, int[] position);

    /**
     * The same for the order that the solver answered with, which must violate nothing. An engine may return an empty
     * core unseen if the replay that follows sees all that it would.
     */
    @Nullable
    ResidualCore recheck(IndexedHistory history, KnownGraph graph, Counting counting, int[] position);
}
