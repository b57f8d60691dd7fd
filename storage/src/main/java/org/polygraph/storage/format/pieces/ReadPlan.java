package org.polygraph.storage.format.pieces;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.format.HistoryFiles;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.format.io.ReadContext;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;

/**
 * Divides a large history in JSON Lines or Parquet into {@link Piece}s: the files of a folder, row groups of Parquet,
 * ranges of plain JSON Lines. Their transactions, in the order of the pieces, are those that {@link HistoryReader} reads. Other formats are read in one piece, or are converted first.
 */
public final class ReadPlan {
    private final HistoryFormat format;
    private final List<String> files;
    private final List<Piece> pieces;

    private ReadPlan(HistoryFormat format, List<String> files, List<Piece> pieces) {
        this.format = format;
        this.files = List.copyOf(files);
        this.pieces = List.copyOf(pieces);
    }

    /**
     * The least size of a history that is read in pieces, and the size of a piece.
     *
     * @param fromBytes of all files together, as text
     * @param pieceBytes of text, about; a row group is never split
     * @param leastPieces the least number of pieces of a plan
     */
    public record Sizes(long fromBytes, long pieceBytes, int leastPieces) {
        /**
         * The default. A smaller history is read in about a second, so pieces gain nothing. A piece takes some tens of
         * megabytes while it waits.
         */
        public static final Sizes DEFAULT = new Sizes(64L << 20, 16L << 20);

        /** A byte of Parquet counts as this many bytes of text. */
        private static final int PARQUET = 7;

        /** Sizes for plans of at least two pieces. */
        public Sizes(long fromBytes, long pieceBytes) {
            this(fromBytes, pieceBytes, 2);
        }

        /** Sizes for plans of any history in JSON Lines or Parquet. */
        public static Sizes ofAny(long pieceBytes) {
            return new Sizes(0, pieceBytes, 1);
        }
    }

    /**
     * Makes a plan. Reads the beginnings of large files and the footers of large Parquet files.
     *
     * @param stop polled for each file; true ends planning with a {@link BudgetException}
     * @return null if the history is small, is of another format or has one piece only, such as standard input, a pipe
     *     or one compressed file; or if it is damaged: {@link HistoryReader} gives the message
     */
    public static @Nullable ReadPlan of(String path, HistoryFormat asked, Sizes sizes, BooleanSupplier stop) {
        if (path.equals("-")) {
            return null;
        }
        try {
            return plan(new ReadContext(stop, Long.MAX_VALUE), Location.of(path), asked, sizes);
        } catch (BudgetException e) {
            throw e;
        } catch (IOException | HistoryException | RuntimeException | OutOfMemoryError e) {
            // The reader of the whole history reports the error.
            return null;
        }
    }

    private static @Nullable ReadPlan plan(ReadContext context, Location location, HistoryFormat asked, Sizes sizes)
            throws IOException, HistoryException {
        List<Location> files = List.of(location);
        if (location.isFolder()) {
            List<Location> children = location.children();
            if (HistoryReader.isOfLogs(HistoryReader.logs(children), asked)) {
                return null;
            }
            files = HistoryReader.parts(location, children);
        }
        long bytes = bytes(context, files);
        if (bytes < 0 || bytes * Sizes.PARQUET < sizes.fromBytes) {
            return null;
        }
        HistoryFormat format = new HistoryFiles(context, files, asked).detect();
        if (format != HistoryFormat.PARQUET && (format != HistoryFormat.JSONL || bytes < sizes.fromBytes)) {
            return null;
        }
        List<Piece> pieces = new ArrayList<>();
        for (int f = 0; f < files.size(); f++) {
            Location file = files.get(f);
            context.check(file.name());
            pieces.addAll(
                    format == HistoryFormat.PARQUET
                            ? RowGroupsPiece.split(Location.of(file.absolute()), f, sizes.pieceBytes / Sizes.PARQUET)
                            : LinesPiece.split(context, Location.of(file.absolute()), f, sizes.pieceBytes));
        }
        return pieces.size() < sizes.leastPieces
                ? null
                : new ReadPlan(format, files.stream().map(Location::name).toList(), pieces);
    }

    /** Returns the bytes of all files, or a negative number if the length of one is unknown. */
    private static long bytes(ReadContext context, List<Location> files) throws IOException {
        long bytes = 0;
        for (Location file : files) {
            context.check(file.name());
            long length = file.length();
            if (length < 0) {
                return -1;
            }
            bytes += length;
        }
        return bytes;
    }

    /** Returns the pieces in their order. */
    public List<Piece> pieces() {
        return pieces;
    }

    /** Returns the name of the first file. */
    public String name() {
        return files.get(0);
    }

    /**
     * Where a transaction of a piece is in the input: {@code file:7}.
     *
     * @param position its position in the piece
     * @param lines by piece: how many lines it has
     */
    public String whereIs(int piece, long position, long[] lines) {
        int file = pieces.get(piece).file();
        long before = 0;
        for (int p = piece - 1; p >= 0 && pieces.get(p).file() == file; p--) {
            before += lines[p];
        }
        return HistoryTable.Source.describe(files.get(file), format.positions(), position + before);
    }

    /** The format of all files. */
    public HistoryFormat format() {
        return format;
    }

    /** The names of the files, by number. */
    public List<String> files() {
        return files;
    }
}
