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
import org.polygraph.storage.table.SourceFiles;

/**
 * Divides a large history in JSON Lines or Parquet into {@link Piece}s: the files of a folder, row groups of Parquet,
 * ranges of plain JSON Lines. Their transactions, in the order of the pieces, are those that {@link HistoryReader}
 * reads. There is no plan for other formats.
 */
public final class ReadPlan {
    /** Bytes of text of a piece. A piece takes some tens of megabytes while it waits. */
    private static final long PIECE_BYTES = 16L << 20;

    /** A byte of Parquet counts as this many bytes of text. */
    private static final int PARQUET = 7;

    private final HistoryFormat format;
    private final List<String> files;
    private final List<Piece> pieces;

    private ReadPlan(HistoryFormat format, List<String> files, List<Piece> pieces) {
        this.format = format;
        this.files = List.copyOf(files);
        this.pieces = List.copyOf(pieces);
    }

    /** Makes a plan with pieces of {@link #PIECE_BYTES}. */
    public static @Nullable ReadPlan of(String path, HistoryFormat asked, BooleanSupplier stop) {
        return of(path, asked, PIECE_BYTES, stop);
    }

    /**
     * Makes a plan. Reads the beginnings of files and the footers of Parquet files.
     *
     * @param pieceBytes bytes of text of a piece, about; a row group is never split
     * @param stop polled for each file; true ends planning with a {@link BudgetException}
     * @return null if the history is of another format, or standard input or a pipe; or if it is damaged: {@link
     *     HistoryReader} gives the message
     */
    public static @Nullable ReadPlan of(String path, HistoryFormat asked, long pieceBytes, BooleanSupplier stop) {
        if (path.equals("-")) {
            return null;
        }
        try {
            return plan(new ReadContext(stop, Long.MAX_VALUE), Location.of(path), asked, pieceBytes);
        } catch (BudgetException e) {
            throw e;
        } catch (IOException | HistoryException | RuntimeException | OutOfMemoryError e) {
            // The reader of the whole history reports the error.
            return null;
        }
    }

    private static @Nullable ReadPlan plan(ReadContext context, Location location, HistoryFormat asked, long pieceBytes)
            throws IOException, HistoryException {
        List<Location> files = List.of(location);
        if (location.isFolder()) {
            List<Location> children = location.children();
            if (HistoryReader.isOfLogs(HistoryReader.logs(children), asked)) {
                return null;
            }
            files = HistoryReader.parts(location, children);
        }
        if (!areLengthsKnown(context, files)) {
            return null;
        }
        HistoryFormat format = new HistoryFiles(context, files, asked).detect();
        if (format != HistoryFormat.PARQUET && format != HistoryFormat.JSONL) {
            return null;
        }
        List<Piece> pieces = new ArrayList<>();
        for (int f = 0; f < files.size(); f++) {
            Location file = files.get(f);
            context.check(file.name());
            pieces.addAll(
                    format == HistoryFormat.PARQUET
                            ? RowGroupsPiece.split(Location.of(file.absolute()), f, pieceBytes / PARQUET)
                            : LinesPiece.split(context, Location.of(file.absolute()), f, pieceBytes));
        }
        return pieces.isEmpty()
                ? null
                : new ReadPlan(format, files.stream().map(Location::name).toList(), pieces);
    }

    private static boolean areLengthsKnown(ReadContext context, List<Location> files) throws IOException {
        for (Location file : files) {
            context.check(file.name());
            if (file.length() < 0) {
                return false;
            }
        }
        return true;
    }

    /** Returns the pieces in their order. */
    public List<Piece> pieces() {
        return pieces;
    }

    /** Where a transaction is in the input: {@code file:7}. @param position its position in the file */
    public String whereIs(int file, long position) {
        return SourceFiles.describe(files.get(file), format.positions(), position);
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
