package org.polygraph.partitioner.subhistory;

import org.polygraph.storage.table.HistoryTable;

/** Decides small histories. */
@FunctionalInterface
public interface SubHistoryJudge {
    /** Whether the history violates the level; false also if the budget ends. */
    boolean violates(HistoryTable history);

    /**
     * Share of the work for all sub-histories that is done, 0 to 1; 0 if work is not counted. It is counted rather
     * than timed, because shrinking gives up by it, and evidence has to be the same on every machine.
     */
    default double spent() {
        return 0;
    }
}
