package org.polygraph.jobs.windows;

import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.polygraph.jobs.decision.Budget;

/**
 * Copies the transactions at some places. Transactions that do
 * not count are left out, and so are those with many operations and those whose snapshot and commit are not neighbours in these cells.
 *
 * @param places ascending, in the cells
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record EventTask(Cells cells, long[] places) implements Task<ArrayList<EventTask.Copied>> {
    /** The most operations of a transaction. */
    private static final int MOST_OPERATIONS = 1_024;

    /** A transaction: the place of its first event, and a block with its events. */
    record Copied(long place, byte[] block) implements Serializable {}

    @Override
    public ArrayList<Copied> run(Budget budget) throws IOException {
        ArrayList<Copied> out = new ArrayList<>();
        int i = 0;
        for (int c = cells.from(); c < cells.to(); c++) {
            long end = cells.first(c + 1);
            if (i == places.length || places[i] >= end) {
                continue;
            }
            budget.require();
            // A commit that is the first event of a cell has its snapshot in the one before.
            int first = Math.max(cells.from(), c - 1);
            Cell some = new Cell();
            for (int near = first; near < Math.min(c + 2, cells.to()); near++) {
                cells.read(near, some);
            }
            for (; i < places.length && places[i] < end; i++) {
                copy(some, (int) (places[i] - cells.first(first)), cells.first(first), out);
            }
        }
        return out;
    }

    private static void copy(Cell cell, int event, long first, List<Copied> out) {
        boolean isWhole = !cell.isSnapshot(event) && !cell.isCommit(event);
        int from = cell.isCommit(event) ? event - 1 : event;
        int to = isWhole ? event + 1 : from + 2;
        if (!cell.isCounted(event) || from < 0 || to > cell.size() || !cell.isSameTransaction(from, to - 1)) {
            return;
        }
        if (cell.operationsEnd(to - 1) - cell.firstOperation(from) > MOST_OPERATIONS) {
            return;
        }
        BlockWriter block = new BlockWriter();
        EventWriter events = new EventWriter(block);
        for (int e = from; e < to; e++) {
            cell.write(e, events);
        }
        out.add(new Copied(first + from, block.toBytes()));
    }
}
