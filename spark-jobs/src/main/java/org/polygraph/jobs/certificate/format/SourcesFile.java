package org.polygraph.jobs.certificate.format;

import java.io.IOException;
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
 * {@code certificate/sources.parquet}: the {@link ReadSources} of an order of RC, RA or CC, if it has some. One row for
 * each source, ascending by (session, index, statement): {@code session, index, statement, source}. The source is the
 * place of a transaction in the order, or -1 for the initial values. The metadata has the content hash of the history,
 * and the header of the certificate has the number of rows.
 */
final class SourcesFile {
    private static final String FILE = "sources.parquet";
    private static final String NAME = "certificate-sources";
    private static final List<String> COLUMNS = List.of("session", "index", "statement", "source");
    private static final int NONE = -1;
    private static final int POLL = 1 << 14;

    private SourcesFile() {}

    private static Location in(Location run) {
        return run.child(RankFile.FOLDER).child(FILE);
    }

    /** Writes the sources of an order, and reads them back; deletes the file if there are none. */
    static void write(Location run, Witness witness, String content, BooleanSupplier stop) throws IOException {
        ReadSources sources = witness.sources();
        Location file = in(run);
        if (sources == null) {
            file.delete();
            return;
        }
        file.write(out -> NumberTable.write(out, NAME, content, COLUMNS, rows(witness, sources, stop)));
        RankFile.compare(file, NAME, content, rows(witness, sources, stop));
    }

    private static NumberTable.Source rows(Witness witness, ReadSources sources, BooleanSupplier stop) {
        HistoryTable table = witness.table();
        int[] at = {0, 0};
        return row -> {
            int i = at[0]++;
            if (i % POLL == 0) {
                StoppedException.check(stop);
            }
            if (i == sources.size()) {
                return false;
            }
            while (sources.starts()[at[1] + 1] <= i) {
                at[1]++;
            }
            int t = at[1];
            int writer = sources.writers()[i];
            row[0] = table.sessionLabel(table.sessionOf(t));
            row[1] = table.index(t);
            row[2] = sources.statements()[i];
            row[3] = writer == ReadSources.INITIAL ? ReadSources.INITIAL : witness.position()[writer];
            return true;
        };
    }

    /**
     * Reads the sources of a certificate.
     *
     * @param order without its sources
     * @return null if there are none
     * @throws HistoryException if the file is missing, malformed or of another certificate
     */
    static @Nullable ReadSources read(Location run, RankFile.Content order, HistoryTable table, BooleanSupplier stop)
            throws IOException, HistoryException {
        if (order.header().sources() == 0) {
            return null;
        }
        Location file = in(run);
        if (!file.exists()) {
            throw RankHeader.malformed(file.name(), "no file, where the header names sources of reads");
        }
        Rows rows = new Rows(file.name(), order, table);
        NumberTable.read(file, NAME, stop, rows);
        return rows.end();
    }

    private static final class Rows implements NumberTable.Sink {
        private final String file;
        private final RankHeader header;
        private final TransactionCursor cursor;
        private final int[] transactionAt;
        private final ReadSources.Builder sources;
        private long left;
        private int last = NONE;
        private long lastStatement;

        Rows(String file, RankFile.Content order, HistoryTable table) {
            this.file = file;
            header = order.header();
            left = header.sources();
            cursor = new TransactionCursor(table);
            sources = new ReadSources.Builder(table.transactions());
            transactionAt = new int[order.position().length];
            Arrays.fill(transactionAt, NONE);
            for (int t = 0; t < order.counted().length; t++) {
                if (order.counted()[t]) {
                    transactionAt[order.position()[t]] = t;
                }
            }
        }

        @Override
        public void header(String text, List<String> columns, long rows) throws HistoryException {
            if (!text.equals(header.fingerprint().content()) || !columns.equals(COLUMNS) || rows != left) {
                throw RankHeader.malformed(file, "sources of another certificate");
            }
        }

        @Override
        public void row(long[] row) throws HistoryException {
            int t = cursor.find(row[0], row[1]);
            if (t < 0 || (t == last && row[2] < lastStatement)) {
                throw RankHeader.malformed(
                        file,
                        Names.transaction(row[0], row[1])
                                + (t < 0
                                        ? ", which the history does not have or an earlier row has passed"
                                        : " with statements that do not ascend"));
            }
            boolean isPlace = row[3] >= 0 && row[3] < transactionAt.length && transactionAt[(int) row[3]] != NONE;
            if (row[2] < 0 || row[2] > Integer.MAX_VALUE || (!isPlace && row[3] != ReadSources.INITIAL)) {
                throw RankHeader.malformed(
                        file, "statement " + row[2] + " with source " + row[3] + ", which is no place of the order");
            }
            last = t;
            lastStatement = row[2];
            left--;
            sources.add(t, (int) row[2], isPlace ? transactionAt[(int) row[3]] : ReadSources.INITIAL);
        }

        ReadSources end() throws HistoryException {
            if (left != 0) {
                throw RankHeader.malformed(file, "fewer rows than the header declares");
            }
            return sources.build();
        }
    }
}
