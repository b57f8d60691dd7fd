package org.polygraph.jobs.windows;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.io.IOException;
import java.util.Arrays;
import org.polygraph.jobs.certificate.format.TransactionHash;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.format.pieces.Piece;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryRows;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.Operations;
import org.polygraph.storage.table.Transactions;

/**
 * Deals the transactions of a piece of the input to cells. Result: the section with a block for each cell.
 *
 * @param number of the piece
 * @param events of a transaction: 1, or 2 for its snapshot and its commit; an aborted transaction is one event
 * @param hasIntents whether snapshots have intents, because first committer wins is part of the level
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
        Clock clock,
        int events,
        boolean hasIntents,
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
            return run(new PieceRows(piece.read(budget::exhausted, budget.bytes()), number, clock, events));
        } catch (HistoryException e) {
            throw new IOException(e.getMessage() + " when the input was read a second time", e);
        }
    }

    private byte[] run(PieceRows in) throws IOException {
        Cell cell = new Cell();
        EventsOfRows all = new EventsOfRows(in, cell);
        for (int t = 0; t < in.rows().transactions().size(); t++) {
            all.add(t);
        }
        Section.Output out = new Section.Output(0, borders.length + 1);
        int[] targets = new int[cell.size()];
        int[] ends = new int[borders.length + 2];
        for (int t = 0; t < targets.length; t++) {
            int at = Arrays.binarySearch(borders, cell.clock(t));
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
        Section.write(result, out.write(folder, "piece", number));
        return result.toBytes();
    }

    /** Turns transactions into events of a cell. */
    private final class EventsOfRows {
        private final HistoryRows rows;
        private final Cell cell;
        private final int[] keys;
        private final ValueDictionary.Codes codes;
        private final long[] clocks;
        private final TransactionHash hash = new TransactionHash();
        /** By key: the last transaction that wrote it, plus 1. */
        private final int[] writtenBy;
        /** Operations and keys of one transaction. */
        private final IntArrayList atCommit = new IntArrayList();

        private final IntArrayList written = new IntArrayList();

        EventsOfRows(PieceRows in, Cell cell) {
            this.rows = in.rows();
            this.cell = cell;
            keys = cell.keys().addAll(rows.keys());
            codes = cell.values().addAll(rows.values());
            clocks = in.clocks(leads, before);
            writtenBy = new int[cell.keys().size()];
        }

        void add(int t) {
            Transactions transactions = rows.transactions();
            byte status = transactions.statuses()[t];
            int session = sessions[rows.sessionOf()[t]];
            long index = transactions.indexes()[t];
            long clock = clocks[t * events];
            long position = HistoryTable.Source.position(transactions.sources()[t]) + linesBefore;
            long start = PieceRows.time(transactions.starts(), t);
            long end = PieceRows.time(transactions.ends(), t);
            if (events == 1 || status == TransactionStatus.ABORTED.code()) {
                for (int o = rows.operations().starts()[t];
                        o < rows.operations().starts()[t + 1];
                        o++) {
                    cell.add(key(o), isWrite(o) ? Cell.WRITE : Cell.READ, code(o));
                }
                cell.end(session, index, clock, status, piece.file(), position, start, end);
                return;
            }
            addReads(t);
            cell.endSnapshot(session, index, clock, status, piece.file(), position, start, end);
            // Operation i of the commit follows i operations of the commit, and reads of the snapshot.
            int first = rows.operations().starts()[t];
            for (int i = 0; i < atCommit.size(); i++) {
                int o = atCommit.getInt(i);
                int write = hasIntents ? Cell.INTENDED : Cell.WRITE;
                cell.addAtCommit(key(o), isWrite(o) ? write : Cell.READ, code(o), o - first - i);
            }
            byte[] content = hash(t, index, status, start, end);
            cell.endCommit(session, index, clock + 1, status, piece.file(), position, start, end, content);
        }

        /** Adds the operations of the snapshot, and collects those of the commit. */
        private void addReads(int t) {
            atCommit.clear();
            written.clear();
            for (int o = rows.operations().starts()[t]; o < rows.operations().starts()[t + 1]; o++) {
                int key = key(o);
                if (isWrite(o) && writtenBy[key] != t + 1) {
                    writtenBy[key] = t + 1;
                    written.add(key);
                }
                if (writtenBy[key] == t + 1) {
                    atCommit.add(o);
                } else {
                    cell.add(key, Cell.READ, code(o));
                }
            }
            for (int i = 0; hasIntents && i < written.size(); i++) {
                int key = written.getInt(i);
                cell.add(key, Cell.INTENT, 0);
            }
        }

        private byte[] hash(int t, long index, byte status, long start, long end) {
            int from = rows.operations().starts()[t];
            int to = rows.operations().starts()[t + 1];
            byte[] content = new byte[TransactionHash.BYTES];
            hash.begin(rows.sessionLabels()[rows.sessionOf()[t]], index, status, start, end, to - from);
            for (int o = from; o < to; o++) {
                hash.operation(cell.keys(), cell.values(), Operations.pack(key(o), isWrite(o)), code(o));
            }
            hash.end(content, 0);
            return content;
        }

        private int key(int operation) {
            return keys[Operations.key(rows.operations().keys()[operation])];
        }

        private boolean isWrite(int operation) {
            return Operations.isWrite(rows.operations().keys()[operation]);
        }

        private long code(int operation) {
            return codes.of(rows.operations().values()[operation]);
        }
    }
}
