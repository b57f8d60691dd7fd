package org.polygraph.jobs.certificate.format;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.format.parquet.NumberTable;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.StoppedException;
import org.polygraph.storage.table.HistoryTable;

/**
 * {@code certificate/ranks.parquet}: the order that a PASS rests on. It has one row for each counted transaction, ascending by
 * (session, index): {@code session, index, [snapshot,] commit}. Snapshot (SI only) and commit are the ranks of its events:
 * distinct integers from 0 to the number of events of the whole history, exclusive.
 *
 * <p>About 1.2 bytes per event with 50 sessions: ranks ascend within a session, and ascending numbers are stored as
 * differences. Memory: a row group of 16 MiB while writing; 4 bytes per event of the history while reading.
 */
public final class RankFile {
    /** The folder in the run directory. */
    public static final String FOLDER = "certificate";

    private static final String FILE = "ranks.parquet";
    private static final String NAME = "certificate";
    private static final int ROWS = 4096;
    private static final int NO_PLACE = -1;

    private RankFile() {}

    /** The file in a run. */
    public static Location in(Location run) {
        return run.child(FOLDER).child(FILE);
    }

    /**
     * Writes the file under a temporary name, renames it, reads it back and compares it with the witness rank by rank, so
     * that a replay of the witness is a replay of the file.
     *
     * @param tool version of this program
     * @param stop whether to stop; called every {@value #ROWS} rows
     * @throws org.polygraph.storage.model.BudgetException if {@code stop} returned true
     * @return the path within the run
     * @throws IOException also if the file read back differs
     */
    public static String write(
            Location run, Witness witness, Fingerprint fingerprint, String tool, BooleanSupplier stop)
            throws IOException {
        RankHeader header = RankHeader.of(witness, fingerprint, tool);
        Location file = in(run);
        file.write(out -> NumberTable.write(
                out, NAME, header.json(), columns(witness.terms().guarantee()), new Rows(witness, stop)));
        Comparison comparison = new Comparison(header.json(), new Rows(witness, stop));
        try {
            NumberTable.read(file, NAME, comparison);
        } catch (HistoryException e) {
            throw new IOException("the certificate cannot be read back: " + e.getMessage(), e);
        }
        if (!comparison.isSame()) {
            throw new IOException(
                    file.name() + ": found other ranks than were written; expected the same; check the storage");
        }
        return FOLDER + "/" + FILE;
    }

    private static List<String> columns(Guarantee guarantee) {
        return guarantee.events() == 1
                ? List.of("session", "index", "commit")
                : List.of("session", "index", "snapshot", "commit");
    }

    /**
     * A certificate read for a history.
     *
     * @param mismatch the first row that does not fit the history, one sentence, or null
     * @param counted with {@code position} the order; complete if there is no mismatch
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Content(RankHeader header, @Nullable String mismatch, boolean[] counted, int[] position) {
        public Witness witness(HistoryTable table) {
            return new Witness(table, header.terms(), counted, position);
        }
    }

    /** @throws HistoryException if the file is not a certificate */
    public static Content read(Location file, HistoryTable table) throws IOException, HistoryException {
        Reading reading = new Reading(file.name(), table);
        NumberTable.read(file, NAME, reading);
        return reading.content();
    }

    private static final class Rows implements NumberTable.Source {
        private final HistoryTable table;
        private final boolean[] counted;
        private final int[] position;
        private final int events;
        private final BooleanSupplier stop;
        private int t;
        private int session;

        Rows(Witness witness, BooleanSupplier stop) {
            this.stop = stop;
            table = witness.table();
            counted = witness.counted();
            position = witness.position();
            events = witness.terms().guarantee().events();
        }

        @Override
        public boolean next(long[] row) {
            if (t % ROWS == 0) {
                StoppedException.check(stop);
            }
            while (t < counted.length && !counted[t]) {
                t++;
            }
            if (t == counted.length) {
                return false;
            }
            while (table.transactionsEnd(session) <= t) {
                session++;
            }
            row[0] = table.sessionLabel(session);
            row[1] = table.index(t);
            for (int e = 0; e < events; e++) {
                row[2 + e] = position[events * t + e];
            }
            t++;
            return true;
        }
    }

