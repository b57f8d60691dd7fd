package org.polygraph.storage.format.parquet;

import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.parquet.ParquetReadOptions;
import org.apache.parquet.ParquetRuntimeException;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.ColumnReader;
import org.apache.parquet.column.ParquetProperties;
import org.apache.parquet.column.impl.ColumnReadStoreImpl;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.conf.PlainParquetConfiguration;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.metadata.FileMetaData;
import org.apache.parquet.io.api.Converter;
import org.apache.parquet.io.api.GroupConverter;
import org.apache.parquet.io.api.PrimitiveConverter;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Type;
import org.apache.parquet.schema.Types;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.format.io.Shown;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.HistoryException;

/**
 * Reads and writes a flat table of 64-bit integers as a Parquet file, with one text in its metadata. Columns are
 * required, delta encoded and compressed by zstd, so a value of a slowly ascending column takes about one byte. Pages
 * carry checksums, which are verified.
 *
 * <p>Memory: row groups of {@value #ROW_GROUP_BYTES} bytes while writing; one group, at most the file, while reading.
 */
public final class NumberTable {
    private static final long ROW_GROUP_BYTES = 16L << 20;
    private static final long SLACK = 1 << 20;

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
     * Reads a file, which may be damaged or hostile.
     *
     * @param name the name that it was written with
     * @throws HistoryException if the file is not such a table, or from the sink
     */
    public static void read(Location file, String name, Sink sink) throws IOException, HistoryException {
        long length = file.length();
        if (length < 0) {
            throw new HistoryException(file.name(), "a pipe", "a file", "give the file itself");
        }
        ParquetReadOptions options = new ParquetReadOptions.Builder(new PlainParquetConfiguration())
                .withCodecFactory(new ParquetCodecs())
                .withAllocator(new ParquetFiles.BoundedAllocator(length + SLACK))
                .withUseHadoopVectoredIo(false)
                .usePageChecksumVerification()
                .build();
        // The file is opened once before Parquet opens it, so that a file that cannot be read is not reported as
        // damaged.
        file.open().close();
        try (ParquetFileReader reader = new ParquetFileReader(ParquetFiles.input(file), options)) {
            FileMetaData metadata = reader.getFileMetaData();
            String text = metadata.getKeyValueMetaData().get(name);
            if (text == null) {
                throw new HistoryException(
                        file.name(),
                        "Parquet without the metadata entry \"" + name + "\"",
                        "a file of that kind",
                        "it is another file, or of another program");
            }
            MessageType schema = metadata.getSchema();
            sink.header(text, names(file.name(), schema), reader.getRecordCount());
            rows(reader, schema, metadata.getCreatedBy(), sink);
        } catch (RuntimeException | IOException e) {
            if (e instanceof BudgetException) {
                throw e;
            }
            throw damaged(file.name(), e);
        } catch (OutOfMemoryError e) {
            // Parquet allocates the size that a page announces before it checks it.
            throw damaged(file.name(), e);
        }
    }

    private static List<String> names(String file, MessageType schema) throws HistoryException {
        List<String> names = new ArrayList<>();
        for (Type column : schema.getFields()) {
            if (!ParquetFiles.isInteger(column) || !column.isRepetition(Type.Repetition.REQUIRED)) {
                throw new HistoryException(
                        file,
                        "the column \"" + Shown.text(column.getName()) + "\" of type "
                                + Shown.message(column.toString().strip()),
                        "required integers",
                        "it is another file, or of another program");
            }
            names.add(column.getName());
        }
        return names;
    }

    private static void rows(ParquetFileReader reader, MessageType schema, String createdBy, Sink sink)
            throws IOException, HistoryException {
        List<ColumnDescriptor> columns = schema.getColumns();
        ColumnReader[] readers = new ColumnReader[columns.size()];
        boolean[] narrow = new boolean[readers.length];
        long[] row = new long[readers.length];
        for (PageReadStore group; (group = reader.readNextRowGroup()) != null; ) {
            ColumnReadStoreImpl store = new ColumnReadStoreImpl(group, new Ignored(), schema, createdBy);
            long count = group.getRowCount();
            for (int c = 0; c < readers.length; c++) {
                readers[c] = store.getColumnReader(columns.get(c));
                narrow[c] = columns.get(c).getPrimitiveType().getPrimitiveTypeName() == PrimitiveTypeName.INT32;
                if (readers[c].getTotalValueCount() != count) {
                    throw new IllegalArgumentException("a column of " + readers[c].getTotalValueCount()
                            + " values in a group of " + count + " rows");
                }
            }
            for (long i = 0; i < count; i++) {
                for (int c = 0; c < readers.length; c++) {
                    row[c] = narrow[c] ? readers[c].getInteger() : readers[c].getLong();
                    readers[c].consume();
                }
                sink.row(row);
            }
        }
    }

    private static HistoryException damaged(String name, Throwable e) {
        Throwable cause = e;
        while (cause.getCause() != null && cause.getCause() != cause) {
            cause = cause.getCause();
        }
        return ParquetFailure.damaged(name, e, cause);
    }

    /**
     * Parquet's column readers require a converter for the values. This one ignores them, because the values are asked
     * from the column readers.
     */
    private static final class Ignored extends GroupConverter {
        @Override
        public Converter getConverter(int field) {
            return new PrimitiveConverter() {};
        }

        @Override
        public void start() {}

        @Override
        public void end() {}
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
