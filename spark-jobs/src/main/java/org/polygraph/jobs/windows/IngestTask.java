package org.polygraph.jobs.windows;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Guarantee;
import org.polygraph.jobs.certificate.replay.SavepointReplay;
import org.polygraph.jobs.certificate.replay.Tally;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.storage.format.pieces.Piece;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.model.WholeHistoryException;
import org.polygraph.storage.table.HistoryRows;
import org.polygraph.storage.table.Operations;
import org.polygraph.storage.table.SourceFiles;
import org.polygraph.storage.table.Transactions;

/**
 * Deals the transactions of a piece of the input to cells. Result: {@link Ingested}.
 *
 * @param number of the piece
 * @param guarantee of the level
 * @param borders clocks at which a cell begins, but for the first cell
 * @param sample the sample of its operations to take; null for none
 * @param lists the order of the elements of all lists
 * @param placed the order of a certificate; null if clocks order the transactions
 * @param hasState whether keys have different initial values
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record IngestTask(
        Piece piece,
        int number,
        Clock clock,
        Guarantee guarantee,
        PieceContext context,
        SessionClocks.@Nullable Sample sample,
        long[] borders,
        ListOrders lists,
        @Nullable PlacedRows placed,
        boolean hasState,
        Section.Files files)
        implements Task<Ingested> {
    @Override
    public Ingested run(Budget budget) throws IOException {
        try {
            PieceRows rows = new PieceRows(
                    JudgedRows.loaded(piece.read(budget::exhausted, budget.bytes()), context.loadedUpTo()),
                    number,
                    clock,
                    events());
            String problem = rows.unsupported(guarantee);
            if (problem.isEmpty() && guarantee == Guarantee.LIN) {
                problem = rows.problemAtLin();
            }
            if (problem.isEmpty()
                    && rows.rows().lists() != null
                    && lists.sections().isEmpty()) {
                problem = "it has lists in a file without the column \"fields\"";
            }
            // Lists are not replayed by workers.
            HistoryRows read = rows.rows();
            boolean differs = placed != null
                    && read.undone() != null
                    && SavepointReplay.first(read.undone(), read.operations(), read.values(), code -> new long[0]) >= 0;
            if (differs || (placed != null && PlacedRows.isUnsupported(read))) {
                problem = PlacedRows.UNSUPPORTED;
            }
            return problem.isEmpty() ? deal(rows) : Ingested.problem(problem);
        } catch (HistoryException e) {
            return Ingested.problem(Survey.UNREADABLE);
        } catch (WholeHistoryException e) {
            return Ingested.problem(PieceRows.unsupported(e));
        } catch (BudgetException e) {
            budget.require();
            return Ingested.problem(Survey.TOO_LARGE);
        }
    }

    /** Events of a transaction that is not aborted: 1, or 2 for its snapshot and its commit. */
    private int events() {
        return PieceRows.events(guarantee);
    }

    private PlacedRows.Placed placed(PieceRows in) throws IOException {
        if (placed != null) {
            return placed.of(in, number, events());
        }
        byte[] statuses = in.rows().transactions().statuses();
        boolean[] counted = new boolean[statuses.length];
        long[] clocks = in.clocks(context);
        // The events of a transaction are neighbours in the first order, so its commit has the clock of its snapshot.
        long[] first = new long[statuses.length];
        for (int t = 0; t < counted.length; t++) {
            counted[t] = statuses[t] == TransactionStatus.COMMITTED.code();
            first[t] = clocks[t * events()];
        }
        return new PlacedRows.Placed(first, first, counted);
    }

    /** Whether snapshots have intents, because first committer wins is part of the level. */
    private boolean hasIntents() {
        return guarantee.events() == 2;
    }

    private Ingested deal(PieceRows in) throws IOException {
        // The clocks are those of the rows with lists, as in the survey.
        HistoryRows resolved = lists.resolved(in.rows(), number);
        HistoryRows rows = JudgedRows.of(resolved);
        EventsOfRows all = new EventsOfRows(rows, in.rows(), placed(in));
        for (int t = 0; t < rows.transactions().size(); t++) {
            all.add(t);
        }
        int[] recorded = in.rows().operations().keys();
        long writes = 0;
        for (int keyAndKind : recorded) {
            writes += Operations.isWrite(keyAndKind) ? 1 : 0;
        }
        Tally tally = new Tally();
        tally.rows(rows, events());
        return new Ingested(
                "",
                all.out.write(files, number),
                all.counts,
                all.operations,
                recorded.length - writes,
                writes,
                tally.sum(),
                sample == null ? new byte[0] : sample.take(rows, context.numbers()),
                Leading.of(in, hasState));
    }

    /** Turns transactions into events of cells. */
    private final class EventsOfRows {
        private final HistoryRows rows;
        /** Whether a level judges other operations than those that were recorded. */
        private final boolean isReduced;

        private final RecordedRows recorded;

        private final int events = events();
        private final PlacedRows.Placed places;
        private final Section.Output out = new Section.Output(0, borders.length + 1);
        /** By cell: the block with its events, and how many it has. */
        private final @Nullable EventWriter[] cells = new @Nullable EventWriter[borders.length + 1];

        private final long[] counts = new long[cells.length];
        private long operations;
        private final EventBody body = new EventBody();
        /** By key: the last transaction that wrote it, plus 1. */
        private final int[] writtenBy;
        /** Operations of one transaction, and an operation on each key that it wrote. */
        private final IntArrayList atSnapshot = new IntArrayList();

        private final IntArrayList atCommit = new IntArrayList();
        private final IntArrayList written = new IntArrayList();

        /** @param read the rows as they were recorded; the same ones if the level judges all operations as they are */
        EventsOfRows(HistoryRows rows, HistoryRows read, PlacedRows.Placed places) {
            this.rows = rows;
            isReduced = read != rows || rows.operations().kinds() != null || read.undone() != null;
            recorded = new RecordedRows(read);
            this.places = places;
            writtenBy = new int[events == 1 ? 0 : rows.keys().size()];
        }

        void add(int t) {
            Transactions transactions = rows.transactions();
            byte status = transactions.statuses()[t];
            long clock = places.snapshots()[t];
            long start = PieceRows.time(transactions.starts(), t);
            long end = PieceRows.time(transactions.ends(), t);
            int flags = EventReader.flags(status, places.counted()[t], start, end);
            int from = rows.operations().starts()[t];
            int to = rows.operations().starts()[t + 1];
            if (events == 1 || Tally.isOneEvent(status)) {
                begin(t, clock, start, end, to - from);
                if (isReduced) {
                    body.hash(recorded.hash(t, status, start, end));
                    flags |= EventReader.HASHED;
                }
                for (int o = from; o < to; o++) {
                    operation(o, isWrite(o) ? Cell.WRITE : Cell.READ);
                }
                end(t, clock, flags);
                return;
            }
            divide(t);
            begin(t, clock, start, end, atSnapshot.size() + (hasIntents() ? written.size() : 0));
            for (int i = 0; i < atSnapshot.size(); i++) {
                operation(atSnapshot.getInt(i), Cell.READ);
            }
            for (int i = 0; hasIntents() && i < written.size(); i++) {
                operation(written.getInt(i), Cell.INTENT);
            }
            end(t, clock, flags | EventReader.SNAPSHOT);
            long commit = places.commits()[t];
            begin(t, commit, start, end, atCommit.size());
            body.hash(recorded.hash(t, status, start, end));
            for (int i = 0; i < atCommit.size(); i++) {
                int o = atCommit.getInt(i);
                operation(o, !isWrite(o) ? Cell.READ : hasIntents() ? Cell.INTENDED : Cell.WRITE);
            }
            // Operation i of the commit follows i operations of the commit, and reads of the snapshot.
            int reads = 0;
            for (int i = 0; i < atCommit.size(); i++) {
                int more = atCommit.getInt(i) - from - i - reads;
                body.moreReads(more);
                reads += more;
            }
            end(t, commit, flags | EventReader.COMMIT);
        }

        private void begin(int t, long clock, long start, long end, int count) {
            operations += count;
            long position = SourceFiles.position(rows.transactions().sources()[t]) + context.lines();
            body.begin(clock, piece.file(), position, start, end, count);
        }

        private void end(int t, long clock, int flags) {
            int at = Arrays.binarySearch(borders, clock);
            int target = at >= 0 ? at + 1 : -at - 1;
            EventWriter cell = cells[target];
            if (cell == null) {
                cell = new EventWriter(out.block(target));
                cells[target] = cell;
            }
            counts[target]++;
            cell.add(context.numbers()[rows.sessionOf()[t]], rows.transactions().indexes()[t], clock, flags, body);
        }

        private void operation(int o, int kind) {
            byte[] kinds = rows.operations().kinds();
            byte mark = kinds == null || kinds[o] == Operations.APPEND ? 0 : kinds[o];
            if (mark != 0 && kind != Cell.INTENT) {
                body.mark(mark);
            }
            body.operation(
                    rows.keys(), key(o), kind, rows.values(), rows.operations().values()[o]);
        }

        /** Divides the operations of a transaction into those of the snapshot and those of the commit. */
        private void divide(int t) {
            atSnapshot.clear();
            atCommit.clear();
            written.clear();
            for (int o = rows.operations().starts()[t]; o < rows.operations().starts()[t + 1]; o++) {
                int key = key(o);
                if (isWrite(o) && writtenBy[key] != t + 1) {
                    writtenBy[key] = t + 1;
                    written.add(o);
                }
                (writtenBy[key] == t + 1 ? atCommit : atSnapshot).add(o);
            }
        }

        private int key(int operation) {
            return Operations.key(rows.operations().keys()[operation]);
        }

        private boolean isWrite(int operation) {
            return Operations.isWrite(rows.operations().keys()[operation]);
        }
    }
}
