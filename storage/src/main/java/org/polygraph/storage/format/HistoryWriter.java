package org.polygraph.storage.format;

import java.io.IOException;
import java.io.OutputStream;
import java.util.BitSet;
import org.polygraph.storage.format.arrow.ArrowHistoryWriter;
import org.polygraph.storage.format.jsonl.JsonlWriter;
import org.polygraph.storage.format.parquet.UnwritableStringException;
import org.polygraph.storage.table.HistoryTable;

/**
 * Writes a table as a history. The file is written under a temporary name and then renamed, so that it is complete or
 * absent.
 */
public final class HistoryWriter {
    private HistoryWriter() {}

    /**
     * Writes a history, sorted by (session, index). Replaces a file that exists.
     *
     * @param path a local path or {@code scheme:...}; JSON Lines is compressed if it ends in {@code .gz} or {@code
     *     .zst}
     * @param format JSONL, PARQUET or ARROW
     * @throws UnwritableStringException if the format cannot hold a string of the table
     * @throws IllegalArgumentException for another format, because it is not written
     */
    public static void write(HistoryTable table, String path, HistoryFormat format) throws IOException {
        try (HistoryAppender appender = HistoryAppender.open(path, format)) {
            appender.append(table);
            appender.commit();
        }
    }

    /** Writes a stream of Arrow, for example to standard output. Flushes the stream and does not close it. */
    public static void writeArrow(HistoryTable table, OutputStream out) throws IOException {
        try (ArrowHistoryWriter writer = new ArrowHistoryWriter(table, out, false)) {
            writer.append(table);
        }
        out.flush();
    }

    /** Writes plain JSON Lines to a stream, such as standard output. Flushes the stream and does not close it. */
    public static void writeJsonl(HistoryTable table, OutputStream out) throws IOException {
        new JsonlWriter(table).write(out);
        out.flush();
    }

    /**
     * Writes some transactions of a table as plain JSON Lines: a history of its own, with the table's header.
     *
     * @param transactions the dense ids of the transactions to write
     */
    public static void writeJsonl(HistoryTable table, BitSet transactions, OutputStream out) throws IOException {
        new JsonlWriter(table, transactions).write(out);
        out.flush();
    }
}
