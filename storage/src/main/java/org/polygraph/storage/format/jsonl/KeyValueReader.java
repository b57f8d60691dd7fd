package org.polygraph.storage.format.jsonl;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.InputStream;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTableBuilder;

/**
 * Reads a table of keys and their values: JSON Lines {@code {"key":K,"value":V}} in UTF-8. Unknown fields are skipped.
 */
public final class KeyValueReader {
    private static final String REMEDY =
            "write each key as a line {\"key\":K,\"value\":V}; databases make such lines of a"
                    + " table, such as PostgreSQL with SELECT json_build_object('key', k, 'value', v) FROM t";

    private KeyValueReader() {}

    /** Adds each line as a write to the transaction that the builder has begun. */
    public static void read(String file, InputStream content, HistoryTableBuilder builder)
            throws IOException, HistoryException {
        Json.Place place = new Json.Place(file, 0, null, REMEDY);
        Json.read(place, content, json -> {
            while (json.nextToken() != null) {
                row(json, place, builder);
            }
            return builder;
        });
    }

    private static void row(JsonParser json, Json.Place place, HistoryTableBuilder builder)
            throws IOException, HistoryException {
        if (json.currentToken() != JsonToken.START_OBJECT) {
            throw place.error(json, Json.describe(json), "an object with a key and its value", REMEDY);
        }
        int key = -1;
        long value = 0;
        boolean hasValue = false;
        for (String field; (field = json.nextFieldName()) != null; ) {
            json.nextToken();
            if (field.equals("key") && key < 0) {
                key = Json.key(json, place, builder.keys());
            } else if (field.equals("value") && !hasValue) {
                value = Json.value(json, place, field, builder.values());
                hasValue = true;
            } else if (field.equals("key") || field.equals("value")) {
                throw place.error(json, "\"" + field + "\" twice in a line", "it once", REMEDY);
            } else {
                json.skipChildren();
            }
        }
        if (key < 0 || !hasValue) {
            String missing = key < 0 ? "key" : "value";
            throw place.error(json, "a line without \"" + missing + "\"", "a key and its value", REMEDY);
        }
        builder.write(key, value);
    }
}
