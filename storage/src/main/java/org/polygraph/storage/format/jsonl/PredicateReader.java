package org.polygraph.storage.format.jsonl;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntOpenHashSet;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.Condition;
import org.polygraph.storage.table.HistoryTableBuilder;
import org.polygraph.storage.table.Operations;

/**
 * Parses reads, writes and deletes by a condition, {@code pr}, {@code pw} and {@code pd}, and what is done with
 * savepoints.
 */
public final class PredicateReader {
    private static final String REMEDY = "spark-jobs/docs/rows.md shows the fields";

    /** The values of the further rows that a read of one key returned. */
    static final String MORE = "more";

    /** The name of a savepoint. */
    static final String NAME = "name";

    private final HistoryTableBuilder builder;
    /** The keys of the rows that matched. The list below has their values. */
    private final IntArrayList keys = new IntArrayList();

    private final IntOpenHashSet distinct = new IntOpenHashSet();
    /** By row that matched: whether the result has its key already. */
    private final BitSet repeated = new BitSet();

    private final LongArrayList rows = new LongArrayList();
    private @Nullable Condition where;
    private @Nullable Long mod;
    private @Nullable Long lo;
    private @Nullable Long hi;
    private long value;
    private long count;
    private int row;
    private boolean hasRows;
    private boolean hasKeys;
    private boolean hasValue;
    private boolean isList;
    private @Nullable Long name;

    public PredicateReader(HistoryTableBuilder builder) {
        this.builder = builder;
    }

    /** Whether a field has a meaning only in such an operation. */
    static boolean isField(String name) {
        return switch (name) {
            case "mod", "lo", "hi", "where", "count", "rows", "keys", NAME -> true;
            default -> false;
        };
    }

    /** A field, its JSON, and its place. */
    record Field(String name, String json, String at) {}

    /** What comes before {@code op}: fields, the code of {@code value} if there is one, and the columns or -1. */
    record Early(List<Field> fields, boolean hasValue, long value, int row) {}

    /**
     * Reads the fields after {@code op}, to the end of the operation.
     *
     * @param op one of the three
     */
    void read(JsonParser json, Json.Place place, String op, Early early) throws IOException, HistoryException {
        clear();
        hasValue = early.hasValue;
        value = early.value;
        row = op.equals("pw") ? early.row : -1;
        for (Field field : early.fields) {
            try (JsonParser own = Json.FACTORY.createParser(field.json)) {
                own.nextToken();
                field(own, Json.Place.of(field.at), field.name, op);
            }
        }
        rest(json, place, op);
    }

    /**
     * Adds an operation whose fields are a JSON object.
     *
     * @param op {@code pr}, {@code pw} or {@code pd}; of a write only the columns of its row are read, and the caller
     *     adds it next; of a read only its list, or its further rows, which the caller adds by {@link #more} after it
     * @param at its place, for messages
     */
    public void read(String fields, String op, String at) throws HistoryException {
        clear();
        Json.Place place = Json.Place.of(at);
        try (JsonParser json = Json.FACTORY.createParser(fields)) {
            try {
                if (json.nextToken() != JsonToken.START_OBJECT) {
                    throw place.error(json, Json.describe(json) + " as \"fields\"", "a JSON object", REMEDY);
                }
                if (op.startsWith("p") || Operations.ofSavepoint(op) != 0) {
                    rest(json, place, op);
                    return;
                }
                String known = op.equals("r") ? MORE : "row";
                for (String field; (field = json.nextFieldName()) != null; ) {
                    json.nextToken();
                    if (op.equals("r") && field.equals("value")) {
                        list(json, place);
                    } else {
                        field(json, place, field.equals(known) ? field : "", op);
                    }
                }
                if (row >= 0) {
                    builder.row(row);
                }
            } catch (JacksonException e) {
                throw place.error(e, json);
            }
        } catch (IOException e) {
            throw new IllegalStateException("a string that cannot be read", e);
        }
    }

    private void clear() {
        keys.clear();
        distinct.clear();
        repeated.clear();
        rows.clear();
        where = null;
        mod = null;
        lo = null;
        hi = null;
        hasRows = false;
        hasKeys = false;
        hasValue = false;
        isList = false;
        name = null;
        count = -1;
        row = -1;
    }

