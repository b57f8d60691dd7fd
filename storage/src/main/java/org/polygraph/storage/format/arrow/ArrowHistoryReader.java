package org.polygraph.storage.format.arrow;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.arrow.compression.CommonsCompressionFactory;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.OutOfMemoryException;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowStreamReader;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.format.io.ReadContext;
import org.polygraph.storage.format.jsonl.Json;
import org.polygraph.storage.format.jsonl.JsonlReader;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTableBuilder;

/**
 * Reads Arrow IPC, a file or a stream, whose columns have the names of the fields of JSON Lines. So a list of the objects
 * of JSON Lines is such a table, for example by pyarrow's {@code Table.from_pylist}.
 *
 * <p>Each row becomes the JSON of its transaction and is read by {@link JsonlReader}, so that both formats mean the same
 * and have the same errors. The file format begins with its name and is then a stream, so both are read in one pass.
 * Memory: a record batch, and the builder's.
 */
public final class ArrowHistoryReader {
    /** The first bytes of the file format, and two bytes that align what follows. */
    private static final byte[] MAGIC = "ARROW1\0\0".getBytes(StandardCharsets.US_ASCII);

    /** A file that states a size beyond this many times its own is damaged. */
    private static final int MOST_EXPANSION = 64;

    private static final List<String> COLUMNS = List.of("session", "index", "start", "end", "status", "ops");

    private final ReadContext context;
    private final HistoryTableBuilder builder;
    private long rows;

    public ArrowHistoryReader(ReadContext context, HistoryTableBuilder builder) {
        this.context = context;
        this.builder = builder;
    }

    private static boolean isFile(byte[] start) {
        for (int i = 0; i < MAGIC.length; i++) {
            if (i >= start.length || start[i] != MAGIC[i]) {
                return false;
            }
        }
        return true;
    }

    /** Reads a file. */
    public void read(String name, ReadContext.Opened opened) throws IOException, HistoryException {
        InputStream in = opened.content();
        if (isFile(opened.start())) {
            in.skipNBytes(MAGIC.length);
        }
        long limit = context.memoryBytes();
        // The library does not free all buffers of a damaged file. Closing the allocator would then report a leak.
        BufferAllocator allocator = new RootAllocator(limit);
        try {
            try (ArrowStreamReader reader = new ArrowStreamReader(in, allocator, CommonsCompressionFactory.INSTANCE)) {
                batches(name, reader);
            }
            allocator.close();
        } catch (BudgetException e) {
            throw e;
        } catch (RuntimeException | IOException | OutOfMemoryError e) {
            if (e instanceof OutOfMemoryException && opened.size() > limit / MOST_EXPANSION) {
                throw new BudgetException(name + ": a record batch does not fit the memory of " + limit
                        + " bytes; write smaller batches, or give more --memory");
            }
            throw new HistoryException(
                    name,
                    "Arrow that cannot be read after " + rows + " rows",
                    "a whole Arrow IPC file or stream",
                    "write it again");
        }
    }

    private void batches(String name, ArrowStreamReader reader) throws IOException, HistoryException {
        VectorSchemaRoot root = reader.getVectorSchemaRoot();
        JsonlReader transactions = new JsonlReader(builder);
        @Nullable String header = root.getSchema().getCustomMetadata().get(ArrowHistoryWriter.HEADER);
        if (header != null) {
            transactions.header(name + ": header", header.getBytes(StandardCharsets.UTF_8));
        }
        JsonOfVectors values = new JsonOfVectors(reader.getDictionaryVectors());
        Row row = new Row();
        while (reader.loadNextBatch()) {
            context.check(name);
            long before = rows;
            for (int i = 0; i < root.getRowCount(); i++) {
                row.reset();
                try (JsonGenerator json = Json.FACTORY.createGenerator(row)) {
                    json.writeStartObject();
                    for (String column : COLUMNS) {
                        FieldVector vector = root.getVector(column);
                        if (vector != null && !vector.isNull(i)) {
                            json.writeFieldName(column);
                            if (column.equals("ops")) {
                                values.operations(json, vector, i);
                            } else {
                                values.write(json, vector, i);
                            }
                        }
                    }
                    json.writeEndObject();
                } catch (JsonOfVectors.Unknown e) {
                    throw e.at(name, before + i);
                }
                transactions.readRow(name, before + i, row.content());
            }
            rows += root.getRowCount();
        }
    }

    /** The JSON of a row. */
    private static final class Row extends ByteArrayOutputStream {
        InputStream content() {
            return new ByteArrayInputStream(buf, 0, count);
        }
    }
}
