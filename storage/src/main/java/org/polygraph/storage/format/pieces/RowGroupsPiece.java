package org.polygraph.storage.format.pieces;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.format.HistoryFiles;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.io.ReadContext;
import org.polygraph.storage.format.parquet.ParquetHistoryReader;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryRows;
import org.polygraph.storage.table.HistoryTableBuilder;
import org.polygraph.storage.table.SourceFiles.Unit;

/**
 * Some row groups of a Parquet file.
 *
 * @param path of the file, for {@link Location#of}
 * @param to the row group after the last; {@link Long#MAX_VALUE} if the piece goes to the end of the file
 */
record RowGroupsPiece(String path, int file, long from, long to) implements Piece {
    private static final long serialVersionUID = 1L;

    /**
     * Returns a piece for each row group, or one for the whole file if the file has at most the given number of bytes.
     */
    static List<Piece> split(Location file, int number, long pieceBytes) throws IOException {
        List<Piece> pieces = new ArrayList<>();
        int groups = file.length() > pieceBytes ? ParquetHistoryReader.groups(file) : 1;
        for (int g = 0; g < Math.max(1, groups); g++) {
            pieces.add(new RowGroupsPiece(file.name(), number, g, g >= groups - 1 ? Long.MAX_VALUE : g + 1L));
        }
        return pieces;
    }

    @Override
    public HistoryRows read(BooleanSupplier stop, long memoryBytes) throws HistoryException, IOException {
        return read(stop, memoryBytes, true);
    }

    @Override
    public HistoryRows readTransactions(BooleanSupplier stop, long memoryBytes) throws HistoryException, IOException {
        return read(stop, memoryBytes, false);
    }

    private HistoryRows read(BooleanSupplier stop, long memoryBytes, boolean withOperations)
            throws HistoryException, IOException {
        ReadContext context = new ReadContext(stop, memoryBytes);
        HistoryTableBuilder builder = context.builder(Unit.ROW);
        builder.ofPiece();
        Location location = Location.of(path);
        if (from == 0) {
            // Refuses a file that is clearly in another format, as the reader of the whole history would.
            HistoryFiles.open(context, location, HistoryFormat.PARQUET)
                    .content()
                    .close();
        }
        ParquetHistoryReader reader = new ParquetHistoryReader(context, builder);
        if (withOperations) {
            reader.read(location, from, to);
        } else {
            reader.readTransactions(location, from, to);
        }
        return builder.rows(0);
    }
}
