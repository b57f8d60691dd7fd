package org.polygraph.storage.format;

import it.unimi.dsi.fastutil.ints.IntOpenHashSet;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.artifact.SeekableInput;
import org.polygraph.storage.format.io.Compression;
import org.polygraph.storage.format.jsonl.JsonlReader;
import org.polygraph.storage.format.parquet.ParquetHistoryReader;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;

/**
 * The size of a history, estimated without reading all of it if possible.
 *
 * @param format of the files; for standard input the one that was asked for; AUTO for a table
 * @param bytes of the files, or -1 for standard input and for a table
 * @param whole the levels at which a check has to read the whole history, as far as they are known
 */
public record HistorySize(Source source, HistoryFormat format, long bytes, Counts counts, boolean timed, Whole whole) {
    /** The most of anything that is counted. The footers of files may state more, and products of it would overflow. */
    public static final long MOST = 1L << 40;

    /**
     * Operations and keys include those that express lists and predicates.
     *
     * @param writes about half of the operations if the source is METADATA
     * @param sessions from METADATA and SAMPLE the range of their numbers
     * @param keys from METADATA an upper bound, from SAMPLE an estimate
     * @param stringBytes the memory of keys and values that are strings, about
     */
    public record Counts(long transactions, long operations, long writes, long sessions, long keys, long stringBytes) {
        /** Counts of a history whose keys and values are integers. */
        public Counts(long transactions, long operations, long writes, long sessions, long keys) {
            this(transactions, operations, writes, sessions, keys, 0);
        }

        public Counts {
            transactions = Math.min(transactions, MOST);
            operations = Math.min(operations, MOST);
            writes = Math.min(writes, MOST);
            sessions = Math.min(sessions, MOST);
            keys = Math.min(keys, MOST);
            stringBytes = Math.min(stringBytes, MOST);
        }

        private Counts plus(Counts other) {
            return new Counts(
                    transactions + other.transactions,
                    operations + other.operations,
                    writes + other.writes,
                    sessions + other.sessions,
                    keys + other.keys,
                    stringBytes + other.stringBytes);
        }
    }

    /** The levels at which a check cannot use windows of files and has to read the whole history. */
    public enum Whole {
        NEVER,
        /** It has lists. Windows do not decide pc, cc, ra, rc and pl2, which are axioms, if there are lists. */
        AT_AXIOMS,
        /** It has inserts or deletes. Windows decide these at pc, cc, ra, rc and pl2 only. */
        AT_ORDERS,
        /** It has predicates, or both lists and inserts or deletes. */
        ALWAYS
    }

    /** How the numbers were obtained. */
    public enum Source {
        /** The whole history was read. */
        ALL,
        /** The footers of the Parquet files were read: transactions and operations are exact. */
        METADATA,
        /** {@value HistorySize#PLACES} places of plain JSON Lines were read. */
        SAMPLE
    }

    /** JSON Lines of fewer bytes are read as a whole. */
    static final long SAMPLED_FROM = 16L << 20;

    private static final int PLACES = 16;
    private static final int PLACE_BYTES = 1 << 18;

    /**
     * Measures a history. Parquet is measured by its footers and plain JSON Lines beyond 16 MiB by a sample. Everything
     * else (compressed files and other formats) is read.
     *
     * @throws HistoryException as {@link HistoryReader#read}
     */
    public static HistorySize of(String path, HistoryFormat format) throws HistoryException, IOException {
        Location location = Location.of(path);
        if (path.equals("-")) {
            return of(HistoryReader.read(path, format), format, -1);
        }
        HistoryFormat found = format == HistoryFormat.AUTO ? HistoryReader.detect(path) : format;
        List<Location> files = location.isFolder()
                ? found == HistoryFormat.COBRA
                        ? location.children()
                        : HistoryReader.parts(location, location.children())
                : List.of(location);
        long bytes = 0;
        for (Location file : files) {
            bytes += Math.max(0, file.length());
        }
        if (found == HistoryFormat.PARQUET) {
            ParquetHistoryReader.Size size = ParquetHistoryReader.size(files);
            return new HistorySize(
                    Source.METADATA,
                    HistoryFormat.PARQUET,
                    bytes,
                    new Counts(
                            size.transactions(),
                            size.operations(),
                            size.operations() - size.operations() / 2,
                            size.sessions(),
                            size.keys(),
                            size.stringBytes()),
                    size.isTimed(),
                    Whole.NEVER);
        }
        if (found == HistoryFormat.JSONL
                && bytes > SAMPLED_FROM
                && files.stream().noneMatch(HistorySize::compressed)) {
            HistorySize sampled = sample(files, bytes);
            if (sampled != null) {
                return sampled;
            }
        }
        return of(HistoryReader.read(path, format), found, bytes);
    }

