package org.polygraph.storage.format;

import com.github.luben.zstd.ZstdOutputStreamNoFinalizer;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Locale;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.artifact.AtomicFile;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.format.arrow.ArrowHistoryWriter;
import org.polygraph.storage.format.io.TableWriter;
import org.polygraph.storage.format.jsonl.JsonlWriter;
import org.polygraph.storage.format.parquet.ParquetHistoryWriter;
import org.polygraph.storage.format.parquet.UnwritableStringException;
import org.polygraph.storage.table.HistoryTable;

/**
 * Writes a history that is too large for memory: tables one after the other into one file. The file gets its name in
 * {@link #commit}; if it is closed before, nothing is left.
 *
 * <p>The header is that of the first table. Rows must ascend by (session, index) over all tables, which is not checked.
 */
public final class HistoryAppender implements Closeable {
    private final HistoryFormat format;
    private final AtomicFile file;
    private final OutputStream out;
    private @Nullable TableWriter content;

    private HistoryAppender(HistoryFormat format, AtomicFile file, OutputStream out) {
        this.format = format;
        this.file = file;
        this.out = out;
    }

    /**
     * Opens a temporary file beside the path.
     *
     * @param path a local path or {@code scheme:...}; JSON Lines is compressed if it ends in {@code .gz} or {@code
     *     .zst}
     * @param format JSONL, PARQUET or ARROW
     * @throws IllegalArgumentException for another format, because it is not written
     */
    public static HistoryAppender open(String path, HistoryFormat format) throws IOException {
        if (!format.isOurs()) {
            throw new IllegalArgumentException(format.label() + " has no tables one after the other");
        }
        AtomicFile file = Location.of(path).create();
        try {
            return new HistoryAppender(format, file, compressing(file.stream(), path, format));
        } catch (IOException e) {
            file.close();
            throw e;
        }
    }

    /** Returns a stream that compresses by zstd or gzip if the ending of a path demands it and the format permits it. */
    static OutputStream compressing(OutputStream out, String path, HistoryFormat format) throws IOException {
        String name = path.toLowerCase(Locale.ROOT);
        if (format == HistoryFormat.PARQUET || format == HistoryFormat.ARROW) {
            return out;
        }
        return name.endsWith(".gz")
                ? new GZIPOutputStream(out, 1 << 16)
                : name.endsWith(".zst") ? Zstd.compressing(out) : out;
    }

    /**
     * Writes the rows of a table after those before.
     *
     * @throws UnwritableStringException if the format cannot hold a string of the table
     */
    public void append(HistoryTable table) throws IOException {
        TableWriter open = content;
        if (open == null) {
            open = switch (format) {
                case PARQUET -> new ParquetHistoryWriter(table, out);
                case ARROW -> new ArrowHistoryWriter(table, out, true);
                default -> JsonlWriter.appender(table, out);
            };
            content = open;
        }
        open.append(table);
    }

    /** Completes the file; at least one table must have been appended. */
    public void commit() throws IOException {
        if (content == null) {
            throw new IllegalStateException("a history without a table has no header");
        }
        content.close();
        // This ends a compressed frame. It also closes the file, which is harmless.
        out.close();
        file.commit();
    }

    @Override
    public void close() throws IOException {
        file.close();
    }

    /** Loaded only where it is used: programs that check what they record need not have the library. */
    private static final class Zstd {
        static OutputStream compressing(OutputStream out) throws IOException {
            return new ZstdOutputStreamNoFinalizer(out).setChecksum(true);
        }
    }
}
