package org.polygraph.storage.format;

import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.Calls;
import org.polygraph.storage.table.HistoryRows;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;
import org.polygraph.storage.table.Translation;

/**
 * Puts the pieces of a {@link ReadPlan} together, in their order: the table that one reader would have made, with the same ids
 * and places. Linear; none of the pieces is kept, but what is open where they meet. One thread.
 */
public final class PieceMerge {
    private final ReadPlan plan;
    private final HistoryTableBuilder builder;
    private final PlumeSessions sessions;
    private final EdnClients clients;
    private int next;
    private int file = -1;
    /** Lines of the file before the next piece; 0 where positions are no lines. */
    private long lines;

    PieceMerge(ReadPlan plan, long memoryBytes) {
        this.plan = plan;
        this.builder = new ReadContext(() -> false, memoryBytes).builder(plan.format());
        this.sessions = new PlumeSessions(builder, false);
        this.clients = new EdnClients(builder, false);
    }

    /**
     * Adds the next piece.
     *
     * @return false if it does not go with those before it: only reading the whole tells why, or that it does
     * @throws BudgetException if memory would exceed the limit
     */
    public boolean add(HistoryRows rows) {
        Piece piece = plan.pieces().get(next++);
        if (piece.file() != file) {
            file = piece.file();
            lines = 0;
            builder.file(plan.files().get(file));
        }
        Translation translation = builder.translate(rows);
        if (translation == null) {
            return false;
        }
        boolean isRight = add(rows, translation);
        lines += rows.lines();
        return isRight;
    }

    private boolean add(HistoryRows rows, Translation translation) {
        Calls calls = rows.calls();
        if (plan.format() == HistoryFormat.PLUME) {
            return sessions.add(rows, translation, lines);
        }
        if (calls == null) {
            builder.add(rows, translation, lines);
            return true;
        }
        try {
            clients.add(rows, calls, translation, lines);
            if (next == plan.pieces().size()) {
                clients.end();
            }
            return true;
        } catch (HistoryException e) {
            return false;
        }
    }

    /**
     * The history, once all pieces were added.
     *
     * @throws HistoryException as {@link HistoryReader#read}
     */
    public HistoryTable table() throws HistoryException {
        if (next < plan.pieces().size()) {
            throw new IllegalStateException("piece " + next + " is missing");
        }
        sessions.end();
        return builder.build();
    }
}
