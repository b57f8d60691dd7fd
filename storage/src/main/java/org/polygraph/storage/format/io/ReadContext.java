package org.polygraph.storage.format.io;

import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.util.function.BooleanSupplier;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.artifact.SeekableInput;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTableBuilder;
import org.polygraph.storage.table.SourceFiles.Unit;

/**
 * The budgets of one read. Opens its files under these budgets.
 *
 * @param versions whether versions that the database gave are read
 */
public record ReadContext(BooleanSupplier stop, long memoryBytes, boolean versions) {
    /** The budgets of a read with versions. */
    public ReadContext(BooleanSupplier stop, long memoryBytes) {
        this(stop, memoryBytes, true);
    }

    /** Checks the budget. It is called for every 64 KiB or so of input. */
    public void check(String name) {
        if (stop.getAsBoolean()) {
            throw new BudgetException(name + ": reading stopped: time ran out or the run was cancelled");
        }
    }

    /** Returns a builder for the history. */
    public HistoryTableBuilder builder(Unit positions) {
        HistoryTableBuilder builder = new HistoryTableBuilder(positions);
        builder.limit(memoryBytes);
        if (!versions) {
            builder.ignoreVersions();
        }
        return builder;
    }

    /**
     * An open file.
     *
     * @param start the first bytes of the content
     * @param content the whole content, decompressed; the caller closes it
     * @param size bytes of content, or {@link Long#MAX_VALUE} if not known
     */
    public record Opened(Compression compression, byte[] start, InputStream content, long size) {
        public boolean isPlain() {
            return compression == Compression.NONE;
        }
    }

    /** Opens a file, reads its first bytes, and undoes the compression that they show. */
    public Opened open(Location location) throws IOException, HistoryException {
        SeekableInput file = location.open();
        boolean opened = false;
        try {
            byte[] prefix = file.readNBytes(Compression.PREFIX);
            if (prefix.length == 0) {
                throw new HistoryException(location.name(), "an empty file", "a history", "check how it was written");
            }
            Compression compression = Compression.of(prefix);
            checkEnding(location.name(), compression);
            InputStream raw =
                    new Checked(new SequenceInputStream(new ByteArrayInputStream(prefix), file), location.name());
            long length = compression == Compression.NONE ? location.length() : -1;
            InputStream content = compression.undo(raw);
            opened = true;
            return new Opened(compression, compression.start(prefix), content, length < 0 ? Long.MAX_VALUE : length);
        } finally {
            if (!opened) {
                file.close();
            }
        }
    }

    private static void checkEnding(String name, Compression compression) throws HistoryException {
        if (name.endsWith(".gz") && compression != Compression.GZIP) {
            throw wrongEnding(name, ".gz", "gzip");
        }
        if (name.endsWith(".zst") && compression != Compression.ZSTD) {
            throw wrongEnding(name, ".zst", "zstd");
        }
    }

    private static HistoryException wrongEnding(String name, String ending, String compression) {
        return new HistoryException(
                name,
                "content that is not compressed by " + compression,
                compression + ", as the name ends in " + ending,
                "rename the file or compress it");
    }

    /** Returns a stream that checks the budget as it is read. */
    public InputStream checked(InputStream in, String name) {
        return new Checked(in, name);
    }

    /** Checks the budget before every read of the underlying file. */
    private final class Checked extends FilterInputStream {
        private final String name;

        Checked(InputStream in, String name) {
            super(in);
            this.name = name;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            check(name);
            return super.read(bytes, offset, length);
        }
    }
}
