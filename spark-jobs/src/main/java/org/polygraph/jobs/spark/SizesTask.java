package org.polygraph.jobs.spark;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.polygraph.partitioner.sliced.IndexSlice;

/** For each slice of keys: the sizes of each key in its index. Output: a row a slice, {@link IndexSlice#sizes}. */
final class SizesTask implements MapPartitionsFunction<byte[], byte[]> {
    private static final long serialVersionUID = 1L;

    @Override
    public Iterator<byte[]> call(Iterator<byte[]> rows) {
        List<byte[]> sizes = new ArrayList<>();
        while (rows.hasNext()) {
            sizes.add(IndexSlice.sizes(rows.next()));
        }
        return sizes.iterator();
    }
}
