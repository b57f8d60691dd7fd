package org.polygraph.partitioner.subhistory;

import org.polygraph.storage.columnar.HistoryTable;

/** Decides small histories. */
@FunctionalInterface
public interface PartJudge {
    /** Whether the level is violated; false also where there was no time to tell. */
    boolean violates(HistoryTable part);
}
