package org.polygraph.storage.format;

import java.io.IOException;
import java.io.InputStream;
import java.io.Serializable;
import java.util.function.BooleanSupplier;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.artifact.SeekableInput;
import org.polygraph.storage.columnar.HistoryRows;
import org.polygraph.storage.columnar.HistoryTableBuilder;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.HistoryException;

/**
 * A piece of a history that is read without the others: a file, row groups of a Parquet file, or the lines of plain text that
 * begin within a range of bytes. Failures of its reading are true but their place may not be: who gets one reads the
 * whole with {@link HistoryReader}, which tells the first one.
 *
 * @param path of the file, for {@link Location#of}
 * @param file its number among the history's files
 * @param format of the content
 * @param from first byte or row group
 * @param to byte or row group behind the last; {@link Long#MAX_VALUE} where it goes on to the end of the file
 */
public record Piece(String path, int file, HistoryFormat format, long from, long to) implements Serializable {
    private static final long serialVersionUID = 1L;

    /** The whole of a file. */
    static Piece ofFile(String path, int file, HistoryFormat format) {
        return new Piece(path, file, format, 0, Long.MAX_VALUE);
    }

    /**
     * Reads it.
     *
     * @param stop asked for every 64 KiB or so of input; true ends the read with a {@link BudgetException}
     * @param memoryBytes what the rows may take while they are read
     */
    public HistoryRows read(BooleanSupplier stop, long memoryBytes) throws HistoryException, IOException {
        ReadContext context = new ReadContext(stop, memoryBytes);
        HistoryTableBuilder builder = new HistoryTableBuilder(Parts.unit(format));
        builder.limit(memoryBytes);
        Location location = Location.of(path);
        if (from == 0) {
            ReadContext.Opened opened = Parts.open(context, location, format);
            try (InputStream content = opened.content()) {
                if (format != HistoryFormat.PARQUET) {
                    return lines(builder, to == Long.MAX_VALUE ? content : new LineRange(content, 0, to));
                }
            }
        }
        if (format == HistoryFormat.PARQUET) {
            new ParquetHistoryReader(context, builder).read(location, from, to);
            return builder.rows(0);
        }
        try (SeekableInput file = location.open()) {
            return lines(builder, LineRange.within(file, context, path, from, to));
        }
    }

    private HistoryRows lines(HistoryTableBuilder builder, InputStream content) throws HistoryException, IOException {
        long lines;
        if (format == HistoryFormat.PLUME) {
            lines = new PlumeReader(path, content, builder, new PlumeSessions(builder, true)).read();
        } else {
            JsonlReader reader = new JsonlReader(builder);
            lines = from == 0 ? reader.read(path, content) : reader.readOn(path, content);
        }
        return builder.rows(lines);
    }
}
