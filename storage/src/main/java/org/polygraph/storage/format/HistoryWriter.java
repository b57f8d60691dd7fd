package org.polygraph.storage.format;

import java.io.IOException;
import java.io.OutputStream;
import java.util.BitSet;
import org.polygraph.storage.artifact.AtomicFolder;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.format.arrow.ArrowHistoryWriter;
import org.polygraph.storage.format.binary.CobraWriter;
import org.polygraph.storage.format.binary.DbcopWriter;
import org.polygraph.storage.format.edn.CallWriter;
import org.polygraph.storage.format.edn.RegisterLogWriter;
import org.polygraph.storage.format.io.HistoryExport;
import org.polygraph.storage.format.io.UnwritableException;
import org.polygraph.storage.format.jsonl.JsonlWriter;
import org.polygraph.storage.format.plume.PlumeWriter;
import org.polygraph.storage.table.HistoryTable;

/**
 * Writes a table as a history. The file is written under a temporary name and then renamed, so that it is complete or
 * absent.
 */
public final class HistoryWriter {
    private HistoryWriter() {}

    /**
     * Writes a history, sorted by (session, index). Replaces a file that exists; a folder of Cobra logs must not exist.
     *
     * @param path a local path or {@code scheme:...}; text and dbcop are compressed if it ends in {@code .gz} or {@code
     *     .zst}
     * @param format any but AUTO
     * @throws UnwritableException if the format cannot express something; then nothing is written
     */
    public static void write(HistoryTable table, String path, HistoryFormat format) throws IOException {
        if (format == HistoryFormat.COBRA) {
            try (AtomicFolder folder = Location.of(path).createFolder()) {
                new CobraWriter(table).write(folder.location());
                folder.commit();
            }
        } else if (format.isOurs()) {
            try (HistoryAppender appender = HistoryAppender.open(path, format)) {
                appender.append(table);
                appender.commit();
            }
        } else {
            HistoryExport export = export(table, format);
            Location.of(path).write(file -> {
                OutputStream out = HistoryAppender.compressing(file, path, format);
                export.write(out);
                out.close();
            });
        }
    }

    /** Returns what writes a history as one file of a format of other checkers. */
    private static HistoryExport export(HistoryTable table, HistoryFormat format) throws IOException {
        return switch (format) {
            case EDN -> new CallWriter(table, false);
            case ELLE_JSON -> new CallWriter(table, true);
            case PLUME -> new PlumeWriter(table);
            case DBCOP -> new DbcopWriter(table);
            case PORCUPINE -> new RegisterLogWriter(table);
            default -> throw new IllegalArgumentException(format.label() + " is not written as one file");
        };
    }

    /**
     * Writes a history in a text format, dbcop or Arrow to a stream, for example to standard output. If the format cannot
     * express something, nothing is written. Flushes the stream and does not close it.
     */
    public static void write(HistoryTable table, OutputStream out, HistoryFormat format) throws IOException {
        switch (format) {
            case JSONL -> writeJsonl(table, out);
            case ARROW -> writeArrow(table, out);
            default -> {
                export(table, format).write(OutputStream.nullOutputStream());
                export(table, format).write(out);
                out.flush();
            }
        }
    }

    private static void writeArrow(HistoryTable table, OutputStream out) throws IOException {
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
