package org.polygraph.partitioner.order;

import java.util.Arrays;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.index.Counting;
import org.polygraph.partitioner.index.VersionIndex;

/**
 * The check of one key at a time against an order: a read is violated when the last counted writer before its snapshot
 * wrote another value; with two events a transaction, two writers are violated when the later one's snapshot precedes the
 * earlier one's commit. Optional transactions are taken as not committed.
 *
 * <p>Time: sorting the key's readers and writers. Not thread-safe: one instance a task.
 */
public final class KeyCheck {
    private static final int SHORT = 40;

    private final int shift;
    private final VersionIndex index;
    private final byte[] states;
    private final int[] position;
    private long[] items = new long[256];

    /** @param position of each event, a permutation */
    public KeyCheck(Events events, VersionIndex index, Counting counting, int[] position) {
        this(events.perTransaction(), index, counting.states(), position);
    }

    /**
     * For a part of the keys, without the rest of the history.
     *
     * @param perTransaction events a transaction, 1 or 2
     * @param states {@link Counting#states}
     */
    public KeyCheck(int perTransaction, VersionIndex index, byte[] states, int[] position) {
        this.shift = perTransaction - 1;
        this.index = index;
        this.states = states;
        this.position = position;
    }

    /** How many reads and pairs of writers of the key are violated. */
    public int violations(int key) {
        int w0 = index.writerStarts()[key];
        int w1 = index.writerStarts()[key + 1];
        int r0 = index.readerStarts()[key];
        int r1 = index.readerStarts()[key + 1];
        if (w1 == w0) {
            return 0;
        }
        int most = w1 - w0 + r1 - r0;
        if (most > items.length) {
            items = new long[Math.max(most, 2 * items.length)];
        }
        int count = 0;
        int[] writers = index.writerTransactions();
        for (int w = w0; w < w1; w++) {
            if (states[writers[w]] == Counting.COUNTED) {
                items[count++] = (long) position[(writers[w] << shift) | shift] << 33 | 1L << 32 | w;
            }
        }
        int[] readers = index.readerTransactions();
        for (int r = r0; r < r1; r++) {
            if (states[readers[r]] == Counting.COUNTED) {
                items[count++] = (long) position[readers[r] << shift] << 33 | r;
            }
        }
        sort(count);
        return sweep(count);
    }

    private int sweep(int count) {
        int violated = 0;
        int current = VersionIndex.INITIAL;
        long lastCommit = -1;
        boolean overlaps = shift == 1;
        for (int i = 0; i < count; i++) {
            int entry = (int) items[i];
            if ((items[i] & 1L << 32) == 0) {
                violated += index.readerClasses()[entry] == current ? 0 : 1;
            } else {
                current = index.writerClasses()[entry];
                if (overlaps) {
                    int writer = index.writerTransactions()[entry];
                    violated += position[writer << shift] > lastCommit ? 0 : 1;
                    lastCommit = items[i] >>> 33;
                }
            }
        }
        return violated;
    }

    private void sort(int count) {
        if (count > SHORT) {
            Arrays.sort(items, 0, count);
            return;
        }
        for (int i = 1; i < count; i++) {
            long item = items[i];
            int j = i - 1;
            while (j >= 0 && items[j] > item) {
                items[j + 1] = items[j];
                j--;
            }
            items[j + 1] = item;
        }
    }
}
