package org.polygraph.jobs.spark;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.broadcast.Broadcast;
import org.polygraph.partitioner.order.KeyCheck;
import org.polygraph.partitioner.sliced.IndexSlice;
import org.polygraph.partitioner.sliced.KeySlices;

/**
 * For each slice of keys: checks every key against an order. Output: a row for each slice that has violated keys,
 * big-endian: the number of violated reads and pairs of writers as a long, then the keys as ints.
 */
final class KeyCheckTask implements MapPartitionsFunction<byte[], byte[]> {
    private static final long serialVersionUID = 1L;

    private final KeySlices slices;
    private final int perTransaction;
    private final Broadcast<byte[]> states;
    private final Broadcast<int[]> position;
    private final Broadcast<int[]> commits;

    /**
     * @param states by transaction: whether it counts
     * @param position of each event
     * @param commits for split keys, by place: the start of each key's commits in this array, and the end of the last
     *     one; then {@link KeyCheck#commits} of each
     */
    KeyCheckTask(
            KeySlices slices,
            int perTransaction,
            Broadcast<byte[]> states,
            Broadcast<int[]> position,
            Broadcast<int[]> commits) {
        this.slices = slices;
        this.perTransaction = perTransaction;
        this.states = states;
        this.position = position;
        this.commits = commits;
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
                int violations = slices.isOfSplitKey(slice.slice())
                        ? check.violations(k, commits(slices.placeOf(slice.slice())))
                        : check.violations(k);
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

    private IntBuffer commits(int place) {
        int[] all = commits.value();
        return IntBuffer.wrap(all, all[place], all[place + 1] - all[place]);
    }

    private static byte[] bytes(long count, IntArrayList keys) {
        ByteBuffer out = ByteBuffer.allocate(8 + 4 * keys.size()).putLong(count);
        out.asIntBuffer().put(keys.elements(), 0, keys.size());
        return out.array();
    }
}