    private void rest(JsonParser json, Json.Place place, String op) throws IOException, HistoryException {
        for (String field; (field = json.nextFieldName()) != null; ) {
            json.nextToken();
            field(json, place, field, op);
        }
        byte ofSavepoint = Operations.ofSavepoint(op);
        if (ofSavepoint != 0) {
            Long known = name;
            if (known == null || known == ValueDictionary.NULL) {
                throw place.error(
                        json, "a \"" + op + "\" without \"name\"", "the name of a savepoint", Json.LINE_REMEDY);
            }
            builder.savepoint(ofSavepoint, known);
            return;
        }
        Condition condition = condition(json, place, op);
        if (op.equals("pw") && !hasValue) {
            throw place.error(json, "a \"pw\" without \"value\"", "the value that it wrote", REMEDY);
        }
        boolean reads = op.equals("pr");
        if (reads && !hasRows && count != 0) {
            throw place.error(
                    json,
                    "a \"pr\" " + (hasKeys ? "with \"keys\" and " : "") + "without \"rows\"",
                    "the rows that it returned, [[KEY,VALUE],...]",
                    REMEDY);
        }
        if (hasRows && count >= 0 && count != keys.size()) {
            throw place.error(json, "\"count\":" + count + " with " + keys.size() + " keys", "their number", REMEDY);
        }
        if (!reads && keys.isEmpty()) {
            long found = hasRows ? 0 : count;
            if (op.equals("pd")) {
                builder.deleteOfUnknownRows(condition, found);
            } else {
                builder.writeOfUnknownRows(condition, value, row, found);
            }
            return;
        }
        for (int i = 0; i < rows.size(); i++) {
            if (repeated.get(i)) {
                builder.repeatedRow(keys.getInt(i), rows.getLong(i));
            } else {
                builder.read(keys.getInt(i), rows.getLong(i));
            }
        }
        builder.predicate(condition, keys, reads);
        for (int i = 0; !reads && i < keys.size(); i++) {
            if (repeated.get(i)) {
                builder.repeatedRow(keys.getInt(i), op.equals("pd") ? ValueDictionary.NULL : value);
            } else {
                write(keys.getInt(i), op);
            }
        }
    }

    private void write(int key, String op) {
        if (op.equals("pd")) {
            builder.delete(key);
            return;
        }
        if (row >= 0) {
            builder.row(row);
        }
        builder.write(key, value);
    }

    private Condition condition(JsonParser json, Json.Place place, String op) throws HistoryException {
        Condition columns = where;
        if (columns != null && (lo != null || hi != null || mod != null)) {
            throw place.error(json, "\"where\" and bounds", "one of them", REMEDY);
        }
        if (columns != null) {
            return columns;
        }
        if (lo == null || hi == null) {
            throw place.error(
                    json,
                    "a \"" + op + "\" without \"" + (lo == null ? "lo" : "hi") + "\"",
                    "\"lo\" and \"hi\", or \"where\"",
                    REMEDY);
        }
        return mod == null ? Condition.between(lo, hi) : Condition.modulo(mod, lo, hi);
    }

    private void field(JsonParser json, Json.Place place, String field, String op)
            throws IOException, HistoryException {
        switch (field) {
            case "mod" -> {
                mod = Json.integer(json, place, field);
                if (mod < 1) {
                    throw place.error(json, "\"mod\":" + mod, "the number that divides the values, 1 or more", REMEDY);
                }
            }
            case "lo" -> lo = Json.integer(json, place, field);
            case "hi" -> hi = Json.integer(json, place, field);
            case "value" -> {
                value = Json.value(json, place, field, builder.values());
                hasValue = true;
            }
            case "count" -> {
                count = Json.integer(json, place, field);
                if (count < 0) {
                    throw place.error(json, "\"count\":" + count, "the number of rows, 0 or more", REMEDY);
                }
            }
            case "where" -> where = where(json, place);
            case "row" -> {
                if (!op.equals("pr") && !op.equals("pd") && json.currentToken() == JsonToken.START_OBJECT) {
                    row = row(json, place);
                } else {
                    json.skipChildren();
                }
            }
            case MORE -> further(json, place);
            case NAME -> {
                if (Operations.ofSavepoint(op) != 0) {
                    name = Json.value(json, place, field, builder.values());
                } else {
                    json.skipChildren();
                }
            }
            case "rows" -> elements(json, place, true);
            case "keys" -> {
                if (op.equals("pr")) {
                    // A query returns rows. As an unknown field it is metadata.
                    hasKeys = true;
                    json.skipChildren();
                } else {
                    elements(json, place, false);
                }
            }
            default -> json.skipChildren();
        }
    }

