package org.polygraph.partitioner.order;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.index.CommitStatus;
import org.polygraph.partitioner.index.RowKeys;
import org.polygraph.partitioner.index.VersionIndex;

/**
 * The check of one key at a time against an order: a read is violated if the last counted writer before its snapshot
 * wrote another value; at SI, two writers are violated if the snapshot of the later one
 * precedes the commit of the earlier one. Optional transactions are taken as not committed.
 *
 * <p>Of rows that are inserted and deleted ({@link RowKeys}), with two events a transaction: reads of an existence are
 * at commits, and a writer is violated if the writer before it left a row and commits after its snapshot.
 *
 * <p>Time: O(n log n) for a key with n readers and writers. Memory: 8 bytes a reader and writer of the largest key. Not
 * thread-safe.
 */
public final class KeyCheck {
    private final int perTransaction;
    private final boolean ordersWriters;
    private final VersionIndex index;
    private final byte[] states;
    private final int[] position;
    /** The description of keys of rows; null if all keys are plain. */
    private final @Nullable RowKeys rows;

    private long[] items = new long[16];

    /** @param position of each event, a permutation */
    public KeyCheck(Events events, VersionIndex index, CommitStatus commitStatus, int[] position) {
        this.perTransaction = events.perTransaction();
        this.ordersWriters = perTransaction == 2 && !events.mayOverlap();
        this.index = index;
        this.states = commitStatus.states();
        this.position = position;
        this.rows = perTransaction == 2 ? index.rows() : null;
    }

    /** How many reads and pairs of writers of the key are violated. */
    public int violations(int key) {
        if (index.writerStarts()[key + 1] == index.writerStarts()[key]) {
            return 0;
        }
        RowKeys kinds = rows;
        return kinds == null || !kinds.isRow(key) ? sweep(events(key)) : sweep(events(key), key, kinds);
    }

    /** The place at which a transaction takes its snapshot. */
    private int snapshot(int transaction) {
        return position[transaction * perTransaction];
    }

    /** The place at which a transaction commits. */
    private int commit(int transaction) {
        return position[(transaction + 1) * perTransaction - 1];
    }

    /** Puts commits of the key's writers and snapshots of its readers in order. @return how many */
    private int events(int key) {
        int w0 = index.writerStarts()[key];
        int w1 = index.writerStarts()[key + 1];
        int r0 = index.readerStarts()[key];
        int r1 = index.readerStarts()[key + 1];
        int most = w1 - w0 + r1 - r0;
        if (most > items.length) {
            items = new long[Math.max(most, 2 * items.length)];
        }
        int count = 0;
        int[] writers = index.writerTransactions();
        for (int w = w0; w < w1; w++) {
            if (states[writers[w]] == CommitStatus.COUNTED) {
                items[count++] = (long) commit(writers[w]) << 33 | 1L << 32 | w;
            }
        }
        boolean atCommit = rows != null && rows.isExistence(key);
        int[] readers = index.readerTransactions();
        for (int r = r0; r < r1; r++) {
            if (states[readers[r]] == CommitStatus.COUNTED) {
                int place = atCommit ? commit(readers[r]) : snapshot(readers[r]);
                items[count++] = (long) place << 33 | r;
            }
        }
        Arrays.sort(items, 0, count);
        return count;
    }

    private int sweep(int count) {
        int violated = 0;
        int current = VersionIndex.INITIAL;
        long lastCommit = -1;
        boolean overlaps = ordersWriters;
        for (int i = 0; i < count; i++) {
            int entry = (int) items[i];
            if ((items[i] & 1L << 32) == 0) {
                violated += index.readerClasses()[entry] == current ? 0 : 1;
            } else {
                current = index.writerClasses()[entry];
                if (overlaps) {
                    int writer = index.writerTransactions()[entry];
                    violated += snapshot(writer) > lastCommit ? 0 : 1;
                    lastCommit = items[i] >>> 33;
                }
            }
        }
        return violated;
    }

    /** Checks the values or the existence of a row. */
    private int sweep(int count, int key, RowKeys kinds) {
        int violated = 0;
        int current = VersionIndex.INITIAL;
        long lastCommit = -1;
        for (int i = 0; i < count; i++) {
            int entry = (int) items[i];
            if ((items[i] & 1L << 32) == 0) {
                violated += index.readerClasses()[entry] == current ? 0 : 1;
                continue;
            }
            int snapshot = snapshot(index.writerTransactions()[entry]);
            violated += snapshot > lastCommit || !kinds.isExistence(key) || !kinds.leavesRow(key, current) ? 0 : 1;
            current = index.writerClasses()[entry];
            lastCommit = items[i] >>> 33;
        }
        return violated;
    }
}
