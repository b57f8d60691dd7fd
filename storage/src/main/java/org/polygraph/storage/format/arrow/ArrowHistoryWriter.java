package org.polygraph.storage.format.arrow;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.nio.channels.Channels;
import java.nio.charset.CharsetEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.ipc.ArrowFileWriter;
import org.apache.arrow.vector.ipc.ArrowStreamWriter;
import org.apache.arrow.vector.ipc.ArrowWriter;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.polygraph.storage.format.io.TableWriter;
import org.polygraph.storage.format.jsonl.HistoryHeader;
import org.polygraph.storage.format.jsonl.Json;
import org.polygraph.storage.format.jsonl.JsonlWriter;
import org.polygraph.storage.table.HistoryTable;

/**
 * Writes Arrow IPC with the columns of the archive format: {@code key} and {@code value} are integers, {@code
 * key_string} and {@code value_string} strings, and {@code fields} is the JSON of what else an operation has.
 */
public final class ArrowHistoryWriter implements TableWriter {
    /** The key of the header in the metadata of the schema. */
    static final String HEADER = "history";

    /** A record batch has at most this many transactions or operations, and the operations of one transaction. */
    private static final int BATCH = 1 << 16;

    private final BufferAllocator allocator = new RootAllocator();
    private final VectorSchemaRoot root;
    private final ArrowWriter writer;

    private final BigIntVector session;
    private final BigIntVector index;
    private final BigIntVector start;
    private final BigIntVector end;
    private final VarCharVector status;
    private final ListVector ops;
    private final StructVector operation;
    private final VarCharVector op;
    private final BigIntVector key;
    private final VarCharVector keyString;
    private final BigIntVector value;
    private final VarCharVector valueString;
    private final VarCharVector fields;

    /** A string with half of a surrogate pair has no UTF-8. As an escape in {@code fields} it is kept. */
    private final CharsetEncoder encoder = StandardCharsets.UTF_8.newEncoder();

    private int rows;
    private int operations;

    /**
     * @param first the table whose header the file gets; its rows are written by {@link #append} like those of others
     * @param isFile whether it can be read at any place; a stream is read from its beginning
     */
    public ArrowHistoryWriter(HistoryTable first, OutputStream out, boolean isFile) throws IOException {
        StringWriter header = new StringWriter();
        try (JsonGenerator json = Json.FACTORY.createGenerator(header)) {
            json.setHighestNonEscapedChar(127);
            HistoryHeader.write(json, first);
        }
        Field element = field(
                "item",
                false,
                ArrowType.Struct.INSTANCE,
                text("op", false),
                integer("key", true),
                text("key_string", true),
                integer("value", true),
                text("value_string", true),
                text("fields", true));
        Schema schema = new Schema(
                List.of(
                        integer("session", false),
                        integer("index", false),
                        integer("start", true),
                        integer("end", true),
                        text("status", false),
                        field("ops", false, ArrowType.List.INSTANCE, element)),
                Map.of(HEADER, header.toString()));
        root = VectorSchemaRoot.create(schema, allocator);
        writer = isFile
                ? new ArrowFileWriter(root, null, Channels.newChannel(out))
                : new ArrowStreamWriter(root, null, Channels.newChannel(out));
        session = (BigIntVector) root.getVector("session");
        index = (BigIntVector) root.getVector("index");
        start = (BigIntVector) root.getVector("start");
        end = (BigIntVector) root.getVector("end");
        status = (VarCharVector) root.getVector("status");
        ops = (ListVector) root.getVector("ops");
        operation = (StructVector) ops.getDataVector();
        op = operation.getChild("op", VarCharVector.class);
        key = operation.getChild("key", BigIntVector.class);
        keyString = operation.getChild("key_string", VarCharVector.class);
        value = operation.getChild("value", BigIntVector.class);
        valueString = operation.getChild("value_string", VarCharVector.class);
        fields = operation.getChild("fields", VarCharVector.class);
        writer.start();
    }

