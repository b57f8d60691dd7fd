package org.polygraph.storage.format.pieces;

import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.format.io.ReadContext;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryRows;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;
import org.polygraph.storage.table.RowsMerge;

/**
 * Merges the pieces of a {@link ReadPlan}, in their order, into the table that {@link HistoryReader} would have made,
 * with the same ids and places. The time is linear; no piece is kept. Not thread-safe.
 */
public final class PieceMerge {
    private final ReadPlan plan;
    private final HistoryTableBuilder builder;
    private final RowsMerge merge;
    private int next;
    private int file = -1;
    /** The number of lines of the file before the next piece; 0 if positions are not lines. */
    private long lines;

    public PieceMerge(ReadPlan plan, long memoryBytes) {
        this.plan = plan;
        this.builder =
                new ReadContext(() -> false, memoryBytes).builder(plan.format().positions());
        this.merge = new RowsMerge(builder);
    }

    /**
     * Adds the next piece.
     *
     * @return false if its header contradicts that of a piece before; the caller then reads the whole history to get
     *     the message
     * @throws BudgetException if memory would exceed the limit
     */
    public boolean add(HistoryRows rows) {
        Piece piece = plan.pieces().get(next++);
        if (piece.file() != file) {
            file = piece.file();
            lines = 0;
            builder.file(plan.files().get(file));
        }
        if (!merge.add(rows, lines)) {
            return false;
        }
        lines += rows.lines();
        return true;
    }

    /**
     * Returns the history, after all pieces were added.
     *
     * @throws HistoryException as {@link HistoryReader#read}
     */
    public HistoryTable table() throws HistoryException {
        if (next < plan.pieces().size()) {
            throw new IllegalStateException("piece " + next + " is missing");
        }
        return builder.build();
    }
}
