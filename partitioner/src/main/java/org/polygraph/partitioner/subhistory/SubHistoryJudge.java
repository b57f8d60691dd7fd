package org.polygraph.partitioner.subhistory;

import org.polygraph.storage.table.HistoryTable;

/** Decides small histories. */
@FunctionalInterface
public interface SubHistoryJudge {
    /** Whether the level is violated; false also where the work for it ran out. */
    boolean violates(HistoryTable part);

    /**
     * Share of the work for all parts together that is done, 0 to 1; 0 where nobody counts. Counted, not timed: by it shrinking
     * gives up, and what is told of a history is the same on every machine.
     */
    default double spent() {
        return 0;
    }
}
