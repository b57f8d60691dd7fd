package org.polygraph.jobs.windows;

import it.unimi.dsi.fastutil.ints.Int2LongMap;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.Serializable;
import java.nio.file.NoSuchFileException;
import java.util.Arrays;
import org.polygraph.jobs.certificate.format.Guarantee;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.storage.format.pieces.Piece;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.model.WholeHistoryException;
import org.polygraph.storage.table.HistoryRows;
import org.polygraph.storage.table.RecordedTimes;

/**
 * What the driver has to know of one piece of the input before its transactions are read into cells: its sessions, a sample of clocks and
 * its counts.
 *
 * @param problem why the piece cannot be decided by windows; empty if it can
 * @param sessions by session of the piece
 * @param sample clocks of events, each of which stands for as many events as the task was given, the last one for the rest
 * @param contents {@link #HAS_TIMES}, {@link #IS_REVERSED}, {@link #HAS_OPERATIONS} and {@link #HAS_LISTS}
 * @param neighbours how many transactions follow one of their session in the piece
 * @param lines how many lines it has
 * @param byStatus by status: the number of transactions
 * @param times the counts of {@link RecordedTimes}
 * @param initialValue the initial value of its header as a block; empty if there is none
 * @param initialState other initial values of keys in its header: items of a key and its value
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Survey(
        String problem,
        Session[] sessions,
        long[] sample,
        int contents,
        long neighbours,
        long lines,
        long[] byStatus,
        long[] times,
        byte[] initialValue,
        byte[] initialState)
        implements Serializable {
    /** Some transaction has a start or an end; one ended before it started. */
    static final int HAS_TIMES = 1;

    static final int IS_REVERSED = 4;
    /** The operations were read; some of them appends to a list or reads one. */
    static final int HAS_OPERATIONS = 8;

    static final int HAS_LISTS = 16;
    /** The problem of a piece that cannot be read, or not be judged at the level. */
    static final String UNREADABLE = "a piece of the input could not be read";

    /** The problem of a piece that can be read where there is more memory. */
    static final String TOO_LARGE = "a piece of the input takes more than the memory of a worker";

    /**
     * A session in a piece.
     *
     * @param lead maximum of clock - number over its events, see {@link PieceRows#lead}
     * @param starts of its transactions that may count
     * @param written the largest values that its committed transactions wrote, if the operations were read
     */
    record Session(long label, long count, long least, long greatest, long lead, Ascent starts, Ascent written)
            implements Serializable {}

    private static final long[] NO_TIMES = new RecordedTimes(true).counts();

    private static Survey problem(String problem) {
        return new Survey(
                problem,
                new Session[0],
                new long[0],
                HAS_OPERATIONS,
                0,
                0,
                new long[4],
                NO_TIMES,
                new byte[0],
                new byte[0]);
    }

    /** How many transactions the piece has. */
    long transactions() {
        return Arrays.stream(byStatus).sum();
    }

    /** Whether the piece has something: one of the constants of {@link #contents}. */
    boolean has(int content) {
        return (contents & content) != 0;
    }

    /**
     * Surveys a piece.
     *
     * @param number of the piece
     * @param guarantee of the level
     * @param perSample events for which one clock stands
     * @param countsUnknown whether an indeterminate transaction may count
     * @param needsOperations whether to read the operations; else they are read if the format does not have the transactions apart
     */
    record SurveyTask(
            Piece piece,
            int number,
            Clock clock,
            Guarantee guarantee,
            long perSample,
            boolean countsUnknown,
            boolean needsOperations)
            implements Task<Survey> {
        @Override
        public Survey run(Budget budget) throws IOException {
            try {
                HistoryRows rows = needsOperations
                        ? piece.read(budget::exhausted, budget.bytes())
                        : piece.readTransactions(budget::exhausted, budget.bytes());
                return survey(new PieceRows(rows, number, clock, PieceRows.events(guarantee)));
            } catch (HistoryException e) {
                return problem(UNREADABLE);
            } catch (FileNotFoundException | NoSuchFileException e) {
                return problem("a worker does not see the input: " + e.getMessage());
            } catch (WholeHistoryException e) {
                return problem(PieceRows.unsupported(e));
            } catch (BudgetException e) {
                budget.require();
                return problem(TOO_LARGE);
            }
        }

        private Survey survey(PieceRows piece) {
            String unsupported = piece.unsupported(guarantee);
            if (!unsupported.isEmpty()) {
                return problem(unsupported);
            }
            if (piece.hasDuplicates()) {
                return problem(UNREADABLE);
            }
            HistoryRows rows = piece.rows();
            long[] byStatus = new long[TransactionStatus.values().length];
            for (int t = 0; t < rows.transactions().size(); t++) {
                byStatus[rows.transactions().statuses()[t]]++;
            }
            Session[] sessions = new Session[piece.sessions()];
            for (int s = 0; s < sessions.length; s++) {
                int first = piece.transaction(s, 0);
                int last = piece.transaction(s, piece.count(s) - 1);
                sessions[s] = new Session(
                        rows.sessionLabels()[s],
                        piece.count(s),
                        rows.transactions().indexes()[first],
                        rows.transactions().indexes()[last],
                        piece.lead(s),
                        piece.starts(s),
                        piece.written(s));
            }
            return new Survey(
                    "",
                    sessions,
                    PieceRows.sample(piece.clocks(null), perSample),
                    piece.times()
                            | (needsOperations || rows.operations().size() > 0 ? HAS_OPERATIONS : 0)
                            | (rows.lists() != null ? HAS_LISTS : 0),
                    piece.neighbours(),
                    rows.lines(),
                    byStatus,
                    piece.recordedTimes(countsUnknown).counts(),
                    initialValue(rows),
                    initialState(rows));
        }

        private static byte[] initialState(HistoryRows rows) {
            Int2LongMap state = rows.initialState();
            if (state == null) {
                return new byte[0];
            }
            BlockWriter items = new BlockWriter();
            for (int key = 0; key < rows.keys().size(); key++) {
                if (state.containsKey(key)) {
                    items.key(rows.keys(), key).value(rows.values(), state.get(key));
                }
            }
            return items.toBytes();
        }

        private static byte[] initialValue(HistoryRows rows) {
            return rows.initialValue() == null
                    ? new byte[0]
                    : new BlockWriter()
                            .value(rows.values(), rows.initialValue())
                            .toBytes();
        }
    }
}
