package org.polygraph.storage.format;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.model.HistoryException;

/**
 * How a large history is read in {@link Piece}s: files of a folder, row groups of Parquet, ranges of plain JSON Lines and Plume
 * text. Put together by a {@link PieceMerge} they are the table that {@link HistoryReader} reads, array by array.
 */
public final class ReadPlan {
    private final HistoryFormat format;
    private final List<String> files;
    private final List<Piece> pieces;
    private final boolean isLocal;

    private ReadPlan(HistoryFormat format, List<String> files, List<Piece> pieces, boolean isLocal) {
        this.isLocal = isLocal;
        this.format = format;
        this.files = List.copyOf(files);
        this.pieces = List.copyOf(pieces);
    }

    /**
     * From where on pieces are worth it, and how large they are.
     *
     * @param fromBytes of all files together, as text
     * @param pieceBytes of text
     */
    public record Cut(long fromBytes, long pieceBytes) {
        /** Below, a second of reading, pieces gain nothing; a piece takes a few tens of megabytes while it waits. */
        public static final Cut USUAL = new Cut(64L << 20, 16L << 20);

        /** Bytes of text that a byte of Parquet stands for. */
        private static final int PARQUET = 7;
    }

    /**
     * Plans. Looks at the beginnings of large files and the footers of large Parquet files.
     *
     * @return null if the history is small or has one piece only: standard input and pipes, one compressed file, dbcop,
     *     EDN and Cobra; or if something is wrong with it, which {@link HistoryReader} will tell
     */
    public static @Nullable ReadPlan of(String path, HistoryFormat asked, Cut cut) {
        if (path.equals("-")) {
            return null;
        }
        try {
            return plan(Location.of(path), asked, cut);
        } catch (IOException | HistoryException | RuntimeException e) {
            return null;
        }
    }

    private static @Nullable ReadPlan plan(Location location, HistoryFormat asked, Cut cut)
            throws IOException, HistoryException {
        List<Location> files = List.of(location);
        if (location.isFolder()) {
            List<Location> children = location.children();
            if (asked == HistoryFormat.COBRA
                    || children.stream().anyMatch(child -> child.fileName().endsWith(".log"))) {
                return null;
            }
            files = HistoryReader.parts(location, children);
        }
        long bytes = 0;
        for (Location file : files) {
            long length = file.length();
            if (length < 0) {
                return null;
            }
            bytes += length;
        }
        if (bytes * Cut.PARQUET < cut.fromBytes) {
            return null;
        }
        ReadContext context = new ReadContext(() -> false, Long.MAX_VALUE);
        HistoryFormat format = new Parts(context, files, asked).detect();
        boolean isParquet = format == HistoryFormat.PARQUET;
        boolean mayBeParts = isParquet || format == HistoryFormat.JSONL;
        if ((bytes < cut.fromBytes && !isParquet)
                || !(mayBeParts || (format == HistoryFormat.PLUME && files.size() == 1))) {
            return null;
        }
        List<String> names = new ArrayList<>();
        List<Piece> pieces = new ArrayList<>();
        for (Location file : files) {
            if (isParquet) {
                groups(file, names.size(), cut, pieces);
            } else {
                ranges(context, file, names.size(), format, cut, pieces);
            }
            names.add(file.name());
        }
        return pieces.size() < 2 ? null : new ReadPlan(format, names, pieces, location.isLocal());
    }

    /** A piece a row group, or the file if it is small. */
    private static void groups(Location file, int number, Cut cut, List<Piece> pieces) throws IOException {
        int groups = file.length() * Cut.PARQUET > cut.pieceBytes ? ParquetHistoryReader.groups(file) : 1;
        if (groups < 2) {
            pieces.add(Piece.ofFile(file.name(), number, HistoryFormat.PARQUET));
            return;
        }
        for (int g = 0; g < groups; g++) {
            pieces.add(new Piece(
                    file.name(), number, HistoryFormat.PARQUET, g, g == groups - 1 ? Long.MAX_VALUE : g + 1L));
        }
    }

    private static void ranges(
            ReadContext context, Location file, int number, HistoryFormat format, Cut cut, List<Piece> pieces)
            throws IOException, HistoryException {
        long length = file.length();
        long count = length / cut.pieceBytes;
        if (count < 2 || !isPlain(context, file, format)) {
            pieces.add(Piece.ofFile(file.name(), number, format));
            return;
        }
        for (long i = 0; i < count; i++) {
            long to = i == count - 1 ? Long.MAX_VALUE : length / count * (i + 1);
            pieces.add(new Piece(file.name(), number, format, length / count * i, to));
        }
    }

    /** Whether a file is text of this format that nobody has compressed, in an encoding whose lines end in one byte. */
    private static boolean isPlain(ReadContext context, Location file, HistoryFormat format)
            throws IOException, HistoryException {
        ReadContext.Opened opened = context.open(file);
        try (InputStream content = opened.content()) {
            return opened.sniff().compression() == Sniff.Compression.NONE
                    && opened.sniff().format() == format;
        }
    }

    /** In their order. */
    public List<Piece> pieces() {
        return pieces;
    }

    /** Of the first file. */
    public String name() {
        return files.get(0);
    }

    /** Whether only this machine may have the files. */
    public boolean isLocal() {
        return isLocal;
    }

    HistoryFormat format() {
        return format;
    }

    List<String> files() {
        return files;
    }

    /** Where the pieces are put together. @param memoryBytes what the table may take while it is built */
    public PieceMerge merge(long memoryBytes) {
        return new PieceMerge(this, memoryBytes);
    }
}