    /** Compares the rows read back with those that were written. */
    private static final class Comparison implements NumberTable.Sink {
        private final String text;
        private final Rows rows;
        private boolean same = true;
        private long[] expected = new long[0];

        Comparison(String text, Rows rows) {
            this.text = text;
            this.rows = rows;
        }

        @Override
        public void header(String found, List<String> columns, long count) {
            same = found.equals(text);
            expected = new long[columns.size()];
        }

        @Override
        public void row(long[] row) {
            same = same && rows.next(expected) && Arrays.equals(row, expected);
        }

        boolean isSame() {
            return same && !rows.next(expected);
        }
    }

    private static final class Reading implements NumberTable.Sink {
        private final String file;
        private final HistoryTable table;
        private final boolean[] counted;
        private @Nullable RankHeader header;
        private @Nullable String mismatch;
        private int[] position = new int[0];
        private int events;
        /** The next transaction that may have a row. */
        private int next;
        /** The session of {@link #next}. */
        private int session;

        private long rows;
        private long lastSession;
        private long lastIndex;

        Reading(String file, HistoryTable table) {
            this.file = file;
            this.table = table;
            this.counted = new boolean[table.transactions()];
        }

        @Override
        public void header(String text, List<String> columns, long rowCount) throws HistoryException {
            RankHeader found = RankHeader.parse(file, text);
            List<String> expected = columns(found.terms().guarantee());
            if (!columns.equals(expected)) {
                List<String> shown = new ArrayList<>();
                for (String column : columns.subList(0, Math.min(columns.size(), 8))) {
                    shown.add(Names.line(column));
                }
                throw RankHeader.malformed(
                        file,
                        "the columns " + String.join(", ", shown) + ", where those of "
                                + found.terms().guarantee().label() + " are " + String.join(", ", expected));
            }
            if (rowCount != found.counted()) {
                throw RankHeader.malformed(file, rowCount + " rows, but the header declares " + found.counted());
            }
            events = found.terms().guarantee().events();
            long all = (long) events * table.transactions();
            if (all > Integer.MAX_VALUE - 8) {
                throw RankHeader.malformed(file, "two events for each of " + table.transactions() + " transactions");
            }
            position = new int[(int) all];
            Arrays.fill(position, NO_PLACE);
            header = found;
        }

        @Override
        public void row(long[] row) throws HistoryException {
            if (rows++ > 0 && (row[0] < lastSession || (row[0] == lastSession && row[1] <= lastIndex))) {
                throw RankHeader.malformed(
                        file,
                        Names.transaction(row[0], row[1]) + " after " + Names.transaction(lastSession, lastIndex)
                                + ": rows that do not ascend or that repeat");
            }
            lastSession = row[0];
            lastIndex = row[1];
            if (mismatch != null) {
                return;
            }
            int t = find(row[0], row[1]);
            if (t < 0) {
                mismatch = "the certificate orders " + Names.transaction(row[0], row[1])
                        + ", which the history does not have";
                return;
            }
            counted[t] = true;
            for (int e = 0; e < events; e++) {
                long rank = row[2 + e];
                if (rank < 0 || rank >= position.length) {
                    mismatch = Names.transaction(table, t) + " has rank " + rank + "; ranks of " + position.length
                            + " events are from 0 to " + (position.length - 1);
                    return;
                }
                position[events * t + e] = (int) rank;
            }
        }

        /** Rows and transactions ascend, so each transaction is visited once. */
        private int find(long label, long index) {
            while (next < table.transactions()) {
                while (table.transactionsEnd(session) <= next) {
                    session++;
                }
                long nextLabel = table.sessionLabel(session);
                if (nextLabel > label || (nextLabel == label && table.index(next) > index)) {
                    return -1;
                }
                if (nextLabel == label && table.index(next) == index) {
                    return next++;
                }
                next++;
            }
            return -1;
        }

        Content content() throws HistoryException {
            if (header == null || rows != header.counted()) {
                throw RankHeader.malformed(file, rows + " rows, fewer than the header declares");
            }
            return new Content(header, mismatch, counted, position);
        }
    }
}
