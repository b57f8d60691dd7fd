package org.polygraph.storage.format.jsonl;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntOpenHashSet;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.io.IOException;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTableBuilder;

/** Reads and writes by a condition: {@code pr} and {@code pw} with bounds. */
final class PredicateReader {
    private static final String REMEDY = "spark-jobs/docs/predicates.md shows the fields";

    private final HistoryTableBuilder builder;
    /** The keys of the rows that matched, and their values. */
    private final IntArrayList keys = new IntArrayList();

    private final IntOpenHashSet distinct = new IntOpenHashSet();
    private final LongArrayList rows = new LongArrayList();
    private long lo;
    private long hi;
    private long value;
    private long count;
    private boolean hasLo;
    private boolean hasHi;
    private boolean hasRows;
    private boolean hasValue;

    PredicateReader(HistoryTableBuilder builder) {
        this.builder = builder;
    }

    /** Reads the fields after {@code op}, to the end of the operation. */
    void read(JsonParser json, Json.Place place, boolean isFirst, boolean writes) throws IOException, HistoryException {
        String op = writes ? "pw" : "pr";
        if (!isFirst) {
            throw place.error(json, "\"op\":\"" + op + "\" behind other fields", "\"op\" first", REMEDY);
        }
        keys.clear();
        distinct.clear();
        rows.clear();
        hasLo = false;
        hasHi = false;
        hasRows = false;
        hasValue = false;
        count = -1;
        for (String field; (field = json.nextFieldName()) != null; ) {
            json.nextToken();
            field(json, place, field);
        }
        if (!hasLo || !hasHi || (writes && !hasValue)) {
            String missing = !hasLo ? "lo" : !hasHi ? "hi" : "value";
            throw place.error(
                    json, "a \"" + op + "\" without \"" + missing + "\"", "\"op\", then \"lo\" and \"hi\"", REMEDY);
        }
        if (!hasRows && count != 0) {
            if (!writes) {
                throw place.error(json, "a \"pr\" without \"rows\"", "the rows that it returned", REMEDY);
            }
            builder.updateOfUnknownRows();
            return;
        }
        if (count >= 0 && count != keys.size()) {
            throw place.error(json, "\"count\":" + count + " with " + keys.size() + " keys", "their number", REMEDY);
        }
        add(json, place, writes);
    }

    private void field(JsonParser json, Json.Place place, String field) throws IOException, HistoryException {
        switch (field) {
            case "lo" -> {
                lo = Json.integer(json, place, field);
                hasLo = true;
            }
            case "hi" -> {
                hi = Json.integer(json, place, field);
                hasHi = true;
            }
            case "value" -> {
                value = Json.value(json, place, field, builder.values());
                hasValue = true;
            }
            case "count" -> count = Json.integer(json, place, field);
            case "where" ->
                throw place.error(json, "\"where\"", "\"lo\" and \"hi\"", "conditions on columns are not decided yet");
            case "rows" -> elements(json, place, true);
            case "keys" -> elements(json, place, false);
            default -> json.skipChildren();
        }
    }

    private void elements(JsonParser json, Json.Place place, boolean pairs) throws IOException, HistoryException {
        hasRows = true;
        if (json.currentToken() != JsonToken.START_ARRAY) {
            throw place.error(json, Json.describe(json), pairs ? "[[KEY,VALUE],...]" : "[KEY,...]", REMEDY);
        }
        while (json.nextToken() != JsonToken.END_ARRAY) {
            if (pairs) {
                if (json.currentToken() != JsonToken.START_ARRAY) {
                    throw place.error(json, Json.describe(json) + " in \"rows\"", "[KEY,VALUE]", REMEDY);
                }
                json.nextToken();
            }
            int key = Json.key(json, place, builder.keys());
            if (!distinct.add(key)) {
                throw place.error(json, "a key twice in one result", "each row once", REMEDY);
            }
            keys.add(key);
            if (pairs) {
                json.nextToken();
                rows.add(Json.value(json, place, "rows", builder.values()));
                if (json.nextToken() != JsonToken.END_ARRAY) {
                    throw place.error(json, Json.describe(json) + " in \"rows\"", "[KEY,VALUE]", REMEDY);
                }
            }
        }
    }

    private void add(JsonParser json, Json.Place place, boolean writes) throws HistoryException {
        for (int i = 0; i < rows.size(); i++) {
            long row = rows.getLong(i);
            if (!builder.values().isInteger(row)
                    || builder.values().integer(row) < lo
                    || builder.values().integer(row) > hi) {
                throw place.error(
                        json,
                        "the row [" + builder.keys().label(keys.getInt(i)) + ","
                                + builder.values().label(row) + "]",
                        "values from " + lo + " to " + hi,
                        "check how the result was recorded");
            }
            builder.read(keys.getInt(i), row);
        }
        builder.predicate(lo, hi, keys, !writes);
        for (int i = 0; writes && i < keys.size(); i++) {
            builder.write(keys.getInt(i), value);
        }
    }
}
