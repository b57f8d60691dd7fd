package org.polygraph.jobs.spark;

import java.util.Iterator;
import org.apache.spark.api.java.function.MapPartitionsFunction;

/** A task that makes a row from each slice of keys, which it reads from the files of {@link SliceFiles}. */
abstract class SliceTask implements MapPartitionsFunction<byte[], byte[]> {
    private static final long serialVersionUID = 1L;

    /** Makes the row of a slice. */
    abstract byte[] of(byte[] slice);

    @Override
    public final Iterator<byte[]> call(Iterator<byte[]> slices) {
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                return slices.hasNext();
            }

            @Override
            public byte[] next() {
                return of(slices.next());
            }
        };
    }
}
