package org.polygraph.storage.format.parquet;

import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.apache.parquet.ParquetRuntimeException;
import org.apache.parquet.column.ParquetProperties;
import org.apache.parquet.format.Type;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Types;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.artifact.SeekableInput;
import org.polygraph.storage.format.io.Shown;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.StoppedException;

/**
 * Reads and writes a flat table of 64-bit integers as a Parquet file, with one text in its metadata. Columns are
 * required, delta encoded and compressed by zstd, so a value of a slowly ascending column takes about one byte. Pages
 * carry checksums, which are verified.
 *
 * <p>Memory: row groups of {@value #ROW_GROUP_BYTES} bytes while writing; one group, at most the file, while reading.
 */
public final class NumberTable {
    private static final long ROW_GROUP_BYTES = 16L << 20;
    /** A multiple of {@link ParquetColumn#BLOCK}. */
    private static final int POLL = 1 << 14;

    private static final ParquetValues.Meaning NO_TEXT = text -> {
        throw new IllegalArgumentException("a column of integers with " + text);
    };

    /** Provides the rows to write. */
    @FunctionalInterface
    public interface Source {
        /**
         * Fills in the next row.
         *
         * @return false if there is none
         */
        boolean next(long[] row);
    }

    /** Receives the rows that are read. */
    public interface Sink {
        /**
         * Is called first. @param rows the number of rows as the file states it; it may be wrong, so do not allocate by
         * it
         */
        void header(String text, List<String> columns, long rows) throws HistoryException;

        /** Receives a row. The array is used again for the next row. */
        void row(long[] row) throws HistoryException;
    }

    private NumberTable() {}

    /**
     * Writes and flushes; does not close the stream.
     *
     * @param name the name of the schema, and of the text in the metadata
     */
    public static void write(OutputStream out, String name, String text, List<String> columns, Source source)
            throws IOException {
        Types.MessageTypeBuilder schema = Types.buildMessage();
        for (String column : columns) {
            schema.required(PrimitiveTypeName.INT64).named(column);
        }
        Rows rows = new Rows(schema.named(name), Map.of(name, text));
        try (ParquetWriter<long[]> writer = rows.to(out)
                .withWriterVersion(ParquetProperties.WriterVersion.PARQUET_2_0)
                .withDictionaryEncoding(false)
                .withStatisticsEnabled(false)
                .withRowGroupSize(ROW_GROUP_BYTES)
                .build()) {
            long[] row = new long[columns.size()];
            while (source.next(row)) {
                writer.write(row);
            }
        } catch (ParquetRuntimeException e) {
            throw ParquetFailure.of(e);
        }
    }

    /**
     * Returns the number of rows of a file, which its footer states; -1 if the file is Parquet of another kind.
     *
     * @param name the name that such a table is written with
     */
    public static long rows(Location file, String name) throws IOException, HistoryException {
        SeekableInput in = open(file);
        try (in) {
            ParquetFooter footer = ParquetFooter.of(in, file.length());
            return footer.metadata().containsKey(name) ? rows(footer) : -1;
        } catch (RuntimeException | IOException e) {
            throw damaged(file.name(), e);
        }
    }

    private static long rows(ParquetFooter footer) {
        long rows = 0;
        for (ParquetFooter.Group group : footer.groups()) {
            rows = Math.addExact(rows, group.rows());
        }
        return rows;
    }

    private static SeekableInput open(Location file) throws IOException, HistoryException {
        if (file.length() < 0) {
            throw new HistoryException(file.name(), "a pipe", "a file", "give the file itself");
        }
        return file.open();
    }

