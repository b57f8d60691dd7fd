package org.polygraph.jobs.windows;

import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.format.pieces.Piece;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryRows;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.Transactions;

/**
 * Deals the transactions of a piece of the input to cells. Result: the section with a block for each cell.
 *
 * @param number of the piece
 * @param sessions by session of the piece: its number
 * @param leads see {@link PieceRows#clocks}
 * @param before see {@link PieceRows#clocks}
 * @param borders clocks at which a cell begins, but for the first cell
 * @param linesBefore lines of its file before the piece
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record IngestTask(
        Piece piece,
        int number,
        boolean usesTimes,
        int[] sessions,
        long[] leads,
        long[] before,
        long[] borders,
        long linesBefore,
        String folder)
        implements Task {
    private static final long serialVersionUID = 1L;

    @Override
    public byte[] run(Budget budget) throws IOException {
        try {
            return run(new PieceRows(piece.read(budget::exhausted, budget.bytes()), number, usesTimes));
        } catch (HistoryException e) {
            throw new IOException(e.getMessage() + " when the input was read a second time", e);
        }
    }

    private byte[] run(PieceRows in) throws IOException {
        HistoryRows rows = in.rows();
        Cell cell = new Cell();
        int[] keys = cell.keys().addAll(rows.keys());
        ValueDictionary.Codes codes = cell.values().addAll(rows.values());
        long[] clocks = in.clocks(leads, before);
        Transactions transactions = rows.transactions();
        int[] starts = rows.operations().starts();
        for (int t = 0; t < transactions.size(); t++) {
            for (int o = starts[t]; o < starts[t + 1]; o++) {
                int keyAndKind = rows.operations().keys()[o];
                cell.add(
                        keys[keyAndKind >>> 1],
                        (keyAndKind & 1) != 0,
                        codes.of(rows.operations().values()[o]));
            }
            cell.end(
                    sessions[rows.sessionOf()[t]],
                    transactions.indexes()[t],
                    clocks[t],
                    transactions.statuses()[t],
                    piece.file(),
                    HistoryTable.Source.position(transactions.sources()[t]) + linesBefore,
                    time(transactions.starts(), t),
                    time(transactions.ends(), t));
        }
        Section.Output out = new Section.Output(0, borders.length + 1);
        int[] targets = new int[cell.size()];
        int[] ends = new int[borders.length + 2];
        for (int t = 0; t < targets.length; t++) {
            int at = Arrays.binarySearch(borders, clocks[t]);
            targets[t] = at >= 0 ? at + 1 : -at - 1;
            ends[targets[t] + 1]++;
        }
        for (int target = 0; target <= borders.length; target++) {
            ends[target + 1] += ends[target];
        }
        int[] byTarget = new int[targets.length];
        for (int t = 0; t < targets.length; t++) {
            byTarget[ends[targets[t]]++] = t;
        }
        int next = 0;
        for (int target = 0; target <= borders.length; target++) {
            if (next < ends[target]) {
                Cell.Output to = cell.new Output(out.block(target));
                while (next < ends[target]) {
                    to.write(byTarget[next++]);
                }
            }
        }
        BlockWriter result = new BlockWriter();
        Section.write(result, out.write(folder, "piece-" + number));
        return result.toBytes();
    }

    private static long time(long @Nullable [] times, int transaction) {
        return times == null ? HistoryTable.NO_TIME : times[transaction];
    }
}
