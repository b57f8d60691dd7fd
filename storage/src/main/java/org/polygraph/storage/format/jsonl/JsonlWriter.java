package org.polygraph.storage.format.jsonl;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.MinimalPrettyPrinter;
import java.io.IOException;
import java.io.OutputStream;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.dictionary.KeyDictionary;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.format.io.TableWriter;
import org.polygraph.storage.table.HistoryTable;

/** Writes JSON Lines: a header, and a line for each transaction, by (session, index). */
public final class JsonlWriter {
    private final HistoryTable table;
    /** The transactions to write; null for all. */
    private final @Nullable BitSet only;

    private final OperationWalk walk;

    public JsonlWriter(HistoryTable table) {
        this(table, null);
    }

    public JsonlWriter(HistoryTable table, @Nullable BitSet only) {
        this.table = table;
        this.only = only;
        this.walk = new OperationWalk(table);
    }

    /** Writes and flushes; does not close the stream. */
    public void write(OutputStream out) throws IOException {
        try (JsonGenerator json = generator(out)) {
            HistoryHeader.write(json, table, only);
            transactions(json);
            json.writeRaw('\n');
        }
    }

    private static JsonGenerator generator(OutputStream out) throws IOException {
        JsonGenerator json = Json.FACTORY.createGenerator(out);
        json.disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
        json.setPrettyPrinter(new MinimalPrettyPrinter("\n"));
        return json;
    }

    private void transactions(JsonGenerator json) throws IOException {
        int[] sessionStarts = table.sessionStarts();
        for (int s = 0; s < table.sessions(); s++) {
            for (int t = sessionStarts[s]; t < sessionStarts[s + 1]; t++) {
                if (only == null || only.get(t)) {
                    transaction(json, table.sessionLabel(s), t);
                }
            }
        }
    }

    /** Returns a writer of tables, one after the other, with the header of the first. */
    public static TableWriter appender(HistoryTable first, OutputStream out) throws IOException {
        JsonGenerator json = generator(out);
        HistoryHeader.write(json, first);
        return new TableWriter() {
            @Override
            public void append(HistoryTable table) throws IOException {
                new JsonlWriter(table).transactions(json);
            }

            @Override
            public void close() throws IOException {
                json.writeRaw('\n');
                json.close();
            }
        };
    }

    /** Writes the object of a transaction. */
    public void transaction(JsonGenerator json, long session, int t) throws IOException {
        json.writeStartObject();
        json.writeNumberField("session", session);
        json.writeNumberField("index", table.index(t));
        time(json, "start", table.starts(), t);
        time(json, "end", table.ends(), t);
        json.writeStringField("status", table.status(t).label());
        json.writeArrayFieldStart("ops");
        for (walk.seek(t); walk.next(); ) {
            String predicate = walk.predicate();
            json.writeStartObject();
            if (predicate == null) {
                operation(json, walk.operation());
            } else {
                json.writeStringField("op", predicate);
            }
            walk.writeFields(json);
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private void operation(JsonGenerator json, int o) throws IOException {
        if (table.values().isOther(table.value(o))) {
            refusal(json, table.key(o), table.value(o));
            return;
        }
        json.writeStringField("op", kind(o));
        json.writeFieldName("key");
        writeKey(json, table.keys(), table.key(o));
        if (table.isDelete(o)) {
            return;
        }
        json.writeFieldName("value");
        long[] elements = table.elements(o);
        if (elements == null) {
            writeValue(json, table.values(), table.values().withoutVersion(table.value(o)));
            if (table.values().isGiven(table.value(o))) {
                json.writeNumberField("version", table.values().givenVersion(table.value(o)));
            }
        } else {
            json.writeStartArray();
            for (long element : elements) {
                writeValue(json, table.values(), element);
            }
            json.writeEndArray();
        }
    }

    private String kind(int o) {
        if (!table.isWrite(o)) {
            return "r";
        }
        // In a part that was read by windows, whole lists are values, and appends write these.
        boolean isAppend = table.hasLists() && table.isAppend(o);
        return table.isDelete(o)
                ? "d"
                : table.isInsert(o) ? "i" : table.isAddition(o) ? "add" : isAppend ? "append" : "w";
    }

    /** Writes a compare-and-set that was refused. What it would have written is not kept. */
    private void refusal(JsonGenerator json, int key, long value) throws IOException {
        json.writeStringField("op", "cas");
        json.writeFieldName("key");
        writeKey(json, table.keys(), key);
        json.writeFieldName("expected");
        writeValue(json, table.values(), table.values().excluded(value));
        json.writeBooleanField("ok", false);
    }

    private static void time(JsonGenerator json, String field, long @Nullable [] times, int t) throws IOException {
        if (times != null && times[t] != HistoryTable.NO_TIME) {
            json.writeNumberField(field, times[t]);
        }
    }

    static void writeKey(JsonGenerator json, KeyDictionary keys, int key) throws IOException {
        if (keys.isString(key)) {
            json.writeString(keys.string(key));
        } else {
            json.writeNumber(keys.integer(key));
        }
    }

    /** Writes a value. An opaque value becomes a string; different values become different strings. */
    public static void writeValue(JsonGenerator json, ValueDictionary values, long code) throws IOException {
        if (values.isNull(code)) {
            json.writeNull();
        } else if (values.isInteger(code)) {
            json.writeNumber(values.integer(code));
        } else {
            json.writeString(values.text(code));
        }
    }
}
