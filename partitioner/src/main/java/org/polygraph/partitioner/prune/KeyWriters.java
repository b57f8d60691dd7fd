package org.polygraph.partitioner.prune;

import java.util.Arrays;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.index.CommitStatus;
import org.polygraph.partitioner.index.VersionIndex;

/**
 * The writers and decided readers of one key, loaded for the rules: counted writers, grouped by session and in session
 * order, and the decided readers of each. They are copied together because the rules come to the same writers and
 * readers many times, and through the index each visit would be three cache misses. Arrays are reused from key to key:
 * 20 bytes a writer, 12 a reader.
 */
public final class KeyWriters {
    private final VersionIndex index;
    private final Events events;

    /** By writer: its transaction. */
    public int[] transactions = new int[256];
    /** By writer: the position of its begin in its chain. */
    public int[] begins = new int[256];
    /** By writer: its group. */
    public int[] groupOf = new int[256];
    /** By writer: its decided readers are [readFrom, readTo) of the reader arrays. */
    public int[] readFrom = new int[256];

    public int[] readTo = new int[256];
    public int writers;

    /** By decided reader, those of the initial version first: transaction, chain, position of the begin. */
    public int[] readers = new int[256];

    public int[] readerChains = new int[256];
    public int[] readerBegins = new int[256];
    /** How many readers the initial version has. */
    public int initialReaders;

    /** By group: its chain; its writers are [groupStarts[g], groupStarts[g + 1]). */
    public int[] groupChains = new int[64];

    public int[] groupStarts = new int[65];
    public int groups;

    /** @param index of the keys to be loaded */
    public KeyWriters(VersionIndex index, Events events) {
        this.index = index;
        this.events = events;
    }

    /** Loads the counted writers of a key. */
    public void load(int key, byte[] states) {
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
            if (states[t] != CommitStatus.COUNTED) {
                continue;
            }
            int c = events.session(t);
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
            begins[count] = events.begin(t) - events.chainStart(c);
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
            int c = events.session(readers[r]);
            readerChains[r] = c;
            readerBegins[r] = events.begin(readers[r]) - events.chainStart(c);
        }
    }

    /** The position of a writer's commit in its chain. */
    public int commit(int writer) {
        return begins[writer] + events.perTransaction() - 1;
    }

    /** The chain of a writer. */
    public int chain(int writer) {
        return groupChains[groupOf[writer]];
    }

    /**
     * The first writer from {@code low} on, before {@code end}, whose commit is not below the bound; {@code end} if
     * there is none. Commits ascend and the writer is mostly near, so the search goes in growing steps.
     */
    public int firstNotBelow(int low, int end, int bound) {
        int from = low;
        int step = 1;
        int at = low;
        while (at < end && commit(at) < bound) {
            from = at + 1;
            at += step;
            step <<= 1;
        }
        int to = Math.min(at, end);
        while (from < to) {
            int middle = (from + to) >>> 1;
            if (commit(middle) < bound) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        return from;
    }
}