    private static boolean compressed(Location file) {
        try (SeekableInput in = file.open()) {
            return !in.seekable() || Compression.of(in.readNBytes(Compression.PREFIX)) != Compression.NONE;
        } catch (IOException e) {
            // If it is read as a whole, the reader reports the error.
            return true;
        }
    }

    /** Measures a history that is in memory. One pass over its operations. */
    public static HistorySize of(HistoryTable table) {
        return of(table, HistoryFormat.AUTO, -1);
    }

    /**
     * Returns the size together with a history that comes before it. Sessions and keys are upper bounds: the sums of
     * both.
     */
    public HistorySize after(HistorySize earlier) {
        return new HistorySize(
                source.compareTo(earlier.source) < 0 ? earlier.source : source,
                format,
                bytes < 0 || earlier.bytes < 0 ? -1 : bytes + earlier.bytes,
                counts.plus(earlier.counts),
                timed && earlier.timed,
                whole.compareTo(earlier.whole) < 0 ? earlier.whole : whole);
    }

    private static HistorySize of(HistoryTable table, HistoryFormat format, long bytes) {
        return new HistorySize(
                Source.ALL,
                format,
                bytes,
                new Counts(
                        table.transactions(),
                        table.operations(),
                        table.writes(),
                        table.sessions(),
                        table.keys().size(),
                        table.keys().stringBytes() + table.values().stringBytes()),
                table.starts() != null,
                whole(table));
    }

    /**
     * Reads whole lines from places that are spread evenly over all files. Returns null if these lines are not a valid
     * history.
     */
    private static @Nullable HistorySize sample(List<Location> files, long bytes) throws IOException {
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        for (int place = 0; place < PLACES; place++) {
            long at = bytes / PLACES * place;
            for (Location file : files) {
                if (at < file.length()) {
                    append(file, at, lines);
                    break;
                }
                at -= file.length();
            }
        }
        HistoryTableBuilder builder = new HistoryTableBuilder();
        builder.file("sample");
        HistoryTable table;
        try {
            new JsonlReader(builder).read("sample", new ByteArrayInputStream(lines.toByteArray()));
            table = builder.build();
        } catch (HistoryException e) {
            // The reader of the whole history reports the error.
            return null;
        }
        if (table.transactions() == 0) {
            return null;
        }
        double factor = (double) bytes / lines.size();
        long operations = Math.round(table.operations() * factor);
        long sessions = table.sessionLabel(table.sessions() - 1) - table.sessionLabel(0) + 1;
        long transactions = Math.round(table.transactions() * factor);
        long keys = keys(table, operations);
        double strings = (double) keys / table.keys().size() * table.keys().stringBytes()
                + factor * table.values().stringBytes();
        return new HistorySize(
                Source.SAMPLE,
                HistoryFormat.JSONL,
                bytes,
                new Counts(
                        transactions,
                        operations,
                        Math.round(table.writes() * factor),
                        Math.max(1, Math.min(transactions, sessions <= 0 ? transactions : sessions)),
                        keys,
                        Math.round(strings)),
                table.starts() != null,
                whole(table));
    }

    private static Whole whole(HistoryTable table) {
        boolean hasLists = table.values().hasLists();
        if (table.values().hasPredicates() || table.unknownRows() != null || (hasLists && table.hasRows())) {
            return Whole.ALWAYS;
        }
        return hasLists ? Whole.AT_AXIOMS : table.hasRows() ? Whole.AT_ORDERS : Whole.NEVER;
    }

    /** Whether windows of files do not decide it. @param isAxiom whether the level is an axiom */
    public boolean isWhole(boolean isAxiom) {
        return whole == Whole.ALWAYS || whole == (isAxiom ? Whole.AT_AXIOMS : Whole.AT_ORDERS);
    }

    private static void append(Location file, long at, ByteArrayOutputStream lines) throws IOException {
        try (SeekableInput in = file.open()) {
            in.seek(at);
            byte[] read = in.readNBytes(PLACE_BYTES);
            int from = 0;
            if (at > 0) {
                while (from < read.length && read[from++] != '\n') {}
            }
            int to = read.length;
            while (to > from && read[to - 1] != '\n') {
                to--;
            }
            lines.write(read, from, to - from);
        }
    }

    /**
     * Estimates the number of keys K from d different keys in n operations, as if all keys were equally frequent: K (1
     * - e^(-n/K)) = d, by bisection. If keys are skewed there are more, but never more than the operations.
     */
    private static long keys(HistoryTable table, long operations) {
        int draws = table.operations();
        IntOpenHashSet seen = new IntOpenHashSet();
        for (int o = 0; o < table.operations(); o++) {
            seen.add(table.key(o));
        }
        double low = seen.size();
        double high = Math.max(low, operations);
        for (int i = 0; i < 60; i++) {
            double middle = (low + high) / 2;
            if (middle * -Math.expm1(-draws / middle) < seen.size()) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return Math.round(high);
    }
}
