package org.polygraph.jobs.certificate.format;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.format.parquet.NumberTable;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.StoppedException;
import org.polygraph.storage.table.HistoryTable;

/**
 * {@code certificate/ranks.parquet}: the order that shows a PASS. It has one row for each counted transaction,
 * ascending by (session, index): {@code session, index, [snapshot,] commit}. Snapshot (SI only) and commit are the
 * places of its events: distinct integers, 0 or more. Places need not be dense, because only their order matters.
 *
 * <p>At RC, RA and CC, {@link SourcesFile} has what some statements read from.
 *
 * <p>If there are many rows they are in further files, the {@link RankPart}s, which the header names, and this file has
 * none.
 *
 * <p>About 0.9 bytes per event with 50 sessions: ranks ascend within a session, and ascending numbers are stored as
 * differences. Memory: a row group of 16 MiB while writing; 12 bytes per event of the history while reading.
 */
public final class RankFile {
    /** The folder in the run directory. */
    public static final String FOLDER = "certificate";

    static final String FILE = "ranks.parquet";
    static final String NAME = "certificate";
    private static final NumberTable.Source NO_ROWS = row -> false;
    private static final int POLL = 4096;

    private RankFile() {}

    /** The file in a run. */
    public static Location in(Location run) {
        return run.child(FOLDER).child(FILE);
    }

    /**
     * Writes the certificate under temporary names, reads it back and compares it with the witness rank by rank, so
     * that a replay of the witness is a replay of the file.
     *
     * @param tool version of this program
     * @param stop whether to stop; called every {@value #POLL} rows
     * @throws org.polygraph.storage.model.BudgetException if {@code stop} returned true
     * @return the path within the run
     * @throws IOException also if the file read back differs
     */
    public static String write(
            Location run, Witness witness, Fingerprint fingerprint, String tool, BooleanSupplier stop)
            throws IOException {
        return write(run, witness, fingerprint, tool, stop, RankWriter.ROWS);
    }

    /** The same. @param mostRows of a file */
    static String write(
            Location run, Witness witness, Fingerprint fingerprint, String tool, BooleanSupplier stop, int mostRows)
            throws IOException {
        Guarantee guarantee = witness.terms().guarantee();
        if (guarantee.hasSources()) {
            SourcesFile.write(run, witness, fingerprint.content(), stop);
        }
        if (witness.countedTransactions() > mostRows) {
            RankWriter writer = new RankWriter(run, guarantee, mostRows);
            Rows rows = new Rows(witness, stop);
            long[] row = new long[columns(guarantee).size()];
            while (rows.next(row)) {
                writer.row(row[0], row[1], row[2], row[row.length - 1]);
            }
            return write(
                    run, RankHeader.of(witness, fingerprint, tool, writer.end().parts()), () -> NO_ROWS);
        }
        return write(run, RankHeader.of(witness, fingerprint, tool, List.of()), () -> new Rows(witness, stop));
    }

    /**
     * Writes the header of a certificate whose parts are written.
     *
     * @param ranges what the {@link RankWriter}s returned, ascending by (session, index)
     * @param beginning has the initial values; its transactions do not matter
     * @param input fingerprint of the bytes of the history
     * @param tool version of this program
     * @return the path within the run
     * @throws IllegalArgumentException if ranges do not ascend
     */
    public static String finish(
            Location run, Terms terms, List<RankRange> ranges, HistoryTable beginning, String input, String tool)
            throws IOException {
        ContentTree content = new ContentTree();
        List<RankPart> parts = new ArrayList<>();
        long rows = 0;
        for (RankRange range : ranges) {
            content.append(range.content());
            for (RankPart part : range.parts()) {
                if (!parts.isEmpty() && !parts.get(parts.size() - 1).begins(part.session(), part.index())) {
                    throw new IllegalArgumentException("the part " + part + " does not come after the one before it");
                }
                parts.add(part);
                rows += part.rows();
            }
        }
        RankHeader header = new RankHeader(
                RankHeader.VERSION,
                terms,
                beginning.values().label(beginning.initialValue()),
                content.transactions(),
                rows,
                0,
                new Fingerprint(input, Fingerprint.ofContent(beginning, content)),
                tool,
                parts);
        return write(run, header, () -> NO_ROWS);
    }

    private static String write(Location run, RankHeader header, Supplier<NumberTable.Source> rows) throws IOException {
        Location file = in(run);
        file.write(out -> NumberTable.write(
                out, NAME, header.json(), columns(header.terms().guarantee()), rows.get()));
        compare(file, NAME, header.json(), rows.get());
        return FOLDER + "/" + FILE;
    }

    /** Compares a file with the text and the rows that were written. @throws IOException if it differs */
    static void compare(Location file, String name, String text, NumberTable.Source rows) throws IOException {
        Comparison comparison = new Comparison(text, rows);
        try {
            // The source of many expected rows stops it.
            NumberTable.read(file, name, () -> false, comparison);
        } catch (HistoryException e) {
            throw new IOException("the certificate cannot be read back: " + e.getMessage(), e);
        }
        if (!comparison.isSame()) {
            throw new IOException(
                    file.name() + ": found other ranks than were written; expected the same; check the storage");
        }
    }

    static List<String> columns(Guarantee guarantee) {
        return guarantee.events() == 1
                ? List.of("session", "index", "commit")
                : List.of("session", "index", "snapshot", "commit");
    }

    /**
     * A certificate read for a history.
     *
     * @param mismatch a sentence about the first row that does not fit the history, or null
     * @param counted with {@code position} and {@code sources} the order; complete if there is no mismatch
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Content(
            RankHeader header,
            @Nullable String mismatch,
            boolean[] counted,
            int[] position,
            @Nullable ReadSources sources) {
        public Witness witness(HistoryTable table) {
            return new Witness(table, header.terms(), counted, position, sources);
        }
    }

    /**
     * Reads the certificate of a run for a history.
     *
     * @throws HistoryException if there is none, or a file of it is missing, damaged or another one
     */
    public static Content read(Location run, HistoryTable table, BooleanSupplier stop)
            throws IOException, HistoryException {
        TableRanks ranks = new TableRanks(table);
        Content order = ranks.content(RankReader.all(run, stop, ranks));
        if (order.mismatch() != null) {
            return order;
        }
        return new Content(
                order.header, null, order.counted, order.position, SourcesFile.read(run, order, table, stop));
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
            if (t % POLL == 0) {
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
        private final NumberTable.Source rows;
        private boolean same = true;
        private long[] expected = new long[0];

        Comparison(String text, NumberTable.Source rows) {
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
}