    private static Field field(String name, boolean nullable, ArrowType type, Field... children) {
        return new Field(name, new FieldType(nullable, type, null), List.of(children));
    }

    private static Field integer(String name, boolean nullable) {
        return field(name, nullable, new ArrowType.Int(64, true));
    }

    private static Field text(String name, boolean nullable) {
        return field(name, nullable, ArrowType.Utf8.INSTANCE);
    }

    @Override
    public void append(HistoryTable table) throws IOException {
        JsonlWriter lines = new JsonlWriter(table);
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        int session = 0;
        for (int t = 0; t < table.transactions(); t++) {
            while (table.transactionsEnd(session) <= t) {
                session++;
            }
            line.reset();
            try (JsonGenerator json = Json.FACTORY.createGenerator(line)) {
                lines.transaction(json, table.sessionLabel(session), t);
            }
            if (rows == BATCH || operations >= BATCH) {
                batch();
            }
            try (JsonParser json = Json.FACTORY.createParser(line.toByteArray())) {
                row(json);
            }
        }
    }

    private void row(JsonParser json) throws IOException {
        start.setNull(rows);
        end.setNull(rows);
        json.nextToken();
        for (String field; (field = json.nextFieldName()) != null; ) {
            json.nextToken();
            switch (field) {
                case "session" -> session.setSafe(rows, json.getLongValue());
                case "index" -> index.setSafe(rows, json.getLongValue());
                case "start" -> start.setSafe(rows, json.getLongValue());
                case "end" -> end.setSafe(rows, json.getLongValue());
                case "status" -> set(status, rows, json.getText());
                default -> {
                    ops.startNewValue(rows);
                    int before = operations;
                    while (json.nextToken() == JsonToken.START_OBJECT) {
                        operation(json);
                    }
                    ops.endValue(rows, operations - before);
                }
            }
        }
        rows++;
    }

    private void operation(JsonParser json) throws IOException {
        int o = operations++;
        operation.setIndexDefined(o);
        for (FieldVector vector : operation.getChildrenFromFields()) {
            vector.setNull(o);
        }
        StringWriter others = new StringWriter();
        boolean isNull = false;
        try (JsonGenerator rest = Json.FACTORY.createGenerator(others)) {
            rest.setHighestNonEscapedChar(127);
            rest.writeStartObject();
            for (String field; (field = json.nextFieldName()) != null; ) {
                JsonToken token = json.nextToken();
                boolean isKey = field.equals("key");
                if (field.equals("op")) {
                    set(op, o, json.getText());
                } else if ((isKey || field.equals("value")) && token == JsonToken.VALUE_NUMBER_INT) {
                    (isKey ? key : value).setSafe(o, json.getLongValue());
                } else if ((isKey || field.equals("value"))
                        && token == JsonToken.VALUE_STRING
                        && encoder.canEncode(json.getText())) {
                    set(isKey ? keyString : valueString, o, json.getText());
                } else if (field.equals("value") && token == JsonToken.VALUE_NULL) {
                    isNull = true;
                } else {
                    rest.writeFieldName(field);
                    rest.copyCurrentStructure(json);
                }
            }
            rest.flush();
            if (isNull && others.getBuffer().length() > 1) {
                rest.writeNullField("value");
            }
            rest.writeEndObject();
        }
        if (others.getBuffer().length() > 2) {
            set(fields, o, others.toString());
        }
    }

    private static void set(VarCharVector vector, int at, String text) {
        vector.setSafe(at, text.getBytes(StandardCharsets.UTF_8));
    }

    private void batch() throws IOException {
        root.setRowCount(rows);
        writer.writeBatch();
        root.clear();
        root.allocateNew();
        rows = 0;
        operations = 0;
    }

    @Override
    public void close() throws IOException {
        try (allocator;
                root) {
            if (rows > 0) {
                batch();
            }
            writer.end();
        }
    }
}
