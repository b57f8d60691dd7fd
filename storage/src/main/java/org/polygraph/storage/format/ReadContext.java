package org.polygraph.storage.format;

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
import org.polygraph.storage.table.HistoryTable.Unit;
import org.polygraph.storage.table.HistoryTableBuilder;

/** The budgets of one read, and how its files are opened under them. */
record ReadContext(BooleanSupplier stop, long memoryBytes) {
    /** Asks the budget; called for every 64 KiB or so of input. */
    void check(String name) {
        if (stop.getAsBoolean()) {
            throw new BudgetException(name + ": reading stopped: time ran out or the run was cancelled");
        }
    }

    /** What takes a piece of a history of a format. */
    HistoryTableBuilder pieceBuilder(HistoryFormat format) {
        HistoryTableBuilder builder = builder(format);
        builder.stringsInHeap();
        return builder;
    }

    /** What takes a history of a format. */
    HistoryTableBuilder builder(HistoryFormat format) {
        HistoryTableBuilder builder = new HistoryTableBuilder(
                switch (format) {
                    case PARQUET -> Unit.ROW;
                    case DBCOP, COBRA -> Unit.BYTE;
                    default -> Unit.LINE;
                });
        builder.limit(memoryBytes);
        return builder;
    }

    /**
     * An open file.
     *
     * @param content the whole of it, compression undone; the caller closes it
     * @param size bytes of content, or {@link Long#MAX_VALUE} where not known
     */
    record Opened(Sniff sniff, InputStream content, long size) {
        /** Whether nobody has compressed it. */
        boolean isPlain() {
            return sniff.compression() == Sniff.Compression.NONE;
        }
    }

    /** Opens a file, looks at its first bytes, and undoes the compression they show. */
    Opened open(Location location) throws IOException, HistoryException {
        SeekableInput file = location.open();
        boolean opened = false;
        try {
            byte[] prefix = file.readNBytes(Sniff.PREFIX);
            Sniff sniff = Sniff.of(prefix);
            checkEnding(location.name(), sniff);
            InputStream raw =
                    new Checked(new SequenceInputStream(new ByteArrayInputStream(prefix), file), location.name());
            boolean plain = sniff.compression() == Sniff.Compression.NONE;
            long length = plain ? location.length() : -1;
            InputStream content =
                    switch (sniff.compression()) {
                        case NONE -> raw;
                        case GZIP -> new GzipInput(raw);
                        case ZSTD -> new ZstdInput(raw);
                    };
            opened = true;
            return new Opened(sniff, content, length < 0 ? Long.MAX_VALUE : length);
        } finally {
            if (!opened) {
                file.close();
            }
        }
    }

    private static void checkEnding(String name, Sniff sniff) throws HistoryException {
        if (sniff.empty()) {
            throw new HistoryException(name, "an empty file", "a history", "check how it was written");
        }
        if (name.endsWith(".gz") && sniff.compression() != Sniff.Compression.GZIP) {
            throw wrongEnding(name, ".gz", "gzip");
        }
        if (name.endsWith(".zst") && sniff.compression() != Sniff.Compression.ZSTD) {
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

    /** The same stream, under the budget. */
    InputStream checked(InputStream in, String name) {
        return new Checked(in, name);
    }

    /** Asks the budget before every read of the underlying file. */
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
