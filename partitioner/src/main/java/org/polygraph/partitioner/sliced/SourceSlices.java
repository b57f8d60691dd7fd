package org.polygraph.partitioner.sliced;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.index.CommitStatus;
import org.polygraph.partitioner.index.FirstPass;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.index.KeyBuckets;
import org.polygraph.partitioner.index.ReadsFrom;
import org.polygraph.partitioner.index.TransactionScan;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.table.HistoryTable;

/**
 * Computes {@link ReadsFrom} from slices of keys: {@link #deal} gives each visible write and external read to its
 * slice, {@link #find} finds the writers of a slice's reads, in any process, and {@link #merge} collects them. The
 * result is the same for every read.
 *
 * <p>Memory: 1 byte for each operation, beside the result.
 */
public final class SourceSlices {
    /** Receives the operations of each slice. */
    @FunctionalInterface
    public interface Sink {
        /**
         * Provides space for the next row of a slice.
         *
         * @return a buffer that takes {@link #ROW_BYTES} bytes
         */
        ByteBuffer row(int slice) throws IOException;
    }

    /** A row: int key x 2 + (1 if a write), int transaction, long value. */
    public static final int ROW_BYTES = 2 * Integer.BYTES + Long.BYTES;

    private final HistoryTable table;
    private final KeySlices slices;
    private final FirstPass pass;
    private final ReadsFrom result;

    /**
     * Decides which transactions count and which operations are visible outside. Takes the arguments of {@link
     * ReadsFrom#of}.
     */
    public SourceSlices(
            HistoryTable table, IndexedHistory.Indeterminate indeterminate, IsolationLevel level, KeySlices slices) {
        this.table = table;
        this.slices = slices;
        this.pass = ReadsFrom.firstPass(table, indeterminate, level);
        this.result = ReadsFrom.unread(table, pass);
    }

    /** The result, if no slice is needed because some transaction contradicts itself. */
    public @Nullable ReadsFrom known() {
        return pass.violations().isEmpty() ? null : result;
    }

    /** Deals all operations. To be called once. */
    public void deal(Sink sink) throws IOException {
        for (int t = 0; t < table.transactions(); t++) {
            if (pass.commitStatus().of(t) == CommitStatus.DROPPED) {
                continue;
            }
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                if (pass.roles()[o] != TransactionScan.HIDDEN) {
                    int key = table.key(o);
                    sink.row(slices.sliceOf(key, table.value(o)))
                            .putInt(slices.localOf(key) << 1 | (table.isWrite(o) ? 1 : 0))
                            .putInt(t)
                            .putLong(table.value(o));
                }
            }
        }
    }

    /**
     * Finds the writers of a slice's reads.
     *
     * @param bytes int number of the slice, int number of its keys, then rows as they were dealt, big-endian
     * @return for {@link #merge}: 4 bytes, and 4 a read
     * @throws IllegalArgumentException if a row is incomplete
     */
    public static byte[] find(byte[] bytes) {
        if (bytes.length % ROW_BYTES != 2 * Integer.BYTES) {
            throw new IllegalArgumentException("a slice of " + bytes.length + " bytes, which is no number of rows");
        }
        ByteBuffer in = ByteBuffer.wrap(bytes);
        int slice = in.getInt();
        int slicesKeys = in.getInt();
        int n = in.remaining() / ROW_BYTES;
        int[] keys = new int[n];
        int[] transactions = new int[n];
        long[] values = new long[n];
        int[] units = new int[n + 1];
        // By operation: its place among the reads.
        int[] place = new int[n];
        int reads = 0;
        int most = -1;
        for (int i = 0; i < n; i++) {
            keys[i] = in.getInt();
            transactions[i] = in.getInt();
            values[i] = in.getLong();
            units[i + 1] = i + 1;
            place[i] = reads;
            reads += 1 - (keys[i] & 1);
            most = Math.max(most, transactions[i]);
        }
        // Operations that are not visible outside, and those of transactions that do not count, were not dealt.
        byte[] roles = new byte[n];
        Arrays.fill(roles, TransactionScan.VISIBLE_WRITE);
        byte[] states = new byte[most + 1];
        Arrays.fill(states, CommitStatus.COUNTED);
        KeyBuckets buckets =
                new KeyBuckets(slicesKeys, units, transactions, keys, values, roles, states, KeyBuckets.Tag.OPERATION);
        ByteBuffer out = ByteBuffer.allocate(Integer.BYTES * (1 + reads)).putInt(slice);
        IntBuffer writers = out.asIntBuffer();
        buckets.findWriters(i -> transactions[i], (i, writer, value) -> writers.put(place[i], writer));
        return out.array();
    }

    /**
     * The sources of all reads.
     *
     * @param bytes the results of {@link #find} for all slices that have operations, in any order
     * @throws IllegalStateException if a slice is missing, occurs twice or lacks a read
     */
    public ReadsFrom merge(Iterable<byte[]> bytes) {
        @Nullable IntBuffer[] writers = new @Nullable IntBuffer[slices.slices()];
        for (byte[] each : bytes) {
            ByteBuffer in = ByteBuffer.wrap(each);
            int slice = in.getInt();
            if (writers[slice] != null) {
                throw new IllegalStateException("slice " + slice + " is there twice");
            }
            writers[slice] = in.asIntBuffer();
        }
        IntArrayList impossible = new IntArrayList();
        for (int t = 0; t < table.transactions(); t++) {
            if (pass.commitStatus().of(t) == CommitStatus.DROPPED) {
                continue;
            }
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                if (!table.isWrite(o) && pass.roles()[o] != TransactionScan.HIDDEN) {
                    int slice = slices.sliceOf(table.key(o), table.value(o));
                    IntBuffer next = writers[slice];
                    if (next == null || !next.hasRemaining()) {
                        throw new IllegalStateException("slice " + slice + " has not all its reads");
                    }
                    result.settle(o, next.get(), table.value(o), impossible);
                }
            }
        }
        for (IntBuffer each : writers) {
            if (each != null && each.hasRemaining()) {
                throw new IllegalStateException("a slice has more reads than it was dealt");
            }
        }
        return result.settled(impossible);
    }
}
