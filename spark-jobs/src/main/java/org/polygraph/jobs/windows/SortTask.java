package org.polygraph.jobs.windows;

import it.unimi.dsi.fastutil.ints.IntArrays;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.jobs.certificate.replay.PlacedTimes;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.storage.model.TransactionStatus;

/**
 * Sorts the transactions of some cells by clock, then by session. Result: for each cell the numbers of its transactions and operations;
 * then the section with a block for each, and {@link PlacedTimes} of all events that may count.
 *
 * @param pieces sections of pieces, in the order of the input
 */
record SortTask(ArrayList<Section> pieces, int from, int to, Terms terms, String folder) implements Task {
    private static final long serialVersionUID = 1L;

    SortTask(List<Section> pieces, int from, int to, Terms terms, String folder) {
        this(new ArrayList<>(pieces), from, to, terms, folder);
    }

    @Override
    public byte[] run(Budget budget) throws IOException {
        Section.Output out = new Section.Output(from, to - from);
        BlockWriter result = new BlockWriter();
        PlacedTimes times = new PlacedTimes();
        for (int c = from; c < to; c++) {
            Cell cell = new Cell();
            for (Section piece : pieces) {
                cell.read(new BlockReader(piece.block(c)));
            }
            int[] order = new int[cell.size()];
            for (int t = 0; t < order.length; t++) {
                order[t] = t;
            }
            IntArrays.mergeSort(order, (a, b) -> {
                int byClock = Long.compare(cell.clock(a), cell.clock(b));
                return byClock != 0 ? byClock : Integer.compare(cell.session(a), cell.session(b));
            });
            Cell.Output sorted = cell.new Output(out.block(c));
            for (int t : order) {
                sorted.write(t);
                if (cell.status(t) != TransactionStatus.ABORTED) {
                    times.event(terms, cell.event(t), cell.status(t).code(), cell.start(t), cell.end(t));
                }
            }
            result.unsigned(cell.size()).unsigned(cell.operations());
        }
        Section.write(result, out.write(folder, "cells-0", from));
        return result.bytes(times.toBytes()).toBytes();
    }
}
