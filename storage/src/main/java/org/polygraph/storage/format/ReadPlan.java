package org.polygraph.storage.format;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.HistoryException;

/**
 * How a large history is read in {@link Piece}s: files of a folder, row groups of Parquet, ranges of plain JSON Lines, Plume
 * text and EDN, logs of Cobra, transactions of dbcop. Put together by a {@link PieceMerge} they are the table that {@link HistoryReader}
 * reads, array by array.
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
     * From where on pieces are worth it, and how large they are.
     *
     * @param fromBytes of all files together, as text; dbcop and Cobra as they are, whose operations take about half as many
     * @param pieceBytes of text, about; a row group, a transaction and a log of Cobra are never cut
     */
    public record Cut(long fromBytes, long pieceBytes) {
        /** Below, a second of reading, pieces gain nothing; a piece takes a few tens of megabytes while it waits. */
        public static final Cut USUAL = new Cut(64L << 20, 16L << 20);

        /** Bytes of text that a byte of Parquet stands for. */
        private static final int PARQUET = 7;
    }

    /**
     * Plans. Looks at the beginnings of large files and the footers of large Parquet files, and goes once through a large dbcop
     * file, whose transactions cannot be found otherwise.
     *
     * @param stop asked for each file, and for every 64 KiB or so of input that is gone through; true ends planning with a {@link
     *     BudgetException}
     * @return null if the history is small or has one piece only: standard input and pipes, one compressed file, and EDN in a
     *     vector; or if something is wrong with it, which {@link HistoryReader} will tell
     */
    public static @Nullable ReadPlan of(String path, HistoryFormat asked, Cut cut, BooleanSupplier stop) {
        if (path.equals("-")) {
            return null;
        }
        try {
            return plan(new ReadContext(stop, Long.MAX_VALUE), Location.of(path), asked, cut);
        } catch (BudgetException e) {
            throw e;
        } catch (IOException | HistoryException | RuntimeException | OutOfMemoryError e) {
            // Whatever there is to tell, a pass over the whole tells it.
            return null;
        }
    }

    private static @Nullable ReadPlan plan(ReadContext context, Location location, HistoryFormat asked, Cut cut)
            throws IOException, HistoryException {
        List<Location> files = List.of(location);
        if (location.isFolder()) {
            List<Location> children = location.children();
            List<Location> logs = HistoryReader.logs(children);
            if (HistoryReader.isOfLogs(logs, asked)) {
                long bytes = bytes(context, logs);
                return bytes < 0 || bytes < cut.fromBytes
                        ? null
                        : of(HistoryFormat.COBRA, logs, CobraPiece.cut(context, logs));
            }
            files = HistoryReader.parts(location, children);
        }
        long bytes = bytes(context, files);
        if (bytes < 0 || bytes * Cut.PARQUET < cut.fromBytes) {
            return null;
        }
        HistoryFormat format = new Parts(context, files, asked).detect();
        boolean mayBeParts = format == HistoryFormat.PARQUET || format == HistoryFormat.JSONL;
        if ((bytes < cut.fromBytes && format != HistoryFormat.PARQUET) || (files.size() > 1 && !mayBeParts)) {
            return null;
        }
        List<Piece> pieces = new ArrayList<>();
        for (int f = 0; f < files.size(); f++) {
            Location file = files.get(f);
            context.check(file.name());
            pieces.addAll(
                    switch (format) {
                        case JSONL, PLUME, EDN -> LinesPiece.cut(context, file, f, format, cut.pieceBytes);
                        case PARQUET -> RowGroupsPiece.cut(file, f, cut.pieceBytes / Cut.PARQUET);
                        case DBCOP -> DbcopPiece.cut(context, file, cut.pieceBytes);
                        case COBRA, AUTO -> List.of();
                    });
        }
        return of(format, files, pieces);
    }

    /** Of all files; less than none where that is not known. */
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

    private static @Nullable ReadPlan of(HistoryFormat format, List<Location> files, List<Piece> pieces) {
        return pieces.size() < 2
                ? null
                : new ReadPlan(format, files.stream().map(Location::name).toList(), pieces);
    }

    /** In their order. */
    public List<Piece> pieces() {
        return pieces;
    }

    /** Of the first file. */
    public String name() {
        return files.get(0);
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
