package org.polygraph.storage.format.pieces;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.artifact.SeekableInput;
import org.polygraph.storage.format.HistoryFiles;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.Sniff;
import org.polygraph.storage.format.io.ReadContext;
import org.polygraph.storage.format.jsonl.JsonlReader;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryRows;
import org.polygraph.storage.table.HistoryTableBuilder;
import org.polygraph.storage.table.SourceFiles.Unit;

/**
 * The lines of a JSON Lines file that begin within a range of bytes.
 *
 * @param path of the file, for {@link Location#of}
 * @param to the byte after the last; {@link Long#MAX_VALUE} if the range goes to the end of the file
 */
record LinesPiece(String path, int file, long from, long to) implements Piece {
    private static final long serialVersionUID = 1L;

    /** Returns a piece that is a whole file. */
    static LinesPiece ofFile(String path, int file) {
        return new LinesPiece(path, file, 0, Long.MAX_VALUE);
    }

    /** Splits a file into ranges of about the given number of bytes, if it is large and not compressed. */
    static List<Piece> split(ReadContext context, Location file, int number, long pieceBytes)
            throws IOException, HistoryException {
        long length = file.length();
        long count = length / pieceBytes;
        if (count < 2 || !isPlain(context, file)) {
            return List.of(ofFile(file.name(), number));
        }
        List<Piece> pieces = new ArrayList<>();
        for (long i = 0; i < count; i++) {
            long to = i == count - 1 ? Long.MAX_VALUE : length / count * (i + 1);
            pieces.add(new LinesPiece(file.name(), number, length / count * i, to));
        }
        return pieces;
    }

    /** Whether a file is JSON Lines without compression. */
    private static boolean isPlain(ReadContext context, Location file) throws IOException, HistoryException {
        ReadContext.Opened opened = context.open(file);
        try (InputStream content = opened.content()) {
            return opened.isPlain() && Sniff.of(opened.start()).format() == HistoryFormat.JSONL;
        }
    }

    @Override
    public HistoryRows read(BooleanSupplier stop, long memoryBytes) throws HistoryException, IOException {
        ReadContext context = new ReadContext(stop, memoryBytes);
        HistoryTableBuilder builder = context.builder(Unit.LINE);
        builder.ofPiece();
        Location location = Location.of(path);
        if (from == 0) {
            ReadContext.Opened opened = HistoryFiles.open(context, location, HistoryFormat.JSONL);
            try (InputStream content = opened.content()) {
                return lines(builder, to == Long.MAX_VALUE ? content : new LineRange(content, 0, to));
            }
        }
        try (SeekableInput input = location.open()) {
            return lines(builder, LineRange.within(input, context, path, from, to));
        }
    }

    private HistoryRows lines(HistoryTableBuilder builder, InputStream content) throws HistoryException, IOException {
        JsonlReader reader = new JsonlReader(builder);
        return builder.rows(from == 0 ? reader.read(path, content) : reader.readOn(path, content));
    }
}
