package org.polygraph.jobs.certificate.format;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.format.parquet.NumberTable;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;

/**
 * {@code certificate/ranks.parquet}: the order that a PASS rests on. A row for each transaction that counts, ascending by
 * (session, index): {@code session, index, [snapshot,] commit}. Snapshot (SI only) and commit are the ranks of its events:
 * integers from 0 to the number of events of the whole history, exclusive, no two alike.
 *
 * <p>Some 1.2 bytes an event with 50 sessions: ranks ascend within a session, and ascending numbers are stored by their
 * differences. Memory: a row group of 16 MiB while writing; 4 bytes an event, by the history's size, while reading.
 */
public final class RankFile {
    /** In the run directory. */
    public static final String FOLDER = "certificate";

    private static final String FILE = "ranks.parquet";
    private static final String NAME = "certificate";
    private static final int NO_PLACE = -1;

    private RankFile() {}

    /** Where it is in a run. */
    public static Location in(Location run) {
        return run.child(FOLDER).child(FILE);
    }

    /**
     * Writes it under a temporary name, renames it, and reads it back: what is there is the witness, rank by rank, so that a
     * replay of the one is a replay of the other.
     *
     * @param tool version of this program
     * @return the path within the run
     * @throws IOException also if what is read back is not what was written
     */
    public static String write(Location run, Witness witness, Fingerprint fingerprint, String tool) throws IOException {
        RankHeader header = RankHeader.of(witness, fingerprint, tool);
        Location file = in(run);
        file.write(out -> NumberTable.write(
                out, NAME, header.json(), columns(witness.terms().promise()), new Rows(witness)));
        Comparison comparison = new Comparison(header.json(), new Rows(witness));
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

    private static List<String> columns(Guarantee promise) {
        return promise.events() == 1
                ? List.of("session", "index", "commit")
                : List.of("session", "index", "snapshot", "commit");
    }

    /**
     * A certificate as it stands against a history.
     *
     * @param mismatch the first row that does not fit the history, one sentence, or null
     * @param counted with position the order, complete if there is no mismatch
     */
    @SuppressWarnings("ArrayRecordComponent") // compared by nobody
    public record Content(RankHeader header, @Nullable String mismatch, boolean[] counted, int[] position) {
        public Witness witness(HistoryTable table) {
            return new Witness(table, header.terms(), counted, position);
        }
    }

    /** @throws HistoryException if it is no certificate */
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
        private int t;
        private int session;

        Rows(Witness witness) {
            table = witness.table();
            counted = witness.counted();
            position = witness.position();
            events = witness.terms().promise().events();
        }

        @Override
        public boolean next(long[] row) {
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

    /** What is read back, row by row, against what was to be written. */
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
        /** The next transaction that a row can be of, and its session. */
        private int next;

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
            List<String> expected = columns(found.terms().promise());
            if (!columns.equals(expected)) {
                List<String> shown = new ArrayList<>();
                for (String column : columns.subList(0, Math.min(columns.size(), 8))) {
                    shown.add(Names.line(column));
                }
                throw RankHeader.malformed(
                        file,
                        "the columns " + String.join(", ", shown) + ", where those of "
                                + found.terms().promise().label() + " are " + String.join(", ", expected));
            }
            if (rowCount != found.counted()) {
                throw RankHeader.malformed(file, rowCount + " rows under a header that says " + found.counted());
            }
            events = found.terms().promise().events();
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
                                + ": rows that do not ascend, or one twice");
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

        /** Rows ascend, and so do transactions: each is passed once. */
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
                throw RankHeader.malformed(file, rows + " rows, fewer than it says");
            }
            return new Content(header, mismatch, counted, position);
        }
    }
}
