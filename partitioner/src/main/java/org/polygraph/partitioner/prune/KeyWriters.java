package org.polygraph.partitioner.prune;

import java.util.Arrays;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.index.CommitStatus;
import org.polygraph.partitioner.index.VersionIndex;

/**
 * The writers and decided readers of one key, loaded for the rules: counted writers, by session and in session
 * order, and the decided readers of each. They are copied together because the rules come to the same writers and
 * readers many times, and through the index each visit would be three cache misses. Arrays are reused from key to key:
 * 20 bytes a writer, 12 a reader.
 */
final class KeyWriters {
    private final VersionIndex index;
    private final Events events;

    /** By writer: its transaction. */
    int[] transactions = new int[16];
    /** By writer: the position of its begin in its chain. */
    int[] begins = new int[16];
    /** By writer: its session among those of the key. */
    int[] sessionOf = new int[16];
    /** By writer: its decided readers are [readFrom, readTo) of the reader arrays. */
    int[] readFrom = new int[16];

    int[] readTo = new int[16];
    int writers;

    /** By decided reader, those of the initial version first: transaction, chain, position of the begin. */
    int[] readers = new int[16];

    int[] readerChains = new int[16];
    int[] readerBegins = new int[16];
    /** How many readers the initial version has. */
    int initialReaders;

    /** By session: its chain; its writers are [sessionStarts[g], sessionStarts[g + 1]). */
    int[] sessionChains = new int[16];

    int[] sessionStarts = new int[17];
    int sessions;

    /** @param index of the keys to be loaded */
    KeyWriters(VersionIndex index, Events events) {
        this.index = index;
        this.events = events;
    }

    /** Loads the counted writers of a key. */
    void load(int key, byte[] states) {
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
            sessionOf = new int[transactions.length];
            readFrom = new int[transactions.length];
            readTo = new int[transactions.length];
        }
        int count = 0;
        sessions = 0;
        int previous = -1;
        for (int i = from; i < to; i++) {
            int t = index.writerTransactions()[i];
            if (states[t] != CommitStatus.COUNTED) {
                continue;
            }
            int c = events.session(t);
            if (c != previous) {
                if (sessions == sessionChains.length) {
                    sessionChains = Arrays.copyOf(sessionChains, 2 * sessions);
                    sessionStarts = Arrays.copyOf(sessionStarts, 2 * sessions + 1);
                }
                sessionChains[sessions] = c;
                sessionStarts[sessions++] = count;
                previous = c;
            }
            transactions[count] = t;
            begins[count] = events.begin(t) - events.chainStart(c);
            sessionOf[count] = sessions - 1;
            readFrom[count] = starts[base + i - from] - firstReader;
            readTo[count++] = starts[base + i - from + 1] - firstReader;
        }
        writers = count;
        sessionStarts[sessions] = count;
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
    int commit(int writer) {
        return begins[writer] + events.perTransaction() - 1;
    }

    int chain(int writer) {
        return sessionChains[sessionOf[writer]];
    }

    /**
     * The first writer from {@code low} on, before {@code end}, whose commit is not below the bound; {@code end} if
     * there is none. Commits ascend and the writer is mostly near, so the search goes in growing steps.
     */
    int firstNotBelow(int low, int end, int bound) {
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
