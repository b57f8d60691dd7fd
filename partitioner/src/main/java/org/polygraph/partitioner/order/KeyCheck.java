package org.polygraph.partitioner.order;

import java.nio.IntBuffer;
import java.util.Arrays;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.index.CommitStatus;
import org.polygraph.partitioner.index.VersionIndex;

/**
 * The check of one key at a time against an order: a read is violated when the last counted writer before its snapshot
 * wrote another value; with two events a transaction, two writers are violated when the later one's snapshot precedes the
 * earlier one's commit. Optional transactions are taken as not committed.
 *
 * <p>A part of a key ({@link org.polygraph.partitioner.sliced.KeySlices}) is checked with the places where all writers of the key
 * commit: a read is violated when the last of these is not that of a writer of its value, and they are all in the part.
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
    public KeyCheck(Events events, VersionIndex index, CommitStatus commitStatus, int[] position) {
        this(events.perTransaction(), index, commitStatus.states(), position);
    }

    /**
     * For a part of the keys, without the rest of the history.
     *
     * @param perTransaction events a transaction, 1 or 2
     * @param states {@link CommitStatus#states}
     */
    public KeyCheck(int perTransaction, VersionIndex index, byte[] states, int[] position) {
        this.shift = perTransaction - 1;
        this.index = index;
        this.states = states;
        this.position = position;
    }

    /** How many reads and pairs of writers of the key are violated. */
    public int violations(int key) {
        if (index.writerStarts()[key + 1] == index.writerStarts()[key]) {
            return 0;
        }
        return sweep(events(key));
    }

    /**
     * How many reads of the key are violated, and writers together with the one before: parts add up to {@link #violations(int)} of
     * the whole.
     *
     * @param key of which there is a part
     * @param commits {@link #commits} of the whole
     */
    public int violations(int key, IntBuffer commits) {
        return sweep(events(key), commits);
    }

    /** Where the writers of a key commit that count, ascending. */
    public int[] commits(int key) {
        int[] commits = new int[index.writerStarts()[key + 1] - index.writerStarts()[key]];
        int count = 0;
        for (int w = index.writerStarts()[key]; w < index.writerStarts()[key + 1]; w++) {
            int writer = index.writerTransactions()[w];
            if (states[writer] == CommitStatus.COUNTED) {
                commits[count++] = position[(writer << shift) | shift];
            }
        }
        Arrays.sort(commits, 0, count);
        return Arrays.copyOf(commits, count);
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
                items[count++] = (long) position[(writers[w] << shift) | shift] << 33 | 1L << 32 | w;
            }
        }
        int[] readers = index.readerTransactions();
        for (int r = r0; r < r1; r++) {
            if (states[readers[r]] == CommitStatus.COUNTED) {
                items[count++] = (long) position[readers[r] << shift] << 33 | r;
            }
        }
        sort(count);
        return count;
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

    private int sweep(int count, IntBuffer commits) {
        int violated = 0;
        int current = VersionIndex.INITIAL;
        int own = -1;
        int last = -1;
        int next = commits.position();
        for (int i = 0; i < count; i++) {
            int place = (int) (items[i] >>> 33);
            while (next < commits.limit() && commits.get(next) < place) {
                last = commits.get(next++);
            }
            int entry = (int) items[i];
            if ((items[i] & 1L << 32) == 0) {
                violated += own == last && index.readerClasses()[entry] == current ? 0 : 1;
            } else {
                int writer = index.writerTransactions()[entry];
                violated += shift == 0 || position[writer << shift] > last ? 0 : 1;
                current = index.writerClasses()[entry];
                own = place;
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
