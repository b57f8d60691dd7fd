package org.polygraph.jobs.record;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.MinimalPrettyPrinter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.model.TransactionStatus;

/** JSON Lines in a file, which contains only whole lines at any moment: each is written by one call. */
final class HistoryLines implements HistorySink {
    private final FileChannel file;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private final JsonGenerator json;

    HistoryLines(Path path, Map<String, ?> header) throws IOException {
        file = FileChannel.open(
                path, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE);
        json = new JsonFactory().createGenerator(line);
        json.setPrettyPrinter(new MinimalPrettyPrinter(""));
        json.writeStartObject();
        json.writeStringField("format", "history");
        json.writeNumberField("version", 1);
        json.writeStringField("clock", "ns");
        for (Map.Entry<String, ?> field : header.entrySet()) {
            json.writeFieldName(field.getKey());
            write(field.getValue());
        }
        json.writeEndObject();
        writeLine();
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

    @Override
    public void add(
            long session,
            long index,
            long start,
            @Nullable Long end,
            TransactionStatus status,
            List<Operation> operations)
            throws IOException {
        json.writeStartObject();
        json.writeNumberField("session", session);
        json.writeNumberField("index", index);
        json.writeNumberField("start", start);
        if (end != null) {
            json.writeNumberField("end", end);
        }
        json.writeStringField("status", status.label());
        json.writeArrayFieldStart("ops");
        for (Operation operation : operations) {
            json.writeStartObject();
            if (operation instanceof OfKey one) {
                write(one);
            } else if (operation instanceof OfBounds bounds) {
                write(bounds);
            }
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
        writeLine();
    }

    private void write(OfKey operation) throws IOException {
        json.writeStringField("op", operation.kind().label);
        json.writeFieldName("key");
        write(operation.key());
        if (operation.kind() != Kind.DELETE) {
            json.writeFieldName("value");
            write(operation.value());
        }
    }

    private void write(OfBounds operation) throws IOException {
        json.writeStringField("op", "p" + operation.kind().label);
        json.writeNumberField("lo", operation.lo());
        json.writeNumberField("hi", operation.hi());
        if (operation.kind() == Kind.WRITE) {
            json.writeFieldName("value");
            write(operation.written());
        }
        json.writeFieldName(operation.kind() == Kind.READ ? "rows" : "keys");
        write(operation.rows());
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
        file.close();
    }
}
