package org.polygraph.storage.format.io;

import java.io.IOException;
import java.util.List;
import org.polygraph.storage.table.HistoryTable;

/** A history has something that a format cannot express. */
public class UnwritableException extends IOException {
    private static final long serialVersionUID = 1L;

    protected UnwritableException(String message) {
        super(message);
    }

    /** @param where the place in the history that is being written, such as {@code h.jsonl:7} */
    public UnwritableException(String where, String found, String expected, String remedy) {
        super(where + ": found " + found + "; expected " + expected + "; " + remedy);
    }

    /** About a history as a whole. */
    public static UnwritableException of(HistoryTable table, String found, String expected, String remedy) {
        List<String> files = table.source().files();
        return new UnwritableException(files.isEmpty() ? "?" : files.get(0), found, expected, remedy);
    }

    /** About a history of which nothing can be written. */
    public static UnwritableException empty(HistoryTable table) {
        return of(table, "no operation that counts", "at least one", "there is nothing to compare");
    }
}
