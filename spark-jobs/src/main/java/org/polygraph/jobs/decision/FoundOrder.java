package org.polygraph.jobs.decision;

import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.verdict.ResidualSize;

/**
 * An order that explains a history, to be replayed.
 *
 * @param position of each event
 * @param committed by transaction, which optional ones committed; null: none
 * @param residual the problem that the solver had to decide for it
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record FoundOrder(int[] position, boolean @Nullable [] committed, ResidualSize residual) {}
