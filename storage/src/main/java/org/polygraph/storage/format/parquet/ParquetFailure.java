package org.polygraph.storage.format.parquet;

import java.io.IOException;
import org.apache.parquet.ParquetRuntimeException;
import org.polygraph.storage.format.io.Shown;
import org.polygraph.storage.model.HistoryException;

/** What goes wrong with Parquet: it wraps what fails while it closes a file, a full disk for one, so that it looks like a bug. */
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

    /**
     * That a file is no Parquet that can be read.
     *
     * @param why has the message
     */
    static HistoryException damaged(String name, Throwable failure, Throwable why) {
        String message = why.getMessage();
        String reason = message == null ? "it does not follow its own metadata" : Shown.message(message);
        HistoryException damaged = new HistoryException(
                name,
                "Parquet that cannot be read: " + reason,
                "a whole Parquet file",
                "the file is damaged or was not closed: write it again");
        damaged.initCause(failure);
        return damaged;
    }
}
