package org.polygraph.jobs.certificate.format;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.format.parquet.NumberTable;
import org.polygraph.storage.model.HistoryException;

/**
 * Reads certificates, which are untrusted: every file has the columns of the guarantee and as many rows as the header
 * declares, rows ascend over all files, and a part has the bytes and the first row that the header declares.
 *
 * <p>Memory: a row group of a file. Each {@code stop} is asked while a file is read, which may be hostile.
 */
public final class RankReader {
    private RankReader() {}

    /** Receives rows, ascending by (session, index). */
    @FunctionalInterface
    public interface Sink {
        /** A counted transaction. @param snapshot equal to the commit if a transaction is one event */
        void row(long session, long index, long snapshot, long commit);
    }

    /** The header of a run's certificate. @throws HistoryException if there is none, or it is malformed */
    public static RankHeader header(Location run, BooleanSupplier stop) throws IOException, HistoryException {
        return file(run, stop, (session, index, snapshot, commit) -> {});
    }

    /** The number of files that have rows. {@link #part} reads one; they are numbered from 0. */
    public static int parts(RankHeader header) {
        return Math.max(1, header.parts().size());
    }

    /** Reads all rows. @throws HistoryException if a file is missing, malformed or another one */
    public static RankHeader all(Location run, BooleanSupplier stop, Sink sink) throws IOException, HistoryException {
        RankHeader header = file(run, stop, sink);
        for (int p = 0; p < header.parts().size(); p++) {
            part(run, header, p, stop, sink);
        }
        return header;
    }

    /**
     * Reads the rows of one part.
     *
     * @throws HistoryException if it is missing, malformed or another one
     */
    public static void part(Location run, RankHeader header, int number, BooleanSupplier stop, Sink sink)
            throws IOException, HistoryException {
        if (header.parts().isEmpty()) {
            file(run, stop, sink);
            return;
        }
        RankPart part = header.parts().get(number);
        Location file = run.child(RankFile.FOLDER).child(part.file());
        if (!part.file().equals(file.fileName())) {
            throw RankHeader.malformed(RankFile.in(run).name(), "a part with the name " + Names.line(part.file()));
        }
        if (!file.exists()) {
            throw RankHeader.malformed(file.name(), "no file, where the header names part " + number);
        }
        String sha256 = Fingerprint.ofInput(file, stop);
        if (!sha256.equals(part.sha256())) {
            throw RankHeader.malformed(
                    file.name(),
                    "other bytes than those of part " + number + ", sha256 " + sha256 + ", where the header has "
                            + Names.line(part.sha256()));
        }
        RankPart next = number + 1 < header.parts().size() ? header.parts().get(number + 1) : null;
        Rows rows = new Rows(file.name(), header, part, next, sink);
        NumberTable.read(file, RankWriter.NAME, stop, rows);
        rows.end();
    }

    private static RankHeader file(Location run, BooleanSupplier stop, Sink sink) throws IOException, HistoryException {
        Location file = RankFile.in(run);
        if (!file.exists()) {
            throw RankHeader.malformed(file.name(), "no certificate");
        }
        Rows rows = new Rows(file.name(), null, null, null, sink);
        NumberTable.read(file, RankFile.NAME, stop, rows);
        return rows.end();
    }

    private static final class Rows implements NumberTable.Sink {
        private final String file;
        private final @Nullable RankPart part;
        private final @Nullable RankPart next;
        private final Sink sink;
        private @Nullable RankHeader header;
        private long expected;
        private long rows;
        private long lastSession;
        private long lastIndex;

        /** @param header null for the file that contains the header */
        Rows(String file, @Nullable RankHeader header, @Nullable RankPart part, @Nullable RankPart next, Sink sink) {
            this.file = file;
            this.header = header;
            this.part = part;
            this.next = next;
            this.sink = sink;
        }

        @Override
        public void header(String text, List<String> columns, long rowCount) throws HistoryException {
            RankHeader of = header;
            if (of == null) {
                of = RankHeader.parse(file, text);
                header = of;
                long inParts = 0;
                for (RankPart each : of.parts()) {
                    inParts += each.rows();
                }
                if (!of.parts().isEmpty() && inParts != of.counted()) {
                    throw RankHeader.malformed(
                            file, "parts of " + inParts + " rows, but the header declares " + of.counted());
                }
                expected = of.parts().isEmpty() ? of.counted() : 0;
            } else if (part != null) {
                expected = part.rows();
            }
            List<String> known = RankFile.columns(of.terms().guarantee());
            if (!columns.equals(known)) {
                List<String> shown = new ArrayList<>();
                for (String column : columns.subList(0, Math.min(columns.size(), 8))) {
                    shown.add(Names.line(column));
                }
                throw RankHeader.malformed(
                        file,
                        "the columns " + String.join(", ", shown) + ", where those of "
                                + of.terms().guarantee().label() + " are " + String.join(", ", known));
            }
            if (rowCount != expected) {
                throw RankHeader.malformed(file, rowCount + " rows, but the header declares " + expected);
            }
        }

        @Override
        public void row(long[] row) throws HistoryException {
            if (rows == 0) {
                if (part != null && (row[0] != part.session() || row[1] != part.index())) {
                    throw RankHeader.malformed(
                            file,
                            "the first row " + Names.transaction(row[0], row[1]) + ", where the header has "
                                    + Names.transaction(part.session(), part.index()));
                }
            } else if (row[0] < lastSession || (row[0] == lastSession && row[1] <= lastIndex)) {
                throw RankHeader.malformed(
                        file,
                        Names.transaction(row[0], row[1]) + " after " + Names.transaction(lastSession, lastIndex)
                                + ": rows that do not ascend or that repeat");
            }
            rows++;
            lastSession = row[0];
            lastIndex = row[1];
            sink.row(row[0], row[1], row[2], row[row.length - 1]);
        }

        RankHeader end() throws HistoryException {
            RankHeader found = header;
            if (found == null || rows != expected) {
                throw RankHeader.malformed(file, rows + " rows, fewer than the header declares");
            }
            if (next != null
                    && (lastSession > next.session() || (lastSession == next.session() && lastIndex >= next.index()))) {
                throw RankHeader.malformed(
                        file,
                        Names.transaction(lastSession, lastIndex)
                                + ", which comes after the first row of the next part");
            }
            return found;
        }
    }
}