    /** Reads the values of the further rows that a read returned, from the start of their array. */
    void further(JsonParser json, Json.Place place) throws IOException, HistoryException {
        rows.clear();
        if (json.currentToken() != JsonToken.START_ARRAY) {
            throw place.error(json, Json.describe(json) + " as \"more\"", "[VALUE,...]", REMEDY);
        }
        while (json.nextToken() != JsonToken.END_ARRAY) {
            rows.add(Json.value(json, place, MORE, builder.values()));
        }
    }

    private void list(JsonParser json, Json.Place place) throws IOException, HistoryException {
        if (json.currentToken() != JsonToken.START_ARRAY) {
            throw place.error(json, Json.describe(json) + " as \"value\" of \"fields\"", "a list", REMEDY);
        }
        isList = true;
        for (JsonToken token; (token = json.nextToken()) != JsonToken.END_ARRAY; ) {
            if (token == JsonToken.VALUE_NULL) {
                throw place.error(json, "null in a list", "an integer or a string", Json.LINE_REMEDY);
            }
            rows.add(Json.value(json, place, "value", builder.values()));
        }
    }

    /** Adds the read of the list that was read last, if there was one. */
    public boolean readList(int key) {
        if (isList) {
            builder.readList(key, rows);
        }
        return isList;
    }

    /** Adds the further rows that were read last. @param key of the read that was added before */
    public void more(int key) {
        for (int i = 0; i < rows.size(); i++) {
            builder.repeatedRow(key, rows.getLong(i));
        }
    }

    /**
     * Reads the columns of a row, from the start of its object. Columns that are not integers, strings or null are left
     * out. @return the number of the row
     */
    int row(JsonParser json, Json.Place place) throws IOException, HistoryException {
        for (String column; (column = json.nextFieldName()) != null; ) {
            switch (json.nextToken()) {
                case VALUE_NUMBER_INT, VALUE_STRING, VALUE_NULL ->
                    builder.columnOfRow(builder.column(column), Json.value(json, place, column, builder.values()));
                default -> json.skipChildren();
            }
        }
        return builder.endOfRow();
    }

    private Condition where(JsonParser json, Json.Place place) throws IOException, HistoryException {
        if (json.currentToken() != JsonToken.START_OBJECT) {
            throw place.error(json, Json.describe(json) + " as \"where\"", "{COLUMN:[...],...}", REMEDY);
        }
        List<Condition.Term> terms = new ArrayList<>();
        StringBuilder label = new StringBuilder("where");
        for (String column; (column = json.nextFieldName()) != null; ) {
            if (json.nextToken() != JsonToken.START_ARRAY) {
                throw place.error(json, Json.describe(json) + " in \"where\"", "[FROM,TO] or [VALUE,...]", REMEDY);
            }
            boolean isName = column.chars().allMatch(Character::isJavaIdentifierPart);
            label.append(terms.isEmpty() ? " " : " and ").append(isName ? column : quoted(column));
            terms.add(term(json, place, builder.column(column), label));
        }
        if (terms.isEmpty()) {
            throw place.error(json, "a \"where\" without columns", "one at least", REMEDY);
        }
        return new Condition(terms, label.toString());
    }

    private Condition.Term term(JsonParser json, Json.Place place, int column, StringBuilder label)
            throws IOException, HistoryException {
        LongArrayList codes = new LongArrayList();
        LongArrayList integers = new LongArrayList();
        StringBuilder set = new StringBuilder();
        for (JsonToken token; (token = json.nextToken()) != JsonToken.END_ARRAY; ) {
            codes.add(Json.value(json, place, "where", builder.values()));
            if (token == JsonToken.VALUE_NUMBER_INT) {
                integers.add(json.getLongValue());
            }
            set.append(set.isEmpty() ? "" : ",")
                    .append(token == JsonToken.VALUE_STRING ? quoted(json.getText()) : json.getText());
        }
        if (codes.size() == 2 && integers.size() == 2) {
            label.append(" between ")
                    .append(integers.getLong(0))
                    .append(" and ")
                    .append(integers.getLong(1));
            return new Condition.Term(column, integers.getLong(0), integers.getLong(1), null);
        }
        label.append(" in [").append(set).append(']');
        return new Condition.Term(column, 0, 0, codes.toLongArray());
    }

    private static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
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
            repeated.set(keys.size(), !distinct.add(key));
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
}
