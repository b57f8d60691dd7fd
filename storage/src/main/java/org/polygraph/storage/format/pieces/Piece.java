package org.polygraph.storage.format.pieces;

import java.io.IOException;
import java.io.Serializable;
import java.util.function.BooleanSupplier;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryRows;

/**
 * A piece of a history that is read without the others, in whatever process has its file. Failures of its reading are true but
 * their place may not be: who gets one reads the whole with {@link HistoryReader}, which tells the first one, or that nothing
 * is wrong.
 */
public sealed interface Piece extends Serializable permits LinesPiece, RowGroupsPiece {
    /** The number of its file among the history's. */
    int file();

    /**
     * Reads it.
     *
     * @param stop asked for every 64 KiB or so of input; true ends the read with a {@link BudgetException}
     * @param memoryBytes what the rows may take while they are read
     */
    HistoryRows read(BooleanSupplier stop, long memoryBytes) throws HistoryException, IOException;
}
