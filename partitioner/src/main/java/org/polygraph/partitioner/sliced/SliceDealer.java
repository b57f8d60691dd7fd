package org.polygraph.partitioner.sliced;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.index.TransactionScan;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.table.Operations;

/**
 * The pass over transactions for an engine that indexes slices of keys in other processes. It takes transactions in
 * ascending order and deals their visible writes and external reads to slices, as blocks of bytes. It also finds the
 * transactions that contradict themselves.
 *
 * <p>A block, little-endian: int operations n, int broken b, n x int {@code local key << 1 | write}, n x int
 * transaction, n x long value, b x (int transaction, int operation within it). Broken transactions travel with slice 0.
 *
 * <p>Memory: 45 bytes an operation until {@link #deal}. Not thread-safe.
 */
public final class SliceDealer {
    private static final int HEADER_BYTES = 8;
    static final int BYTES_PER_OPERATION = 16;
    /**
     * The most operations before a deal. With these, blocks stay far below the limit of a row, and the arrays fit the
     * second-level cache.
     */
    private static final int FULL = 1 << 16;

    private final KeySlices slices;
    private int transactions;
    private int[] ids = new int[256];
    private int[] starts = new int[257];
    private int[] keys = new int[1024];
    private long[] values = new long[1024];

    public SliceDealer(KeySlices slices) {
        this.slices = slices;
    }

    /**
     * Adds a transaction; arguments are copied.
     *
     * @param keysAndKinds as in HistoryTable.operationKeys
     */
    public void add(int transaction, int[] keysAndKinds, long[] writtenOrRead) {
        if (keysAndKinds.length != writtenOrRead.length) {
            throw new IllegalArgumentException("transaction " + transaction + ": " + keysAndKinds.length + " keys, "
                    + writtenOrRead.length + " values");
        }
        if (transactions == ids.length) {
            ids = Arrays.copyOf(ids, 2 * ids.length);
            starts = Arrays.copyOf(starts, ids.length + 1);
        }
        int from = starts[transactions];
        int to = Math.addExact(from, keysAndKinds.length);
        if (to > keys.length) {
            int capacity = Math.max(to, 2 * keys.length);
            keys = Arrays.copyOf(keys, capacity);
            values = Arrays.copyOf(values, capacity);
        }
        System.arraycopy(keysAndKinds, 0, keys, from, keysAndKinds.length);
        System.arraycopy(writtenOrRead, 0, values, from, keysAndKinds.length);
        ids[transactions++] = transaction;
        starts[transactions] = to;
    }

    /** Whether nothing was added since the last {@link #deal}. */
    public boolean isEmpty() {
        return transactions == 0;
    }

    /** Whether so much was added that {@link #deal} is due. */
    public boolean isFull() {
        return starts[transactions] >= FULL;
    }

    /** The first transaction of the blocks that {@link #deal} would make; blocks of a slice are put in order by it. */
    public int firstTransaction() {
        return ids[0];
    }

    /** Returns a block for each slice, or null for a slice without operations, and removes all transactions. */
    public byte[] @Nullable [] deal() {
        TransactionScan scan = new TransactionScan(
                starts, keys, values, starts[transactions], slices.keys(), TransactionScan.Reads.FIRST);
        IntArrayList broken = new IntArrayList();
        for (int t = 0; t < transactions; t++) {
            int operation = scan.scan(t);
            if (operation >= 0 && broken.size() < 2 * IndexedHistory.MOST_VIOLATIONS) {
                broken.add(ids[t]);
                broken.add(operation - starts[t]);
            }
        }
        byte[][] blocks = deal(scan.roles(), broken);
        transactions = 0;
        return blocks;
    }

    private byte[] @Nullable [] deal(byte[] roles, IntArrayList broken) {
        int n = slices.slices();
        int[] counts = new int[n];
        int operations = starts[transactions];
        for (int o = 0; o < operations; o++) {
            if (roles[o] != TransactionScan.HIDDEN) {
                counts[slices.sliceOf(Operations.key(keys[o]), values[o])]++;
            }
        }
        byte[][] blocks = new byte[n][];
        ByteBuffer[] buffers = new ByteBuffer[n];
        for (int s = 0; s < n; s++) {
            int tail = s == 0 ? broken.size() : 0;
            if (counts[s] + tail > 0) {
                blocks[s] = new byte[HEADER_BYTES + BYTES_PER_OPERATION * counts[s] + 4 * tail];
                buffers[s] = ByteBuffer.wrap(blocks[s]).order(ByteOrder.LITTLE_ENDIAN);
                buffers[s].putInt(0, counts[s]).putInt(4, tail / 2);
            }
        }
        int[] next = new int[n];
        for (int t = 0; t < transactions; t++) {
            for (int o = starts[t]; o < starts[t + 1]; o++) {
                if (roles[o] != TransactionScan.HIDDEN) {
                    int key = Operations.key(keys[o]);
                    int s = slices.sliceOf(key, values[o]);
                    int i = next[s]++;
                    buffers[s].putInt(HEADER_BYTES + 4 * i, Operations.withKey(keys[o], slices.localOf(key)));
                    buffers[s].putInt(HEADER_BYTES + 4 * (counts[s] + i), ids[t]);
                    buffers[s].putLong(HEADER_BYTES + 8 * (counts[s] + i), values[o]);
                }
            }
        }
        for (int i = 0; i < broken.size(); i++) {
            buffers[0].putInt(HEADER_BYTES + BYTES_PER_OPERATION * counts[0] + 4 * i, broken.getInt(i));
        }
        return blocks;
    }

    /** Blocks of one slice, ascending by their first transaction, as the arrays that the builder takes. */
    static final class Blocks {
        final int[] keys;
        final int[] transactions;
        final long[] values;
        final IntArrayList broken = new IntArrayList();

        Blocks(Iterable<byte[]> blocks) {
            long total = 0;
            for (byte[] block : blocks) {
                total += operations(block);
            }
            if (total > Integer.MAX_VALUE - 8) {
                throw new BudgetException(
                        "a slice has " + total + " operations, more than an array holds; " + IndexSlice.REMEDY);
            }
            int n = (int) total;
            keys = new int[n];
            transactions = new int[n];
            values = new long[n];
            int at = 0;
            for (byte[] block : blocks) {
                ByteBuffer in = ByteBuffer.wrap(block).order(ByteOrder.LITTLE_ENDIAN);
                int count = in.getInt();
                int pairs = in.getInt();
                in.asIntBuffer().get(keys, at, count).get(transactions, at, count);
                in.position(HEADER_BYTES + 8 * count);
                in.asLongBuffer().get(values, at, count);
                in.position(HEADER_BYTES + BYTES_PER_OPERATION * count);
                for (int i = 0; i < 2 * pairs; i++) {
                    broken.add(in.getInt());
                }
                at += count;
            }
        }

        private static int operations(byte[] block) {
            return ByteBuffer.wrap(block).order(ByteOrder.LITTLE_ENDIAN).getInt(0);
        }
    }
}
