package org.polygraph.storage.format.io;

import java.io.Closeable;
import java.io.IOException;
import org.polygraph.storage.table.HistoryTable;

/** Writes tables one after the other as one history. Closing completes the history. */
public interface TableWriter extends Closeable {
    void append(HistoryTable table) throws IOException;
}
