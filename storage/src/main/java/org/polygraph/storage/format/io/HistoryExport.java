package org.polygraph.storage.format.io;

import java.io.IOException;
import java.io.OutputStream;

/** Writes a history as one file of a format that other checkers read, which may lack what our own formats have. */
@FunctionalInterface
public interface HistoryExport {
    /**
     * Writes the file. Does not close the stream.
     *
     * @throws UnwritableException if the format cannot express something that a verdict may depend on
     */
    void write(OutputStream out) throws IOException;
}
