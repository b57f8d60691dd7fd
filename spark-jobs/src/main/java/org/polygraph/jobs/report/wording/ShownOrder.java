package org.polygraph.jobs.report.wording;

import org.polygraph.partitioner.isolation.Dependency;
import org.polygraph.partitioner.isolation.EdgeKind;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.ListVersions;

/** The order of the appends to one list, as the longest list that was read shows it. */
final class ShownOrder {
    static final int NONE = -1;

    private ShownOrder() {}

    /**
     * Returns a transaction that read a list that has the appends of the first transaction of an edge, and before them
     * none of the second; or {@link #NONE}.
     */
    static int reader(HistoryTable table, Dependency edge) {
        ListVersions lists = table.listVersions();
        if (lists == null
                || edge.kind() != EdgeKind.WW
                || edge.key() == Dependency.NO_KEY
                || edge.from() == Dependency.INITIAL) {
            return NONE;
        }
        int first = place(lists, edge.from(), edge.key());
        int second = place(lists, edge.to(), edge.key());
        return first == NONE || (second != NONE && second < first)
                ? NONE
                : lists.transaction(lists.longestRead(edge.key()));
    }

    /** The place of the first append of a transaction that the longest list of a key has. */
    private static int place(ListVersions lists, int t, int key) {
        HistoryTable recorded = lists.recorded();
        int place = NONE;
        for (int o = recorded.operationsEnd(t) - 1; o >= recorded.firstOperation(t); o--) {
            if (recorded.isWriteOf(o, key) && lists.place(o) != ListVersions.NONE) {
                place = lists.place(o);
            }
        }
        return place;
    }
}
