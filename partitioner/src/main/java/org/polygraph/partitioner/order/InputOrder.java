package org.polygraph.partitioner.order;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.closure.EventOrder;
import org.polygraph.partitioner.closure.TopologicalOrder;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.index.CommitStatus;
import org.polygraph.partitioner.index.VersionIndex;
import org.polygraph.storage.table.HistoryTable;

/**
 * The order in which the input lists the transactions, as far as the known graph allows. Recorders write a transaction
 * when they know its outcome, so this order is near the order of commits. A history does not guarantee that. With two
 * events a transaction, a snapshot comes right before its commit, or before the first commit after which it would read
 * another version.
 *
 * <p>O(events log events + edges), and for each read the writers between it and its version. Memory: 16 bytes an event.
 */
public final class InputOrder {
    /** Writers after a version that are looked at for a read of it. */
    private static final int MOST_LATER = 64;

    private final VersionIndex index;
    private final CommitStatus commitStatus;
    /** By transaction: its place in the input. */
    private final int[] places;

    private InputOrder(HistoryTable table, VersionIndex index, CommitStatus commitStatus) {
        this.index = index;
        this.commitStatus = commitStatus;
        int n = table.transactions();
        long[] sources = new long[n];
        for (int t = 0; t < n; t++) {
            sources[t] = table.sourceOf(t);
        }
        long[] sorted = sources.clone();
        Arrays.sort(sorted);
        places = new int[n];
        for (int t = 0; t < n; t++) {
            places[t] = Arrays.binarySearch(sorted, sources[t]);
        }
    }

    /**
     * The order.
     *
     * @return positions of events, or null if the graph has a cycle
     */
    public static int @Nullable [] of(
            KnownGraph graph, HistoryTable table, VersionIndex index, CommitStatus commitStatus) {
        graph.indexPredecessors();
        int[] sequence = TopologicalOrder.fair(graph);
        if (sequence == null) {
            return null;
        }
        InputOrder order = new InputOrder(table, index, commitStatus);
        Events events = graph.events();
        return EventOrder.byWishes(graph, sequence, order.wishes(events));
    }

    /** By event: the place that it should have. */
    private int[] wishes(Events events) {
        int[] wishes = new int[events.count()];
        for (int t = 0; t < places.length; t++) {
            wishes[events.begin(t)] = 2 * places[t];
            wishes[events.commit(t)] = 2 * places[t] + 1;
        }
        for (int key = 0; events.perTransaction() == 2 && key < index.keys(); key++) {
            if (index.keyOf(key) == key) {
                earlier(key, events, wishes);
            }
        }
        return wishes;
    }

    /** Moves snapshots back to where they would read the version of the key that was read. */
    private void earlier(int key, Events events, int[] wishes) {
        long[] writers = new long[index.writerStarts()[key + 1] - index.writerStarts()[key]];
        int count = 0;
        for (int w = index.writerStarts()[key]; w < index.writerStarts()[key + 1]; w++) {
            if (commitStatus.isCounted(index.writerTransactions()[w])) {
                writers[count++] = (long) places[index.writerTransactions()[w]] << 32 | w;
            }
        }
        Arrays.sort(writers, 0, count);
        for (int r = index.readerStarts()[key]; r < index.readerStarts()[key + 1]; r++) {
            int t = index.readerTransactions()[r];
            int found = Arrays.binarySearch(writers, 0, count, (long) places[t] << 32);
            int last = (found < 0 ? ~found : found) - 1;
            int at = last;
            while (at >= 0
                    && last - at < MOST_LATER
                    && index.writerClasses()[(int) writers[at]] != index.readerClasses()[r]) {
                at--;
            }
            boolean reads = at >= 0
                    ? index.writerClasses()[(int) writers[at]] == index.readerClasses()[r]
                    : index.readerClasses()[r] == VersionIndex.INITIAL;
            if (reads && at < last) {
                int before = 2 * (int) (writers[at + 1] >>> 32);
                wishes[events.begin(t)] = Math.min(wishes[events.begin(t)], before);
            }
        }
    }
}
