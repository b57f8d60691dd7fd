package org.polygraph.storage.format.pieces;

import java.io.IOException;
import java.io.Serializable;
import java.util.function.BooleanSupplier;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryRows;

/**
 * A piece of a history that is read without the others, in any process that reaches its file. An error in a piece has lines counted
 * from its beginning, so the caller reads the whole with {@link HistoryReader} for the message.
 */
public sealed interface Piece extends Serializable permits LinesPiece, RowGroupsPiece {
    /** The number of its file among the history's. */
    int file();

    /**
     * Reads it.
     *
     * @param stop polled for every 64 KiB or so of input; true ends the read with a {@link BudgetException}
     * @param memoryBytes what the rows may take while they are read
     */
    HistoryRows read(BooleanSupplier stop, long memoryBytes) throws HistoryException, IOException;
}
