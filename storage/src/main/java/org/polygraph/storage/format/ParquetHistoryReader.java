package org.polygraph.storage.format;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.parquet.ParquetReadOptions;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.column.statistics.Statistics;
import org.apache.parquet.conf.PlainParquetConfiguration;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.hadoop.metadata.FileMetaData;
import org.apache.parquet.schema.GroupType;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.Type;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.columnar.HistoryTableBuilder;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.HistoryException;

/**
 * Reads the archive format, and what other tools write with its column names: integer columns of 32 or 64 bits, {@code key}
 * and {@code value} as integers or strings, lists in two or three levels, pages plain or by zstd, snappy or gzip. Columns
 * of other names are not read. Values go from the pages to the builder; no object is made for a row.
 */
final class ParquetHistoryReader {
    private static final Set<String> COLUMNS = Set.of("session", "index", "start", "end", "status", "ops");
    private static final Set<String> FIELDS = Set.of("op", "key", "key_string", "value", "value_string");
    private static final long SLACK = 1 << 20;
    private static final String REMEDY = "see the README for the columns";

    private final ReadContext context;
    private final HistoryTableBuilder builder;
    private @Nullable HistoryHeader header;

    ParquetHistoryReader(ReadContext context, HistoryTableBuilder builder) {
        this.context = context;
        this.builder = builder;
    }

    /** Reads one file; further ones are further parts of the same history. */
    void read(Location file) throws IOException, HistoryException {
        read(file, 0, Long.MAX_VALUE);
    }

    /** Reads the row groups from one number to another, and the header. */
    void read(Location file, long fromGroup, long toGroup) throws IOException, HistoryException {
        String name = file.name();
        long length = file.length();
        if (length < 0) {
            throw new HistoryException(
                    name, "Parquet from a pipe", "a file", "save it first: Parquet is read from its end");
        }
        try (ParquetFileReader reader = open(file, length)) {
            FileMetaData metadata = reader.getFileMetaData();
            String text = metadata.getKeyValueMetaData().get(ParquetFiles.HEADER);
            if (text != null) {
                HistoryHeader own = HistoryHeader.parse(
                        new Json.Place(name + ": header", 0), text.getBytes(StandardCharsets.UTF_8), builder.values());
                own.apply(builder, header);
                header = own;
            }
            MessageType schema = requested(name, metadata.getSchema());
            reader.setRequestedSchema(schema);
            rows(reader, schema, metadata, name, fromGroup, toGroup);
        } catch (ParquetRows.Refused e) {
            throw e.reason();
        } catch (BudgetException e) {
            throw e;
        } catch (RuntimeException | IOException e) {
            throw damaged(name, e);
        }
    }

    private static ParquetFileReader open(Location file, long length) throws IOException {
        ParquetReadOptions options = new ParquetReadOptions.Builder(new PlainParquetConfiguration())
                .withCodecFactory(new ParquetCodecs())
                .withAllocator(new ParquetFiles.BoundedAllocator(length + SLACK))
                .withUseHadoopVectoredIo(false)
                .usePageChecksumVerification()
                .build();
        return new ParquetFileReader(ParquetFiles.input(file), options);
    }

    /** What the footers say. */
    static HistorySize size(List<Location> files, long bytes) throws IOException, HistoryException {
        long transactions = 0;
        long operations = 0;
        boolean timed = false;
        Range sessions = new Range();
        Range keys = new Range();
        for (Location file : files) {
            try (ParquetFileReader reader = open(file, file.length())) {
                requested(file.name(), reader.getFileMetaData().getSchema());
                for (BlockMetaData group : reader.getRowGroups()) {
                    transactions += group.getRowCount();
                    for (ColumnChunkMetaData column : group.getColumns()) {
                        String[] path = column.getPath().toArray();
                        switch (path[path.length - 1]) {
                            case "op" -> operations += column.getValueCount();
                            case "session" -> sessions.add(column);
                            case "key", "key_string" -> keys.add(column);
                            case "start" ->
                                timed |= column.getStatistics() == null
                                        || column.getStatistics().hasNonNullValue();
                            default -> {}
                        }
                    }
                }
            } catch (RuntimeException | IOException e) {
                throw damaged(file.name(), e);
            }
        }
        return new HistorySize(
                HistorySize.Source.METADATA,
                HistoryFormat.PARQUET,
                bytes,
                transactions,
                operations,
                operations - operations / 2,
                sessions.width(transactions),
                keys.width(operations),
                timed);
    }

    /** The range of an integer column, by the statistics of its chunks. */
    private static final class Range {
        private long least = Long.MAX_VALUE;
        private long most = Long.MIN_VALUE;
        private boolean unknown;

