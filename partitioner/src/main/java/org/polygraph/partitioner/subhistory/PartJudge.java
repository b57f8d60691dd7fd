package org.polygraph.partitioner.subhistory;

import org.polygraph.storage.columnar.HistoryTable;

/** Decides small histories. */
@FunctionalInterface
public interface PartJudge {
    /** Whether the level is violated; false also where there was no time to tell. */
    boolean violates(HistoryTable part);

    /** Share of the time for all parts together that is spent, 0 to 1; 0 where nobody measures. */
    default double spent() {
        return 0;
    }
}
