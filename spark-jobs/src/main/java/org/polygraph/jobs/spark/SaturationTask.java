package org.polygraph.jobs.spark;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.broadcast.Broadcast;
import org.polygraph.partitioner.sliced.IndexSlice;
import org.polygraph.partitioner.sliced.KeySlices;
import org.polygraph.partitioner.sliced.SliceSaturation;

/**
 * For each slice of keys: a round of rules that reads clock rows from files. Output: a row for each slice that forces
 * or decides something, {@link SliceSaturation#forced} as little-endian ints.
 */
final class SaturationTask implements MapPartitionsFunction<byte[], byte[]> {
    private static final long serialVersionUID = 1L;

    private final RowFiles rows;
    private final KeySlices slices;
    private final int perTransaction;
    private final int[] sessionStarts;
    private final Broadcast<byte[]> states;
    private final Broadcast<long[]> changed;
    private final boolean most;
    private final Broadcast<int[]> decided;
    private final Broadcast<int[]> decidedKeys;
    private final int[] hotKeys;

    /**
     * A task for slices of whole keys. It skips slices of split keys.
     *
     * @param hotKeys the keys that {@link HotKeys} processes, which are left out
     */
    SaturationTask(
            RowFiles rows,
            KeySlices slices,
            int perTransaction,
            int[] sessionStarts,
            Broadcast<byte[]> states,
            Broadcast<long[]> changed,
            boolean most,
            Broadcast<int[]> decided,
            Broadcast<int[]> decidedKeys,
            int[] hotKeys) {
        this.rows = rows;
        this.slices = slices;
        this.perTransaction = perTransaction;
        this.sessionStarts = sessionStarts;
        this.states = states;
        this.changed = changed;
        this.most = most;
        this.decided = decided;
        this.decidedKeys = decidedKeys;
        this.hotKeys = hotKeys;
    }

    @Override
    public Iterator<byte[]> call(Iterator<byte[]> indexes) throws IOException {
        List<byte[]> made = new ArrayList<>();
        while (indexes.hasNext()) {
            byte[] index = indexes.next();
            if (slices.isOfSplitKey(IndexSlice.slice(index))) {
                continue;
            }
            int[] forced = new SliceSaturation(
                            slices,
                            IndexSlice.ofBytes(index),
                            perTransaction,
                            sessionStarts,
                            states.value(),
                            rows.open(),
                            changed.value(),
                            most,
                            decided.value(),
                            decidedKeys.value())
                    .without(hotKeys)
                    .forced();
            if (forced.length > 0) {
                ByteBuffer out = ByteBuffer.allocate(Math.multiplyExact(4, forced.length))
                        .order(ByteOrder.LITTLE_ENDIAN);
                out.asIntBuffer().put(forced);
                made.add(out.array());
            }
        }
        return made.iterator();
    }
}
