package org.polygraph.jobs.spark;

import java.nio.ByteBuffer;
import java.util.Iterator;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.generate.GenerationTarget;
import org.polygraph.storage.generate.SimulatedStore;
import org.polygraph.storage.generate.TransactionPlan;
import org.polygraph.storage.table.Operations;

/**
 * For each slice of keys: runs the operations, ascending by transaction, against the simulated store. Output: the
 * results of reads, dealt to output files, in rows of a file and a block. A block has an int and a long for each read:
 * its place in the file and the write whose value it returns. A slice is never in memory as a whole, so a key with all
 * operations needs more time but not more memory.
 */
final class ResolveTask implements MapPartitionsFunction<Row, Row> {
    private static final long serialVersionUID = 1L;

    static final String PART = "part";
    static final String READS = "reads";

    static final StructType BLOCKS =
            new StructType().add(PART, DataTypes.IntegerType, false).add(READS, DataTypes.BinaryType, false);

    static final int BYTES_PER_READ = Integer.BYTES + Long.BYTES;
    /** About the most reads of all blocks that are being filled. */
    private static final int OPEN_READS = 1 << 21;

    private final TransactionPlan plan;
    private final int slices;
    private final GenerationTarget target;

    ResolveTask(TransactionPlan plan, int slices, GenerationTarget target) {
        this.plan = plan;
        this.slices = slices;
        this.target = target;
    }

    @Override
    public Iterator<Row> call(Iterator<Row> blocks) {
        return new Reads(blocks);
    }

    private final class Reads extends Steps<Row> implements SimulatedStore.Sink {
        private final Iterator<Row> blocks;
        private final @Nullable ByteBuffer[] open = new @Nullable ByteBuffer[target.parts()];
        private final int perBlock = Math.max(64, Math.min(1 << 13, OPEN_READS / target.parts()));
        private int slice = -1;
        private @Nullable SimulatedStore store;

        Reads(Iterator<Row> blocks) {
            this.blocks = blocks;
        }

        @Override
        boolean step() {
            if (!blocks.hasNext()) {
                end();
                return false;
            }
            Row block = blocks.next();
            if (block.getInt(0) != slice) {
                end();
                slice = block.getInt(0);
            }
            SimulatedStore playing = store;
            if (playing == null) {
                playing = new SimulatedStore(plan, slices, slice, this);
                store = playing;
            }
            play(playing, block.getLong(1), ByteBuffer.wrap(block.getAs(2)));
            return true;
        }

        private void play(SimulatedStore playing, long first, ByteBuffer block) {
            while (block.hasRemaining()) {
                int number = block.getInt();
                int key = block.getInt();
                playing.add(
                        first + number / plan.operations(),
                        number % plan.operations(),
                        Operations.key(key),
                        Operations.isWrite(key));
            }
        }

        private void end() {
            SimulatedStore playing = store;
            if (playing == null) {
                return;
            }
            store = null;
            playing.finish();
            for (int part = 0; part < open.length; part++) {
                send(part);
            }
        }

        private void send(int part) {
            ByteBuffer block = open[part];
            if (block != null) {
                byte[] reads = new byte[block.position()];
                block.flip().get(reads);
                ready.add(RowFactory.create(part, reads));
                open[part] = null;
            }
        }

        @Override
        public void read(long transaction, int operation, long write) {
            long row = plan.row(transaction);
            int part = (int) (row / target.rowsPerPart());
            ByteBuffer block = open[part];
            if (block == null) {
                block = ByteBuffer.allocate(perBlock * BYTES_PER_READ);
                open[part] = block;
            }
            block.putInt((int) ((row - target.from(part)) * plan.operations()) + operation)
                    .putLong(write);
            if (!block.hasRemaining()) {
                send(part);
            }
        }
    }
}
