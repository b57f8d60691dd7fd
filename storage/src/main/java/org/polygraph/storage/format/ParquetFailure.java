package org.polygraph.storage.format;

import java.io.IOException;
import org.apache.parquet.ParquetRuntimeException;

/** Parquet wraps what goes wrong while it closes a file, a full disk for one, so that it looks like a bug. */
public final class ParquetFailure {
    private ParquetFailure() {}

    /**
     * What went wrong.
     *
     * @return the I/O failure that is beneath
     * @throws ParquetRuntimeException the failure itself, if there is none: it is a bug
     */
    public static IOException of(ParquetRuntimeException failure) {
        for (Throwable t = failure; t != null; t = t.getCause()) {
            if (t instanceof IOException io) {
                return io;
            }
        }
        throw failure;
    }
}