    /**
     * Reads a file, which may be damaged or hostile.
     *
     * @param name the name that it was written with
     * @param stop asked every few thousand rows, because a small file may state a billion of them
     * @throws HistoryException if the file is not such a table, or from the sink
     */
    public static void read(Location file, String name, BooleanSupplier stop, Sink sink)
            throws IOException, HistoryException {
        SeekableInput in = open(file);
        try (in) {
            ParquetFooter footer = ParquetFooter.of(in, file.length());
            String text = footer.metadata().get(name);
            if (text == null) {
                throw new HistoryException(
                        file.name(),
                        "Parquet without the metadata entry \"" + name + "\"",
                        "a file of that kind",
                        "it is another file, or of another program");
            }
            List<String> names = names(file.name(), footer.fields());
            sink.header(text, names, rows(footer));
            ParquetColumn[] columns = new ParquetColumn[names.size()];
            for (int c = 0; c < columns.length; c++) {
                Type type = Objects.requireNonNull(footer.fields().get(c).type());
                columns[c] = new ParquetColumn(List.of(names.get(c)), type, 0, 0, NO_TEXT, false);
            }
            for (ParquetFooter.Group group : footer.groups()) {
                rows(in, group, columns, stop, sink);
            }
        } catch (BudgetException e) {
            throw e;
        } catch (RuntimeException | IOException e) {
            throw damaged(file.name(), e);
        } catch (OutOfMemoryError e) {
            // A page announces the number of its values, for which memory is allocated.
            throw damaged(file.name(), e);
        }
    }

    private static List<String> names(String file, List<ParquetField> columns) throws HistoryException {
        List<String> names = new ArrayList<>();
        for (ParquetField column : columns) {
            if (!column.isInteger() || !column.isRequired()) {
                throw new HistoryException(
                        file,
                        "the column \"" + Shown.text(column.name()) + "\" of type " + Shown.message(column.toString()),
                        "required integers",
                        "it is another file, or of another program");
            }
            names.add(column.name());
        }
        return names;
    }

    private static void rows(
            SeekableInput in, ParquetFooter.Group group, ParquetColumn[] columns, BooleanSupplier stop, Sink sink)
            throws IOException, HistoryException {
        for (ParquetColumn column : columns) {
            column.open(in, group);
        }
        long[][] numbers = new long[columns.length][];
        int[] at = new int[columns.length];
        long[] row = new long[columns.length];
        for (long left = group.rows(); left > 0; ) {
            int n = (int) Math.min(left, Integer.MAX_VALUE);
            for (ParquetColumn column : columns) {
                n = Math.min(n, column.available());
            }
            if (n == 0 || columns.length == 0) {
                throw new IOException("a column with fewer values than the " + group.rows() + " rows of its group");
            }
            for (int c = 0; c < columns.length; c++) {
                numbers[c] = columns[c].numbers();
                at[c] = columns[c].position();
            }
            for (int from = 0; from < n; from += ParquetColumn.BLOCK) {
                if (from % POLL == 0) {
                    StoppedException.check(stop);
                }
                rows(numbers, at, from, Math.min(n, from + ParquetColumn.BLOCK), row, sink);
            }
            for (ParquetColumn column : columns) {
                column.advance(n);
            }
            left -= n;
        }
        for (ParquetColumn column : columns) {
            if (column.available() > 0) {
                throw new IOException("a column with more values than the " + group.rows() + " rows of its group");
            }
        }
    }

    private static void rows(long[][] numbers, int[] at, int from, int to, long[] row, Sink sink)
            throws HistoryException {
        for (int i = from; i < to; i++) {
            for (int c = 0; c < row.length; c++) {
                row[c] = numbers[c][at[c] + i];
            }
            sink.row(row);
        }
    }

    private static HistoryException damaged(String name, Throwable e) {
        Throwable cause = e;
        while (cause.getCause() != null && cause.getCause() != cause) {
            cause = cause.getCause();
        }
        return ParquetFailure.damaged(name, e, cause);
    }

    private static final class Rows extends WrittenRows<long[]> {
        private final String[] columns;

        Rows(MessageType schema, Map<String, String> metadata) {
            super(schema, metadata);
            columns = new String[schema.getFieldCount()];
            for (int c = 0; c < columns.length; c++) {
                columns[c] = schema.getFieldName(c);
            }
        }

        @Override
        public void write(long[] row) {
            out.startMessage();
            for (int c = 0; c < columns.length; c++) {
                out.startField(columns[c], c);
                out.addLong(row[c]);
                out.endField(columns[c], c);
            }
            out.endMessage();
        }
    }
}