        void add(ColumnChunkMetaData column) {
            Statistics<?> statistics = column.getStatistics();
            if (statistics == null || statistics.isEmpty()) {
                unknown = true;
            } else if (statistics.hasNonNullValue()) {
                if (statistics.genericGetMin() instanceof Number min
                        && statistics.genericGetMax() instanceof Number max) {
                    least = Math.min(least, min.longValue());
                    most = Math.max(most, max.longValue());
                } else {
                    unknown = true;
                }
            }
        }

        /** How many integers it has, or all where nobody knows. */
        long width(long all) {
            long width = most - least + 1;
            return unknown || width <= 0 ? all : Math.min(all, width);
        }
    }

    private void rows(
            ParquetFileReader reader, MessageType schema, FileMetaData metadata, String name, long from, long to)
            throws IOException {
        long before = 0;
        for (int g = 0; g < from; g++) {
            before += reader.getRowGroups().get(g).getRowCount();
            reader.skipNextRowGroup();
        }
        ParquetRows rows = new ParquetRows(schema, metadata.getCreatedBy(), name, before, context, builder);
        long g = from;
        for (PageReadStore group; g < to && (group = reader.readNextRowGroup()) != null; g++) {
            rows.read(group);
        }
    }

    /** How many row groups a file has. */
    static int groups(Location file) throws IOException {
        try (ParquetFileReader reader = open(file, file.length())) {
            return reader.getRowGroups().size();
        }
    }

    private static HistoryException damaged(String name, Exception e) {
        Throwable cause = e;
        while (cause.getCause() != null && cause.getCause() != cause) {
            cause = cause.getCause();
        }
        String why = cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
        HistoryException damaged = new HistoryException(
                name,
                // Objects of Thrift show where they are in memory, which differs from run to run.
                "Parquet that cannot be read: " + Shown.message(why.replaceAll("@[0-9a-f]{5,8}\\b", "")),
                "a whole Parquet file",
                "the file is damaged or was not closed: write it again");
        damaged.initCause(e);
        return damaged;
    }

    /** The columns we read, checked. */
    private static MessageType requested(String name, MessageType file) throws HistoryException {
        List<Type> columns = new ArrayList<>();
        for (Type column : file.getFields()) {
            if (COLUMNS.contains(column.getName())) {
                columns.add(column.getName().equals("ops") ? operations(name, column) : column(name, column));
            }
        }
        for (String required : List.of("session", "index", "status", "ops")) {
            require(name, new MessageType("found", columns), required, "the column");
        }
        return new MessageType(file.getName(), columns);
    }

    private static void require(String name, GroupType group, String field, String what) throws HistoryException {
        if (!group.containsField(field)) {
            throw new HistoryException(
                    name,
                    "Parquet without " + what + " \"" + field + "\"",
                    "session, index, status and ops, a list of structs of op, key and value",
                    REMEDY);
        }
    }

    private static Type column(String name, Type type) throws HistoryException {
        boolean text = type.getName().equals("status");
        if (type.isRepetition(Type.Repetition.REPEATED)
                || !(text ? ParquetFiles.isText(type) : ParquetFiles.isInteger(type))) {
            throw wrongType(name, type, text ? "a string" : "an integer");
        }
        return type;
    }

    private static HistoryException wrongType(String name, Type type, String expected) {
        return new HistoryException(
                name,
                "the column \"" + Shown.text(type.getName()) + "\" of type "
                        + Shown.message(type.toString().strip()),
                expected,
                REMEDY);
    }

    /** The list of operations with only the fields we read; each level may be named as its writer liked. */
    private static Type operations(String name, Type type) throws HistoryException {
        if (type.isPrimitive()) {
            throw wrongType(name, type, "a list of structs");
        }
        GroupType group = type.asGroupType();
        if (!group.containsField("op")) {
            if (group.getFieldCount() != 1 || group.getType(0).isPrimitive()) {
                throw wrongType(name, type, "a list of structs of op, key and value");
            }
            return group.withNewFields(operations(name, group.getType(0)));
        }
        List<Type> fields = new ArrayList<>();
        for (Type field : group.getFields()) {
            if (FIELDS.contains(field.getName())) {
                boolean textOnly =
                        field.getName().equals("op") || field.getName().endsWith("_string");
                if (field.isRepetition(Type.Repetition.REPEATED)
                        || !(ParquetFiles.isText(field) || (!textOnly && ParquetFiles.isInteger(field)))) {
                    throw wrongType(name, field, textOnly ? "a string" : "an integer or a string");
                }
                fields.add(field);
            }
        }
        GroupType read = group.withNewFields(fields);
        if (!read.containsField("key_string")) {
            require(name, read, "key", "the field");
        }
        if (!read.containsField("value_string")) {
            require(name, read, "value", "the field");
        }
        return read;
    }
}
