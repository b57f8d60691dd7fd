package org.polygraph.partitioner.graph;

import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.index.CommitStatus;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.storage.table.ListVersions;

/**
 * The order of appends that lists show where the transactions may overlap: from commit to commit, as one round. Where
 * writers may not overlap, an append reads the version before it.
 */
public final class ListEdges {
    private ListEdges() {}

    /**
     * A transaction of unknown outcome that an order counts although it appends to a list before one whose append the list
     * shows; -1 if there is none. No edge states this, because the transaction may be left out.
     *
     * @param committed by transaction: whether it was chosen to have committed; null for none
     * @param position by event
     */
    public static int misplaced(Problem problem, boolean @Nullable [] committed, int[] position) {
        ListVersions lists = problem.history().table().listVersions();
        int[] found = {-1};
        if (lists != null && committed != null) {
            lists.pairs((first, second, isShown) -> {
                int before = problem.events().commit(lists.transaction(first));
                int t = lists.transaction(second);
                boolean isOpen = problem.commitStatus().of(t) == CommitStatus.OPTIONAL && committed[t];
                found[0] =
                        isOpen && position[before] > position[problem.events().commit(t)] ? t : found[0];
            });
        }
        return found[0];
    }

    static void addTo(KnownGraph graph, IndexedHistory history) {
        ListVersions lists = history.table().listVersions();
        if (lists == null) {
            return;
        }
        CommitStatus status = history.commitStatus();
        Events events = graph.events();
        graph.nextRound();
        lists.pairs((first, second, isShown) -> {
            int before = lists.transaction(first);
            int after = lists.transaction(second);
            if (status.isCounted(before) && status.isCounted(after)) {
                graph.add(events.commit(before), events.commit(after));
            }
        });
    }
}
