package org.polygraph.storage.format.parquet;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.artifact.SeekableInput;
import org.polygraph.storage.format.io.ReadContext;
import org.polygraph.storage.format.jsonl.HistoryHeader;
import org.polygraph.storage.format.jsonl.Json;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTableBuilder;

/**
 * Reads the archive format, and files of other tools that use its column names: integer columns of 32 or 64 bits,
 * {@code key} and {@code value} as integers or strings, lists in two or three levels, pages uncompressed or compressed
 * by zstd, snappy or gzip. Columns of other names are not read. Values go from the pages to the builder, and no object
 * is created for a row.
 */
public final class ParquetHistoryReader {
    /** The memory for a byte of a column of strings, about. */
    private static final int BYTES_PER_STRING_BYTE = 2;

    private final ReadContext context;
    private final HistoryTableBuilder builder;
    private @Nullable HistoryHeader header;

    public ParquetHistoryReader(ReadContext context, HistoryTableBuilder builder) {
        this.context = context;
        this.builder = builder;
    }

    /** Reads one file. Each further file adds rows to the same history. */
    public void read(Location file) throws IOException, HistoryException {
        read(file, 0, Long.MAX_VALUE);
    }

    /** Reads the header, and the row groups from one number to another. */
    public void read(Location file, long fromGroup, long toGroup) throws IOException, HistoryException {
        read(file, fromGroup, toGroup, true);
    }

    /**
     * Reads the header, and the transactions of row groups without the columns of their operations. A file that may have lists or
     * conditions is read with them.
     */
    public void readTransactions(Location file, long fromGroup, long toGroup) throws IOException, HistoryException {
        read(file, fromGroup, toGroup, false);
    }

    private void read(Location file, long fromGroup, long toGroup, boolean withOperations)
            throws IOException, HistoryException {
        String name = file.name();
        long length = file.length();
        if (length < 0) {
            throw new HistoryException(
                    name, "Parquet from a pipe", "a file", "save it first: Parquet is read from its end");
        }
        SeekableInput in = file.open();
        try (in) {
            ParquetFooter footer = ParquetFooter.of(in, length);
            String text = footer.metadata().get(ParquetFiles.HEADER);
            if (text != null) {
                byte[] json = text.getBytes(StandardCharsets.UTF_8);
                HistoryHeader own = HistoryHeader.parse(new Json.Place(name + ": header", 0), json, builder.values());
                own.apply(builder, header);
                header = own;
            }
            ParquetSchema schema = ParquetSchema.of(name, footer.fields());
            boolean hasOperations = withOperations || schema.hasFields();
            if (hasOperations) {
                expect(footer.groups(), fromGroup, toGroup, length);
            }
            rows(in, footer, schema, name, fromGroup, toGroup, hasOperations);
        } catch (ParquetRows.Refused e) {
            throw e.reason();
        } catch (BudgetException e) {
            throw e;
        } catch (RuntimeException | IOException e) {
            throw ParquetFailure.damaged(name, e, e);
        }
    }

    /**
     * The size of a history, from the footers of its files.
     *
     * @param sessions the range of their numbers
     * @param keys an upper bound
     * @param stringBytes the memory of keys and values that are strings, by the bytes of their columns
     */
    public record Size(
            long transactions, long operations, long sessions, long keys, long stringBytes, boolean isTimed) {}

    /** Reads the footers. */
    public static Size size(List<Location> files) throws IOException, HistoryException {
        long transactions = 0;
        long operations = 0;
        long stringBytes = 0;
        boolean timed = false;
        Range sessions = new Range();
        Range keys = new Range();
        for (Location file : files) {
            SeekableInput in = file.open();
            try (in) {
                ParquetFooter footer = ParquetFooter.of(in, file.length());
                ParquetSchema.of(file.name(), footer.fields());
                for (ParquetFooter.Group group : footer.groups()) {
                    transactions += group.rows();
                    for (ParquetFooter.Chunk column : group.chunks()) {
                        boolean isString = column.name().endsWith("_string");
                        stringBytes += isString ? BYTES_PER_STRING_BYTE * column.plainBytes() : 0;
                        switch (column.name()) {
                            case "op" -> operations += column.values();
                            case "session" -> sessions.add(column);
                            case "key", "key_string" -> keys.add(column);
                            case "start" -> timed |= column.nulls() != column.values();
                            default -> {}
                        }
                    }
                }
            } catch (RuntimeException | IOException e) {
                throw ParquetFailure.damaged(file.name(), e, e);
            }
        }
        return new Size(
                transactions, operations, sessions.width(transactions), keys.width(operations), stringBytes, timed);
    }

    /** The range of an integer column, by the statistics of its chunks. */
    private static final class Range {
        private long least = Long.MAX_VALUE;
        private long most = Long.MIN_VALUE;
        private boolean unknown;

        void add(ParquetFooter.Chunk column) {
            Long first = column.least();
            Long last = column.most();
            if (first != null && last != null) {
                least = Math.min(least, first);
                most = Math.max(most, last);
            } else {
                unknown |= column.nulls() != column.values();
            }
        }

        /** Returns how many integers the range has, or {@code all} if a statistic is missing. */
        long width(long all) {
            long width = most - least + 1;
            return unknown || width <= 0 ? all : Math.min(all, width);
        }
    }

    private void rows(
            SeekableInput in,
            ParquetFooter footer,
            ParquetSchema schema,
            String name,
            long from,
            long to,
            boolean withOperations)
            throws IOException {
        List<ParquetFooter.Group> groups = footer.groups();
        long before = 0;
        for (int g = 0; g < from; g++) {
            before += groups.get(g).rows();
        }
        ParquetRows rows = new ParquetRows(schema, name, before, context, builder);
        for (int g = (int) from; g < Math.min(to, groups.size()); g++) {
            try {
                if (withOperations) {
                    rows.read(in, groups.get(g));
                } else {
                    rows.readTransactions(in, groups.get(g));
                }
            } catch (BudgetException | ParquetRows.Refused e) {
                throw e;
            } catch (RuntimeException | IOException e) {
                throw ParquetColumn.DamagedException.of("row group " + g, e);
            }
        }
    }

    /**
     * Makes the arrays of the builder large enough for the counts of the footer, if the file has at least one byte for
     * each operation.
     */
    private void expect(List<ParquetFooter.Group> groups, long from, long to, long bytes) {
        long transactions = 0;
        long operations = 0;
        for (int g = (int) from; g < Math.min(to, groups.size()); g++) {
            transactions += groups.get(g).rows();
            for (ParquetFooter.Chunk column : groups.get(g).chunks()) {
                operations += column.name().equals("op") ? column.values() : 0;
            }
        }
        if (transactions >= 0 && transactions <= operations && operations <= bytes) {
            builder.expect(
                    (int) Math.min(transactions, Integer.MAX_VALUE), (int) Math.min(operations, Integer.MAX_VALUE));
        }
    }

    /** Returns the number of row groups of a file. */
    public static int groups(Location file) throws IOException {
        try (SeekableInput in = file.open()) {
            return ParquetFooter.of(in, file.length()).groups().size();
        }
    }
}
