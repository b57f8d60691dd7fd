package org.polygraph.storage.format.parquet;

import java.io.IOException;
import org.apache.parquet.ParquetRuntimeException;
import org.polygraph.storage.format.io.Shown;
import org.polygraph.storage.model.HistoryException;

/**
 * Turns exceptions of Parquet's library into ours. The library wraps an I/O failure that occurs while it closes a file,
 * such as a full disk, in an unchecked exception that would look like a bug.
 */
public final class ParquetFailure {
    private ParquetFailure() {}

    /** Thrown for a page in an encoding that is not read. */
    static final class OtherEncoding extends IOException {
        private static final long serialVersionUID = 1;

        /** @param found such as {@code strings in DELTA_BYTE_ARRAY} */
        OtherEncoding(String found) {
            super(found);
        }
    }

    /**
     * Returns the I/O failure that caused an exception of the library.
     *
     * @throws ParquetRuntimeException the exception itself, if no I/O failure caused it: it is a bug
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
     * Returns the error for a file that cannot be read as Parquet.
     *
     * @param why the exception that has the message
     */
    static HistoryException damaged(String name, Throwable failure, Throwable why) {
        String reason =
                why.getMessage() == null ? "it does not follow its own metadata" : Shown.message(why.getMessage());
        boolean isOther = failure instanceof OtherEncoding;
        HistoryException damaged = new HistoryException(
                name,
                "Parquet that cannot be read: " + reason,
                isOther
                        ? "the encodings PLAIN, RLE_DICTIONARY and, of integers, DELTA_BINARY_PACKED"
                        : "a whole Parquet file",
                isOther
                        ? "rewrite the file with pyarrow: pyarrow.parquet.write_table(table, path)"
                        : "the file is damaged or was not closed: write it again");
        damaged.initCause(failure);
        return damaged;
    }
}
