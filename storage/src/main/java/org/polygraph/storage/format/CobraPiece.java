package org.polygraph.storage.format;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryRows;
import org.polygraph.storage.table.HistoryTableBuilder;

/**
 * A log of a Cobra folder, which is a session. Whether values alone identify versions is a matter of all writes of all logs, of
 * which planning looks at the first only: if that has a write id, it is decided; if not, a log with a write that has one
 * fails, so that the whole is read.
 *
 * @param path of the log, for {@link Location#of}
 * @param session its number
 * @param byValue whether values alone identify versions
 */
record CobraPiece(String path, int file, long session, boolean byValue) implements Piece {
    private static final long serialVersionUID = 1L;

    /** A piece a log. Reads them up to the first write. */
    static List<Piece> cut(ReadContext context, List<Location> logs) throws IOException, HistoryException {
        List<Piece> pieces = new ArrayList<>();
        boolean byValue = CobraReader.isFirstWriteByValue(context, logs);
        long[] sessions = CobraReader.sessionNumbers(logs);
        for (int i = 0; i < sessions.length; i++) {
            pieces.add(new CobraPiece(logs.get(i).name(), i, sessions[i], byValue));
        }
        return pieces;
    }

    @Override
    public HistoryRows read(BooleanSupplier stop, long memoryBytes) throws HistoryException, IOException {
        ReadContext context = new ReadContext(stop, memoryBytes);
        HistoryTableBuilder builder = context.pieceBuilder(HistoryFormat.COBRA);
        new CobraReader(context, builder).read(Location.of(path), session, byValue);
        return builder.rows(0);
    }
}
