package org.polygraph.storage.format.jsonl;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import it.unimi.dsi.fastutil.ints.Int2LongMap;
import java.io.ByteArrayInputStream;
import java.io.CharConversionException;
import java.io.IOException;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.format.io.Shown;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;

/**
 * The header of a history: {@code {"format":"history","version":1,"initial":{"value":0},...metadata}}, the first line
 * of JSON Lines and a metadata entry of Parquet.
 */
public final class HistoryHeader {
    static final int VERSION = 1;
    private static final Set<String> OTHER_UNITS = Set.of("s", "ms", "us", "\u00b5s", "\u03bcs");

    private final Json.Place place;
    private final Map<String, String> metadata = new LinkedHashMap<>();
    private boolean hasInitial;
    private long initial = ValueDictionary.NULL;
    /** By key, an integer or a string: the code of its own initial value. */
    private final Map<Object, Long> state = new LinkedHashMap<>();

    private HistoryHeader(Json.Place place) {
        this.place = place;
    }

    /**
     * Whether a first line is a header, as far as it can be parsed: it has a format or an initial value, but no ops.
     */
    static boolean isHeader(byte[] line) throws IOException {
        boolean header = false;
        try (JsonParser json = Json.FACTORY.createParser(line)) {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                return false;
            }
            for (String field; (field = json.nextFieldName()) != null; ) {
                if (field.equals("ops")) {
                    return false;
                }
                header |= field.equals("format") || field.equals("initial");
                json.nextToken();
                json.skipChildren();
            }
        } catch (JacksonException | CharConversionException e) {
            // The parser of the line reports the error with its position.
            return header;
        }
        return header;
    }

    public static HistoryHeader parse(Json.Place place, byte[] text, ValueDictionary values)
            throws IOException, HistoryException {
        return Json.read(place, new ByteArrayInputStream(text), json -> {
            HistoryHeader header = new HistoryHeader(place);
            header.read(json, values);
            return header;
        });
    }

    private void read(JsonParser json, ValueDictionary values) throws IOException, HistoryException {
        if (json.nextToken() != JsonToken.START_OBJECT) {
            throw place.error(
                    json, Json.describe(json), "a header object", "see storage/docs/formats.md for the header");
        }
        for (String field; (field = json.nextFieldName()) != null; ) {
            json.nextToken();
            field(json, field, values);
        }
        if (json.nextToken() != null) {
            throw place.error(json, Json.describe(json) + " after the header", "the end of the line", Json.LINE_REMEDY);
        }
    }

    private void field(JsonParser json, String field, ValueDictionary values) throws IOException, HistoryException {
        switch (field) {
            case "format" -> {
                if (json.currentToken() != JsonToken.VALUE_STRING
                        || !json.getText().equals("history")) {
                    throw place.error(
                            json,
                            Json.describe(json) + " as \"format\"",
                            "\"history\"",
                            "this is another kind of file");
                }
            }
            case "version" -> {
                if (Json.integer(json, place, field) != VERSION) {
                    throw place.error(
                            json, "version " + Shown.text(json.getText()), "version " + VERSION, "use a newer release");
                }
            }
            case "initial" -> initial(json, values);
            case "clock" -> {
                // Any other text is a description of the clock for people.
                if (json.currentToken() == JsonToken.VALUE_STRING && OTHER_UNITS.contains(json.getText())) {
                    throw place.error(
                            json,
                            Json.describe(json) + " as \"clock\"",
                            "\"ns\"",
                            "start and end are nanoseconds: convert them");
                }
                metadata.put(field, Json.copy(json));
            }
            default -> metadata.put(field, Json.copy(json));
        }
    }

    private void initial(JsonParser json, ValueDictionary values) throws IOException, HistoryException {
        if (json.currentToken() != JsonToken.START_OBJECT) {
            throw place.error(
                    json,
                    Json.describe(json) + " as \"initial\"",
                    "{\"value\":...}",
                    "see storage/docs/formats.md for the header");
        }
        for (String field; (field = json.nextFieldName()) != null; ) {
            JsonToken token = json.nextToken();
            if (field.equals("state") || field.equals("rows")) {
                state(json, values, "initial." + field);
            } else if (!field.equals("value")) {
                json.skipChildren();
            } else if (token == JsonToken.START_ARRAY) {
                String at = place.at(json.currentTokenLocation());
                if (json.nextToken() != JsonToken.END_ARRAY) {
                    throw new HistoryException(
                            at,
                            "a list with elements as the initial value",
                            "[], an integer, a string or null",
                            "append what a list begins with in a first transaction");
                }
            } else {
                hasInitial = true;
                initial = Json.value(json, place, "initial.value", values);
            }
        }
    }

    /** Reads pairs of a key and its own initial value. @param name of the field, for messages */
    private void state(JsonParser json, ValueDictionary values, String name) throws IOException, HistoryException {
        if (json.currentToken() != JsonToken.START_ARRAY) {
            throw statePair(json, name);
        }
        while (json.nextToken() != JsonToken.END_ARRAY) {
            if (json.currentToken() != JsonToken.START_ARRAY) {
                throw statePair(json, name);
            }
            json.nextToken();
            Object key =
                    switch (json.currentToken()) {
                        case VALUE_NUMBER_INT -> (Object) Json.integer(json, place, "a key");
                        case VALUE_STRING -> json.getText();
                        default -> throw statePair(json, name);
                    };
            json.nextToken();
            if (state.put(key, Json.value(json, place, name, values)) != null) {
                throw place.error(
                        json, "key " + key + " a second time in " + name, "each key once", "keep one of the two");
            }
            if (json.nextToken() != JsonToken.END_ARRAY) {
                throw statePair(json, name);
            }
        }
    }

    private HistoryException statePair(JsonParser json, String name) throws IOException {
        return place.error(
                json,
                Json.describe(json) + " in " + name,
                "pairs [KEY,VALUE]",
                "see storage/docs/formats.md for the header");
    }

    /**
     * Sets metadata and initial value of the builder. The headers of further files must have the same initial value.
     */
    public void apply(HistoryTableBuilder builder, @Nullable HistoryHeader before) throws HistoryException {
        metadata.forEach(builder::metadata);
        if (before != null && before.hasInitial && hasInitial && before.initial != initial) {
            throw new HistoryException(
                    place.file(),
                    "the initial value " + builder.values().label(initial),
                    builder.values().label(before.initial) + " as in " + before.place.file(),
                    "parts of one history share their header");
        }
        if (before != null && !state.isEmpty() && !state.equals(before.state)) {
            throw new HistoryException(
                    place.file(),
                    "initial values of single keys",
                    "those of " + before.place.file() + ", where the history begins",
                    "parts of one history share their header");
        }
        if (hasInitial) {
            builder.initialValue(initial);
        }
        state.forEach((key, code) -> builder.initialValue(
                key instanceof String string
                        ? builder.keys().id(string)
                        : builder.keys().id((Long) key),
                code));
    }

    /**
     * Writes the initial values of single keys: of those that occur in some transactions, or of all. Also a row that no operation names
     * may match a predicate.
     */
    private static void writeState(JsonGenerator json, HistoryTable table, @Nullable BitSet only) throws IOException {
        Int2LongMap state = table.initialState();
        if (state == null) {
            return;
        }
        BitSet written = new BitSet();
        if (only == null || table.recordedPredicates() != null) {
            written.set(0, table.recordedKeys());
        } else {
            for (int t = only.nextSetBit(0); t >= 0; t = only.nextSetBit(t + 1)) {
                for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                    written.set(table.key(o));
                }
            }
        }
        json.writeArrayFieldStart("state");
        for (int key = written.nextSetBit(0); key >= 0; key = written.nextSetBit(key + 1)) {
            if (state.containsKey(key)) {
                json.writeStartArray();
                JsonlWriter.writeKey(json, table.keys(), key);
                JsonlWriter.writeValue(json, table.values(), table.initialValue(key));
                json.writeEndArray();
            }
        }
        json.writeEndArray();
    }

    /** Writes the header of a table as a JSON object. */
    public static void write(JsonGenerator json, HistoryTable table) throws IOException {
        write(json, table, null);
    }

    /** @param only the transactions that follow; null for all */
    static void write(JsonGenerator json, HistoryTable table, @Nullable BitSet only) throws IOException {
        json.writeStartObject();
        json.writeStringField("format", "history");
        json.writeNumberField("version", VERSION);
        json.writeObjectFieldStart("initial");
        json.writeFieldName("value");
        JsonlWriter.writeValue(json, table.values(), table.initialValue());
        writeState(json, table, only);
        json.writeEndObject();
        for (Map.Entry<String, String> field : table.metadata().entrySet()) {
            json.writeFieldName(field.getKey());
            json.writeRawValue(field.getValue());
        }
        json.writeEndObject();
    }
}
