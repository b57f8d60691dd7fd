package org.polygraph.storage.format;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.artifact.SeekableInput;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryRows;
import org.polygraph.storage.table.HistoryTableBuilder;

/**
 * Transactions of a dbcop file, one after another, over as many sessions as they have.
 *
 * @param path of the file, for {@link Location#of}
 * @param from the first transaction
 * @param to the byte behind the last
 */
record DbcopPiece(String path, int file, DbcopCursor.Place from, long to) implements Piece {
    private static final long serialVersionUID = 1L;

    /**
     * Cuts a file into pieces of about so many bytes, if it is large and nobody has compressed it. Nothing but a pass over the
     * file tells where transactions begin; this one reads lengths and passes over events.
     *
     * @return none if it is to be read as a whole
     * @throws HistoryException if a length lies or there are bytes behind the end
     */
    static List<Piece> cut(ReadContext context, Location file, long pieceBytes) throws IOException, HistoryException {
        ReadContext.Opened opened = context.open(file);
        try (InputStream content = opened.content()) {
            long count = opened.size() / pieceBytes;
            if (!opened.isPlain() || count < 2) {
                return List.of();
            }
            return cut(new ByteInput(file.name(), content, 0, opened.size()), file.name(), opened.size() / count);
        }
    }

    private static List<Piece> cut(ByteInput in, String path, long pieceBytes) throws IOException, HistoryException {
        List<Piece> pieces = new ArrayList<>();
        DbcopCursor cursor = new DbcopCursor(in);
        boolean isThere = cursor.next();
        while (isThere) {
            DbcopCursor.Place from = cursor.place();
            long to;
            do {
                cursor.skip();
                to = in.offset();
                isThere = cursor.next();
            } while (isThere && in.offset() - from.at() < pieceBytes);
            pieces.add(new DbcopPiece(path, 0, from, to));
        }
        cursor.end();
        return pieces;
    }

    @Override
    public HistoryRows read(BooleanSupplier stop, long memoryBytes) throws HistoryException, IOException {
        ReadContext context = new ReadContext(stop, memoryBytes);
        HistoryTableBuilder builder = context.pieceBuilder(HistoryFormat.DBCOP);
        try (SeekableInput input = Location.of(path).open()) {
            input.seek(from.at());
            // Lengths were held against the file's size when it was cut.
            ByteInput in = new ByteInput(path, context.checked(input, path), from.at(), Long.MAX_VALUE);
            new DbcopReader(in, builder).read(from, to);
        }
        return builder.rows(0);
    }
}
