package org.polygraph.storage.format.pieces;

import java.io.IOException;
import java.io.Serializable;
import java.util.function.BooleanSupplier;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryRows;

/**
 * A piece of a history, which any process that reaches its file can read without the other pieces. An error in a piece
 * counts lines from the beginning of the piece, so the caller reads the whole history with {@link HistoryReader} to get
 * the message.
 */
public sealed interface Piece extends Serializable permits LinesPiece, RowGroupsPiece {
    /** Returns the number of its file among the history's. */
    int file();

    /**
     * Reads the rows of the piece.
     *
     * @param stop polled for every 64 KiB or so of input; true ends the read with a {@link BudgetException}
     * @param memoryBytes what the rows may take while they are read
     */
    HistoryRows read(BooleanSupplier stop, long memoryBytes) throws HistoryException, IOException;

    /**
     * Reads the rows. If the format has operations in columns of their own, they are neither read nor checked;
     * otherwise they are read too. The arguments are those of {@link #read}.
     */
    default HistoryRows readTransactions(BooleanSupplier stop, long memoryBytes) throws HistoryException, IOException {
        return read(stop, memoryBytes);
    }
}
