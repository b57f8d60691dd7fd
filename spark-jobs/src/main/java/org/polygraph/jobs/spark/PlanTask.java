package org.polygraph.jobs.spark;

import java.nio.ByteBuffer;
import java.util.Iterator;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.polygraph.storage.generate.TransactionPlan;
import org.polygraph.storage.table.Operations;

/**
 * For each range of transactions: deals their planned operations to slices of keys. Output: blocks, each of some
 * consecutive transactions and of one slice. A block has two ints for each operation: its number, counted from the
 * first operation of these transactions, and {@code key << 1 | write} as an unsigned int.
 */
final class PlanTask implements MapPartitionsFunction<Long, Row> {
    private static final long serialVersionUID = 1L;

    static final String SLICE = "slice";
    static final String FIRST = "first";
    static final String BLOCK = "block";

    /** The slice; the first transaction, by which the blocks of a slice are sorted; the block. */
    static final StructType BLOCKS = new StructType()
            .add(SLICE, DataTypes.IntegerType, false)
            .add(FIRST, DataTypes.LongType, false)
            .add(BLOCK, DataTypes.BinaryType, false);

    static final int BYTES_PER_OPERATION = 2 * Integer.BYTES;
    private static final int LEAST_CHUNK = 1 << 16;

    private final TransactionPlan plan;
    private final int slices;
    private final long perRange;

    /** @param perRange the number of transactions in a range */
    PlanTask(TransactionPlan plan, int slices, long perRange) {
        this.plan = plan;
        this.slices = slices;
        this.perRange = perRange;
    }

    @Override
    public Iterator<Row> call(Iterator<Long> ranges) {
        return new Blocks(ranges);
    }

    private final class Blocks extends Steps<Row> {
        private final Iterator<Long> ranges;
        private final int perChunk =
                Math.max(1, Math.max(LEAST_CHUNK, (int) Math.min(1 << 24, 256L * slices)) / plan.operations());
        private final int[] numbers = new int[perChunk * plan.operations()];
        private final int[] keys = new int[perChunk * plan.operations()];
        private long next;
        private long end;

        Blocks(Iterator<Long> ranges) {
            this.ranges = ranges;
        }

        @Override
        boolean step() {
            if (next == end) {
                if (!ranges.hasNext()) {
                    return false;
                }
                long range = ranges.next();
                next = range * perRange;
                end = Math.min(plan.transactions(), next + perRange);
            }
            deal();
            return true;
        }

        private void deal() {
            long first = next;
            next = Math.min(end, next + perChunk);
            int count = 0;
            int[] sizes = new int[slices];
            for (long t = first; t < next; t++) {
                for (int o = plan.scripted(t); o < plan.operations(t); o++) {
                    int key = plan.key(t, o);
                    numbers[count] = (int) (t - first) * plan.operations() + o;
                    keys[count++] = Operations.pack(key, plan.isWrite(t, o));
                    sizes[key % slices]++;
                }
            }
            ByteBuffer[] blocks = new ByteBuffer[slices];
            for (int s = 0; s < slices; s++) {
                if (sizes[s] > 0) {
                    blocks[s] = ByteBuffer.allocate(sizes[s] * BYTES_PER_OPERATION);
                }
            }
            for (int i = 0; i < count; i++) {
                blocks[Operations.key(keys[i]) % slices].putInt(numbers[i]).putInt(keys[i]);
            }
            for (int s = 0; s < slices; s++) {
                if (sizes[s] > 0) {
                    ready.add(RowFactory.create(s, first, blocks[s].array()));
                }
            }
        }
    }
}
