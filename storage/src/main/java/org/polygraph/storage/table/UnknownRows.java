package org.polygraph.storage.table;

import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.model.HistoryException;

/** The writes by a condition of a history that does not name the rows that they wrote. */
public final class UnknownRows {
    /** How a table relates to a history with such writes. */
    public enum Table {
        /** The table lacks all operations that depend on these rows, see {@link UnknownRows#refutes}. */
        RELAXED,
        /** The table has the rows that match in the order of ends. If it keeps a level, so does the history. */
        GUESS,
        /** The verdict on the table proves nothing. */
        NEITHER
    }

    private final UnknownRowsResolution resolution;
    private final Table table;

    UnknownRows(UnknownRowsResolution resolution, Table table) {
        this.resolution = resolution;
        this.table = table;
    }

    /** Returns a table of the same transactions with the outcomes that were recorded; a guess has others. */
    HistoryTable withUnknownOutcomes(HistoryTable table) {
        return resolution.withUnknownOutcomes(table);
    }

    /** Returns the history of a table with these writes, in which transactions of unknown outcome are aborted. */
    public static HistoryTable withAborted(HistoryTable table) throws HistoryException {
        UnknownRows unknown = table.unknownRows();
        Recorded recorded = table.recorded();
        return unknown == null || recorded == null
                ? table
                : unknown.resolution.withAborted().with(recorded);
    }

    /** How many of these writes there are. */
    public int writes() {
        return resolution.openWrites();
    }

    /** The transaction of the first of these writes. */
    public int first() {
        return resolution.firstOpen();
    }

    /**
     * The relation of the table to the history: relaxed if no open write is a delete; otherwise a guess if the rows
     * that match in the order of ends agree with all counts, else neither.
     */
    public Table table() {
        return table;
    }

    /**
     * Whether a violation of the table is one of the history. If a transaction is two events, an open write may begin a
     * row again that was deleted after its snapshot. Then another delete finds this row.
     *
     * @param events of a transaction: 1, or 2 for its snapshot and its commit
     */
    public boolean refutes(int events) {
        return table == Table.RELAXED && (events == 1 || !resolution.hasDeletes());
    }

    /**
     * Returns a guess: the history with the rows that match in an order.
     *
     * @param counted by transaction: whether it counts
     * @param position by event, one or two a transaction: its place
     * @return the guess, which still has open writes if their rows disagree with their counts; null if one of these is
     *     a delete
     */
    public @Nullable HistoryTable inOrder(boolean[] counted, int[] position) throws HistoryException {
        return resolution.inOrder(counted, position);
    }

    /** Returns the guess with the rows that match in the order of ends, or of the input without times; as above. */
    public @Nullable HistoryTable inOrderOfEnds() throws HistoryException {
        return resolution.inOrderOfEnds();
    }

    /**
     * Returns a guess with the rows that match in an order in which a replay of the history as it was recorded finds
     * nothing wrong; null if a search does not find one.
     *
     * @param events of a transaction: 1, or 2 for its snapshot and its commit
     * @param usesTimes whether times determine which event is tried first
     * @param inRealTime whether the order has to agree with real time
     * @param skew the most by which two clocks differ
     * @param stop whether to end the search
     */
    public @Nullable HistoryTable byReplay(
            int events, boolean usesTimes, boolean inRealTime, long skew, BooleanSupplier stop)
            throws HistoryException {
        return resolution.byReplay(events, usesTimes, inRealTime, skew, stop);
    }

    /**
     * Returns what each serial order explains; null if that would be too large, or if it was stopped.
     *
     * @param few the most rows times conditions that are all selected at first
     */
    public @Nullable SerialRefinement refinement(long few, BooleanSupplier stop) {
        return resolution.refinement(few, stop);
    }

    /**
     * Returns all choices of the rows of these writes; null if there are more than some number, if none has the
     * counts, or if the search for them was stopped.
     */
    public @Nullable RowChoices choices(long most, BooleanSupplier stop) {
        return resolution.choices(most, stop);
    }
}
