package org.polygraph.jobs.spark;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Queue;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.polygraph.partitioner.sliced.KeySlices;
import org.polygraph.partitioner.sliced.SliceDealer;

/**
 * For each scratch file: checks each transaction for contradictions within it, then deals its operations to slices of
 * keys. Output: a row for each block, which has about 64 thousand operations divided by the number of slices.
 */
final class SliceDealTask implements MapPartitionsFunction<ScratchTransaction, Row> {
    private static final long serialVersionUID = 1L;

    static final String SLICE = "slice";
    static final String FIRST = "first";
    static final String BLOCK = "block";

    /** The slice; the first transaction of the block, by which the blocks of a slice are sorted; the block. */
    static final StructType BLOCKS = new StructType()
            .add(SLICE, DataTypes.IntegerType, false)
            .add(FIRST, DataTypes.IntegerType, false)
            .add(BLOCK, DataTypes.BinaryType, false);

    private final KeySlices slices;
    private final int perFile;

    /**
     * @param perFile the number of transactions in a file; a task may get several files in any order, and no block
     *     spans two
     */
    SliceDealTask(KeySlices slices, int perFile) {
        this.slices = slices;
        this.perFile = perFile;
    }

    @Override
    public Iterator<Row> call(Iterator<ScratchTransaction> transactions) {
        return new Blocks(transactions);
    }

    private final class Blocks implements Iterator<Row> {
        private final Iterator<ScratchTransaction> transactions;
        private final SliceDealer dealer = new SliceDealer(slices);
        private final Queue<Row> ready = new ArrayDeque<>();
        private int file = -1;

        Blocks(Iterator<ScratchTransaction> transactions) {
            this.transactions = transactions;
        }

        @Override
        public boolean hasNext() {
            while (ready.isEmpty() && transactions.hasNext()) {
                ScratchTransaction t = transactions.next();
                int of = t.getTransaction() / perFile;
                if (of != file || dealer.isFull()) {
                    deal();
                    file = of;
                }
                dealer.add(t.getTransaction(), t.getKeys(), t.getValues());
            }
            if (ready.isEmpty()) {
                deal();
            }
            return !ready.isEmpty();
        }

        @Override
        public Row next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            return ready.remove();
        }

        private void deal() {
            if (dealer.isEmpty()) {
                return;
            }
            int first = dealer.firstTransaction();
            byte[][] blocks = dealer.deal();
            for (int s = 0; s < blocks.length; s++) {
                if (blocks[s] != null) {
                    ready.add(RowFactory.create(s, first, blocks[s]));
                }
            }
        }
    }
}
