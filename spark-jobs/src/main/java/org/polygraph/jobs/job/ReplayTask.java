package org.polygraph.jobs.job;

import java.util.Iterator;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.polygraph.jobs.certificate.KeyReplay;

/** By slice of keys: its operations replayed. Out: a row a slice, for the merge. */
final class ReplayTask implements MapPartitionsFunction<byte[], byte[]> {
    private static final long serialVersionUID = 1L;

    private final long initialValue;

    ReplayTask(long initialValue) {
        this.initialValue = initialValue;
    }

    @Override
    public Iterator<byte[]> call(Iterator<byte[]> slices) {
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                return slices.hasNext();
            }

            @Override
            public byte[] next() {
                return KeyReplay.of(slices.next(), initialValue);
            }
        };
    }
}
