package org.polygraph.partitioner.linear;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.sliced.KeySlices;
import org.polygraph.storage.table.HistoryTable;

/**
 * {@link KeyOrders} from slices of keys, each of which another process may order: {@link #deal} writes each operation
 * to the slice of its key, {@link #order} orders the keys of a slice without the history, and {@link #merge} combines
 * the results, which equal those of {@link KeyOrders#of}.
 */
public final class LinearSlices {
    /** Receives operations. */
    @FunctionalInterface
    public interface Sink {
        /**
         * Room for the next row of a slice.
         *
         * @return to put {@link #ROW_BYTES} into
         */
        ByteBuffer row(int slice) throws IOException;
    }

    /** The bytes of the row of an operation. */
    public static final int ROW_BYTES = LinearOperations.ROW_BYTES;

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final RecordedOperations recorded;
    private final KeySlices slices;
    /** By slice: operations dealt. */
    private final int[] dealt;

    /** @param maybe whether unknown outcomes may have taken effect; else they did not */
    public LinearSlices(HistoryTable table, long skewNanos, boolean maybe, KeySlices slices) {
        this.recorded = new RecordedOperations(table, skewNanos, maybe);
        this.slices = slices;
        this.dealt = new int[slices.slices()];
    }

    /** Deals all operations, once. */
    public void deal(Sink sink) throws IOException {
        Arrays.fill(dealt, 0);
        for (int t = 0; t < recorded.table().transactions(); t++) {
            if (recorded.mayCount(t)) {
                int key = recorded.key(t);
                int slice = slices.sliceOf(key);
                dealt[slice]++;
                sink.row(slice)
                        .putInt(slices.localOf(key))
                        .putInt(t)
                        .put(recorded.kind(t))
                        .putLong(recorded.read(t))
                        .putLong(recorded.written(t))
                        .putLong(recorded.start(t))
                        .putLong(recorded.end(t));
            }
        }
    }

    /**
     * Orders the keys of a slice.
     *
     * @param bytes int number of the slice, int number of its keys, then rows as they were dealt, big-endian
     * @param initialValue code of the value that keys have at first
     * @return for {@link #merge}: 5 bytes a key, 4 an operation
     * @throws IllegalArgumentException if the last row is incomplete
     */
    public static byte[] order(byte[] bytes, long initialValue, BooleanSupplier stop) {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        if (bytes.length % ROW_BYTES != 2 * Integer.BYTES) {
            throw new IllegalArgumentException(
                    "a slice of " + bytes.length + " bytes, which is not a whole number of rows");
        }
        int slice = in.getInt();
        LinearOperations all = LinearOperations.ofRows(in, in.getInt(), initialValue);
        KeyOrders orders = KeyOrders.of(all, stop);
        int keys = orders.keys();
        int last = keys == 0 ? 0 : orders.first(keys - 1) + orders.count(keys - 1);
        ByteBuffer out = ByteBuffer.allocate(3 * Integer.BYTES + 1 + keys * (1 + Integer.BYTES) + last * Integer.BYTES);
        out.putInt(slice).putInt(all.transactions.length).putInt(keys).put((byte) (orders.hasUniqueValues() ? 1 : 0));
        for (int k = 0; k < keys; k++) {
            out.put(orders.result(k)).putInt(orders.count(k));
        }
        for (int i = 0; i < last; i++) {
            out.putInt(orders.transaction(i));
        }
        return out.array();
    }

    /**
     * The orders of all keys.
     *
     * @param bytes the results of {@link #order} for each slice with operations, in any order
     * @throws IllegalStateException if a slice is missing, occurs twice or lacks operations: a key must not hold
     *     because it was not checked
     */
    public KeyOrders merge(Iterable<byte[]> bytes) {
        @Nullable KeyOrders[] ofSlices = new @Nullable KeyOrders[slices.slices()];
        int[] left = dealt.clone();
        int total = 0;
        for (byte[] each : bytes) {
            ByteBuffer in = ByteBuffer.wrap(each);
            int slice = in.getInt();
            int operations = in.getInt();
            left[slice] -= operations;
            total += operations;
            ofSlices[slice] = ordersOf(in, operations);
        }
        for (int s = 0; s < left.length; s++) {
            if (left[s] != 0) {
                throw new IllegalStateException(
                        "of slice " + s + " " + (dealt[s] - left[s]) + " operations were ordered, not " + dealt[s]);
            }
        }
        KeyOrders all = new KeyOrders(slices.keys(), total);
        for (int key = 0; key < slices.keys(); key++) {
            KeyOrders ofSlice = ofSlices[slices.sliceOf(key)];
            if (ofSlice == null) {
                all.add(KeyOrders.ORDERED, NOTHING, 0);
            } else {
                all.add(ofSlice, slices.localOf(key));
            }
        }
        for (KeyOrders ofSlice : ofSlices) {
            if (ofSlice != null && !ofSlice.hasUniqueValues()) {
                all.repeats();
            }
        }
        return all;
    }

    private static KeyOrders ordersOf(ByteBuffer in, int operations) {
        int keys = in.getInt();
        KeyOrders ofSlice = new KeyOrders(keys, operations);
        if (in.get() == 0) {
            ofSlice.repeats();
        }
        ByteBuffer transactions = in.duplicate().position(in.position() + keys * (1 + Integer.BYTES));
        for (int k = 0; k < keys; k++) {
            ofSlice.add(in.get(), transactions, in.getInt());
        }
        return ofSlice;
    }
}
