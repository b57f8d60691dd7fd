package org.polygraph.jobs.record;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.MinimalPrettyPrinter;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.format.jsonl.JsonlReader;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;

/**
 * JSON Lines in a file, which contains only whole lines at any moment: each is written by one call. Without a file the
 * lines are kept in memory.
 */
final class HistoryLines implements Closeable {
    private static final String MEMORY = "memory";

    private final @Nullable FileChannel file;
    private final ByteArrayOutputStream memory = new ByteArrayOutputStream();
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private final JsonGenerator json;

    /** @param path null to keep the lines in memory */
    HistoryLines(@Nullable Path path, Map<String, ?> header) throws IOException {
        file = path == null
                ? null
                : FileChannel.open(
                        path,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.TRUNCATE_EXISTING,
                        StandardOpenOption.WRITE);
        json = new JsonFactory().createGenerator(line);
        json.setPrettyPrinter(new MinimalPrettyPrinter(""));
        Map<String, Object> fields = new LinkedHashMap<>(Map.of("format", "history"));
        fields.put("version", 1);
        fields.put("clock", "ns");
        fields.putAll(header);
        write(fields);
        writeLine();
    }

    boolean areInMemory() {
        return file == null;
    }

    /** The history of the lines in memory. */
    HistoryTable table() throws IOException, HistoryException {
        HistoryTableBuilder builder = new HistoryTableBuilder();
        builder.file(MEMORY);
        new JsonlReader(builder).read(MEMORY, new ByteArrayInputStream(memory.toByteArray()));
        return builder.build();
    }

    /** Fails if the file cannot be written. Makes missing folders above it, and leaves a file that exists as it is. */
    static void requireWritable(Path path) throws IOException {
        Path folder = path.toAbsolutePath().getParent();
        if (folder != null) {
            Files.createDirectories(folder);
        }
        boolean isNew = !Files.exists(path);
        // Opening a pipe waits for its reader.
        if (isNew || Files.isRegularFile(path) || Files.isDirectory(path)) {
            FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE)
                    .close();
        }
        if (isNew) {
            Files.delete(path);
        }
    }

    /**
     * Adds a transaction that has ended, from one thread at a time.
     *
     * @param end null if the outcome is unknown
     * @param operations as their fields in JSON Lines; keys are Longs or Strings, values also null or lists of these
     */
    void add(
            long session,
            long index,
            long start,
            @Nullable Long end,
            TransactionStatus status,
            List<Map<String, @Nullable Object>> operations)
            throws IOException {
        json.writeStartObject();
        json.writeNumberField("session", session);
        json.writeNumberField("index", index);
        json.writeNumberField("start", start);
        if (end != null) {
            json.writeNumberField("end", end);
        }
        json.writeStringField("status", status.label());
        json.writeFieldName("ops");
        write(operations);
        json.writeEndObject();
        writeLine();
    }

    private void write(@Nullable Object value) throws IOException {
        if (value == null) {
            json.writeNull();
        } else if (value instanceof Number number) {
            json.writeNumber(number.longValue());
        } else if (value instanceof List<?> list) {
            json.writeStartArray();
            for (Object element : list) {
                write(element);
            }
            json.writeEndArray();
        } else if (value instanceof Map<?, ?> fields) {
            json.writeStartObject();
            for (Map.Entry<?, ?> field : fields.entrySet()) {
                json.writeFieldName(field.getKey().toString());
                write(field.getValue());
            }
            json.writeEndObject();
        } else {
            json.writeString(value.toString());
        }
    }

    /** Writes the line. If it cannot be written whole, for example to a full disk, it is removed again. */
    private void writeLine() throws IOException {
        json.flush();
        line.write('\n');
        if (file == null) {
            line.writeTo(memory);
            line.reset();
            return;
        }
        long before = file.position();
        try {
            ByteBuffer bytes = ByteBuffer.wrap(line.toByteArray());
            while (bytes.hasRemaining()) {
                file.write(bytes);
            }
        } catch (IOException e) {
            try {
                file.truncate(before);
            } catch (IOException again) {
                e.addSuppressed(again);
            }
            throw e;
        } finally {
            line.reset();
        }
    }

    @Override
    public void close() throws IOException {
        if (file != null) {
            file.close();
        }
    }
}
