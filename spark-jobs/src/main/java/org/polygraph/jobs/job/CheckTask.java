package org.polygraph.jobs.job;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.broadcast.Broadcast;
import org.polygraph.partitioner.index.IndexSlice;
import org.polygraph.partitioner.index.KeySlices;
import org.polygraph.partitioner.order.KeyCheck;

/**
 * By slice of keys: every key against an order. Out: a row a slice that has violated keys, big-endian: long how many
 * reads and pairs of writers, then n x int key.
 */
final class CheckTask implements MapPartitionsFunction<byte[], byte[]> {
    private static final long serialVersionUID = 1L;

    private final KeySlices slices;
    private final int perTransaction;
    private final Broadcast<byte[]> states;
    private final Broadcast<int[]> position;

    /**
     * @param perTransaction events a transaction
     * @param states who counts, by transaction
     * @param position of each event
     */
    CheckTask(KeySlices slices, int perTransaction, Broadcast<byte[]> states, Broadcast<int[]> position) {
        this.slices = slices;
        this.perTransaction = perTransaction;
        this.states = states;
        this.position = position;
    }

    @Override
    public Iterator<byte[]> call(Iterator<byte[]> rows) {
        List<byte[]> violated = new ArrayList<>();
        while (rows.hasNext()) {
            IndexSlice slice = IndexSlice.ofBytes(rows.next());
            KeyCheck check = new KeyCheck(perTransaction, slice.versions(), states.value(), position.value());
            IntArrayList keys = new IntArrayList();
            long count = 0;
            for (int k = 0; k < slice.versions().keys(); k++) {
                int violations = check.violations(k);
                if (violations > 0) {
                    keys.add(slices.keyOf(slice.slice(), k));
                    count += violations;
                }
            }
            if (count > 0) {
                violated.add(bytes(count, keys));
            }
        }
        return violated.iterator();
    }

    private static byte[] bytes(long count, IntArrayList keys) {
        ByteBuffer out = ByteBuffer.allocate(8 + 4 * keys.size()).putLong(count);
        out.asIntBuffer().put(keys.elements(), 0, keys.size());
        return out.array();
    }
}
