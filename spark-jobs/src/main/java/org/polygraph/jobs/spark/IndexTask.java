package org.polygraph.jobs.spark;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.Row;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.sliced.IndexSlice;
import org.polygraph.partitioner.sliced.KeySlices;

/**
 * For each slice of keys: makes its index from its blocks, ascending by transaction. Output: a row for each slice,
 * {@link IndexSlice#toBytes}.
 */
final class IndexTask implements MapPartitionsFunction<Row, byte[]> {
    private static final long serialVersionUID = 1L;

    private final KeySlices slices;
    private final int[] sessionStarts;
    private final Broadcast<byte[]> states;
    private final long initialValue;

    /** @param states by transaction: whether it counts */
    IndexTask(KeySlices slices, int[] sessionStarts, Broadcast<byte[]> states, long initialValue) {
        this.slices = slices;
        this.sessionStarts = sessionStarts;
        this.states = states;
        this.initialValue = initialValue;
    }

    @Override
    public Iterator<byte[]> call(Iterator<Row> blocks) {
        return new Slices(blocks);
    }

    private final class Slices implements Iterator<byte[]> {
        private final Iterator<Row> blocks;
        private @Nullable Row ahead;

        Slices(Iterator<Row> blocks) {
            this.blocks = blocks;
            advance();
        }

        private void advance() {
            ahead = blocks.hasNext() ? blocks.next() : null;
        }

        @Override
        public boolean hasNext() {
            return ahead != null;
        }

        @Override
        public byte[] next() {
            Row first = ahead;
            if (first == null) {
                throw new NoSuchElementException();
            }
            int slice = first.getInt(0);
            List<byte[]> own = new ArrayList<>();
            for (Row row = first; row != null && row.getInt(0) == slice; row = ahead) {
                own.add(row.getAs(2));
                advance();
            }
            return IndexSlice.of(slices, slice, own, sessionStarts, states.value(), initialValue)
                    .toBytes();
        }
    }
}
