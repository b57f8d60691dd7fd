package org.polygraph.partitioner.prune;

import java.util.Arrays;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.index.VersionIndex;

/**
 * One key, loaded for rules that go by session: its counted writers, grouped by session and in session order, and the
 * decided readers of each. Kept together, because the rules come to the same writers and readers many times and through
 * the index each visit is three cache misses. Arrays are reused from key to key.
 */
final class SessionKey {
    private final VersionIndex index;
    private final int shift;
    private final int[] firstTransactions;
    private final int[] chainOf;

    /** By writer: its transaction. */
    int[] transactions = new int[256];
    /** By writer: the position of its begin in its chain. */
    int[] begins = new int[256];
    /** By writer: its group. */
    int[] groupOf = new int[256];
    /** By writer: its decided readers are [readFrom, readTo) of the reader arrays. */
    int[] readFrom = new int[256];

    int[] readTo = new int[256];
    int writers;

    /** By decided reader, those of the initial version first: transaction, chain, position of the begin. */
    int[] readers = new int[256];

    int[] readerChains = new int[256];
    int[] readerBegins = new int[256];
    /** How many readers the initial version has. */
    int initialReaders;

    /** By group: its chain; its writers are [groupStarts[g], groupStarts[g + 1]). */
    int[] groupChains = new int[64];

    int[] groupStarts = new int[65];
    int groups;

    SessionKey(VersionIndex index, Events events) {
        this.index = index;
        this.shift = events.shift();
        this.firstTransactions = events.firstTransactions();
        this.chainOf = events.chainsByTransaction();
    }

    /** Loads the writers of a key that are in the given state. */
    void load(int key, byte[] states, byte counted) {
        int from = index.writerStarts()[key];
        int to = index.writerStarts()[key + 1];
        int base = index.slot(key) + 1;
        int[] starts = index.slotStarts();
        int firstReader = starts[base - 1];
        initialReaders = starts[base] - firstReader;
        loadReaders(firstReader, starts[base + to - from]);
        if (to - from > transactions.length) {
            transactions = new int[Math.max(to - from, 2 * transactions.length)];
            begins = new int[transactions.length];
            groupOf = new int[transactions.length];
            readFrom = new int[transactions.length];
            readTo = new int[transactions.length];
        }
        int count = 0;
        groups = 0;
        int previous = -1;
        for (int i = from; i < to; i++) {
            int t = index.writerTransactions()[i];
            if (states[t] != counted) {
                continue;
            }
            int c = chainOf[t];
            if (c != previous) {
                if (groups == groupChains.length) {
                    groupChains = Arrays.copyOf(groupChains, 2 * groups);
                    groupStarts = Arrays.copyOf(groupStarts, 2 * groups + 1);
                }
                groupChains[groups] = c;
                groupStarts[groups++] = count;
                previous = c;
            }
            transactions[count] = t;
            begins[count] = (t - firstTransactions[c]) << shift;
            groupOf[count] = groups - 1;
            readFrom[count] = starts[base + i - from] - firstReader;
            readTo[count++] = starts[base + i - from + 1] - firstReader;
        }
        writers = count;
        groupStarts[groups] = count;
    }

    private void loadReaders(int from, int to) {
        int count = to - from;
        if (count > readers.length) {
            readers = new int[Math.max(count, 2 * readers.length)];
            readerChains = new int[readers.length];
            readerBegins = new int[readers.length];
        }
        System.arraycopy(index.readerTransactions(), from, readers, 0, count);
        for (int r = 0; r < count; r++) {
            int c = chainOf[readers[r]];
            readerChains[r] = c;
            readerBegins[r] = (readers[r] - firstTransactions[c]) << shift;
        }
    }

    /** The position of a writer's commit in its chain. */
    int commit(int writer) {
        return begins[writer] | shift;
    }

    /** The chain of a writer. */
    int chain(int writer) {
        return groupChains[groupOf[writer]];
    }

    /**
     * The first writer from {@code low} on, before {@code end}, whose commit is not below the bound; {@code end} if there
     * is none. They ascend; it is mostly near, so it is looked for in growing steps.
     */
    int firstNotBelow(int low, int end, int bound) {
        int from = low;
        int step = 1;
        int at = low;
        while (at < end && (begins[at] | shift) < bound) {
            from = at + 1;
            at += step;
            step <<= 1;
        }
        int to = Math.min(at, end);
        while (from < to) {
            int middle = (from + to) >>> 1;
            if ((begins[middle] | shift) < bound) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        return from;
    }
}
