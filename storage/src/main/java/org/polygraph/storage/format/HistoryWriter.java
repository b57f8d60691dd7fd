package org.polygraph.storage.format;

import com.github.luben.zstd.ZstdOutputStreamNoFinalizer;
import java.io.IOException;
import java.io.OutputStream;
import java.util.BitSet;
import java.util.zip.GZIPOutputStream;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.columnar.HistoryTable;

/** Writes a table as a history: under a temporary name, then renamed, so that the file is whole or absent. */
public final class HistoryWriter {
    private HistoryWriter() {}

    /**
     * Writes, sorted by (session, index). Replaces a file that exists.
     *
     * @param path a local path or {@code scheme:...}; JSON Lines is compressed if it ends in {@code .gz} or {@code .zst}
     * @param format JSONL or PARQUET
     * @throws IllegalArgumentException for another format: it is not written
     */
    public static void write(HistoryTable table, String path, HistoryFormat format) throws IOException {
        if (format == HistoryFormat.PARQUET) {
            Location.of(path).write(out -> ParquetHistoryWriter.write(table, out));
        } else if (format == HistoryFormat.JSONL) {
            jsonl(table, path);
        } else {
            throw new IllegalArgumentException("histories are written as jsonl or parquet, not as " + format.label());
        }
    }

    /** Writes plain JSON Lines to a stream, such as standard output; flushes and does not close it. */
    public static void writeJsonl(HistoryTable table, OutputStream out) throws IOException {
        new JsonlWriter(table).write(out);
        out.flush();
    }

    /**
     * Writes some transactions of a table as plain JSON Lines: a history of its own, with the table's header.
     *
     * @param transactions dense ids; all others are left out
     */
    public static void writeJsonl(HistoryTable table, BitSet transactions, OutputStream out) throws IOException {
        new JsonlWriter(table, transactions).write(out);
        out.flush();
    }

    private static void jsonl(HistoryTable table, String path) throws IOException {
        JsonlWriter writer = new JsonlWriter(table);
        Location.of(path).write(out -> {
            if (path.endsWith(".gz")) {
                GZIPOutputStream compressed = new GZIPOutputStream(out, 1 << 16);
                writer.write(compressed);
                compressed.finish();
            } else if (path.endsWith(".zst")) {
                // Closing ends the frame; it also closes the file, which is harmless.
                try (OutputStream compressed = new ZstdOutputStreamNoFinalizer(out).setChecksum(true)) {
                    writer.write(compressed);
                }
            } else {
                writer.write(out);
            }
        });
    }
}
