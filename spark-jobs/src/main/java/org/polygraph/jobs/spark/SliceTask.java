package org.polygraph.jobs.spark;

import java.util.Iterator;
import org.apache.spark.api.java.function.MapPartitionsFunction;

/** By slice of keys, from the files of {@link SliceFiles}: a row out of each. */
abstract class SliceTask implements MapPartitionsFunction<byte[], byte[]> {
    private static final long serialVersionUID = 1L;

    /** What it makes of a slice. */
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
