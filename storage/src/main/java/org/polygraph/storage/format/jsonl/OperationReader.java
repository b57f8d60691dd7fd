package org.polygraph.storage.format.jsonl;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.dictionary.KeyDictionary;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTableBuilder;

/** Parses the operations of a transaction and adds them to the builder; {@link PredicateReader} parses predicates. */
final class OperationReader {
    private static final int KIND = 1;
    private static final int KEY = 2;
    private static final int VALUE = 4;
    private static final int EXPECTED = 8;
    private static final int OK = 16;
    private static final int FOUND = 32;
    private static final int ROW = 64;
    private static final int MORE = 128;
    private static final int VERSION = 256;
    private static final int RESULT = 512;

    private static final int READ = 0;
    private static final int WRITE = 1;
    private static final int COMPARE_AND_SET = 2;
    private static final int APPEND = 3;
    private static final int INSERT = 4;
    private static final int DELETE = 5;
    private static final int ADD = 6;
    private static final int PREDICATE_READ = 7;
    private static final int PREDICATE_WRITE = 8;
    private static final int PREDICATE_DELETE = 9;
    private static final int SAVEPOINT = 10;
    /** The kinds of operations for messages, by number. */
    private static final String[] KINDS = {"r", "w", "cas", "append", "i", "d", "add"};

    private static final String OPERATIONS =
            "\"r\", \"w\", \"i\", \"d\", \"append\", \"cas\", \"add\", \"pr\", \"pw\", \"pd\", \"savepoint\", \"release\" or \"rollback_to\"";

    private final HistoryTableBuilder builder;
    private final PredicateReader predicate;
    /** The fields of a predicate that come before its {@code op}. */
    private final List<PredicateReader.Field> early = new ArrayList<>();

    private final KeyDictionary keys;
    private final ValueDictionary values;
    private Json.Place place = new Json.Place("", 0);
    private boolean isOpen;
    /** The elements of the list that was read last. */
    private final LongArrayList elements = new LongArrayList();

    OperationReader(HistoryTableBuilder builder) {
        this.builder = builder;
        predicate = new PredicateReader(builder);
        keys = builder.keys();
        values = builder.values();
    }

    /** Begins a transaction. @param in the place of its file */
    void begin(Json.Place in) {
        place = in;
        isOpen = false;
    }

    /** Whether the current transaction has a compare-and-set of unknown result. */
    boolean isOpen() {
        return isOpen;
    }

    /** Reads the fields of an operation, after the start of its object, and adds it to the builder. */
    void read(JsonParser json) throws IOException, HistoryException {
        int seen = 0;
        int kind = READ;
        int key = 0;
        long value = 0;
        long expected = 0;
        long found = 0;
        long result = 0;
        Boolean ok = null;
        String list = null;
        int row = -1;
        long version = 0;
        early.clear();
        for (String field; (field = json.nextFieldName()) != null; ) {
            int bit =
                    switch (field) {
                        case "op" -> KIND;
                        case "key" -> KEY;
                        case "value" -> VALUE;
                        case "expected" -> EXPECTED;
                        case "ok" -> OK;
                        case "found" -> FOUND;
                        case "row" -> ROW;
                        case "version" -> VERSION;
                        case "result" -> RESULT;
                        case PredicateReader.MORE -> MORE;
                        default -> 0;
                    };
            if ((seen & bit) != 0) {
                throw place.repeated(json, field);
            }
            seen |= bit;
            JsonToken token = json.nextToken();
            if (bit == KIND) {
                kind = kind(json);
                if (kind >= PREDICATE_READ) {
                    boolean hasValue = (seen & VALUE) != 0 && list == null;
                    predicate.read(json, place, json.getText(), new PredicateReader.Early(early, hasValue, value, row));
                    return;
                }
                early.clear();
            } else if (bit == KEY) {
                key = Json.key(json, place, keys);
            } else if (bit == VALUE && token == JsonToken.START_ARRAY) {
                list = place.at(json.currentTokenLocation());
                list(json);
            } else if (bit == VALUE) {
                value = Json.value(json, place, field, values);
            } else if (bit == EXPECTED && isScalar(token)) {
                expected = Json.value(json, place, field, values);
            } else if (bit == FOUND && isScalar(token)) {
                found = Json.value(json, place, field, values);
            } else if (bit == RESULT && isScalar(token)) {
                result = Json.value(json, place, field, values);
            } else if (bit == OK && (token == JsonToken.VALUE_TRUE || token == JsonToken.VALUE_FALSE)) {
                ok = token == JsonToken.VALUE_TRUE;
            } else if (bit == VERSION && token != JsonToken.VALUE_NULL && !builder.ignoresVersions()) {
                version = Json.integer(json, place, field);
            } else if (bit == ROW && token == JsonToken.START_OBJECT) {
                row = predicate.row(json, place);
            } else if (bit == MORE && ((seen & KIND) == 0 || kind == READ)) {
                predicate.further(json, place);
            } else if ((seen & KIND) == 0 && PredicateReader.isField(field)) {
                String at = place.at(json.currentTokenLocation());
                early.add(new PredicateReader.Field(field, Json.copy(json), at));
            } else {
                // For reads and writes these fields have no meaning, so their content is not checked here.
                seen &= bit == OK && token == JsonToken.VALUE_NULL ? -1 : ~bit;
                json.skipChildren();
            }
        }
        if (list != null && kind != READ) {
            throw new HistoryException(
                    list,
                    "the operation \"" + KINDS[kind] + "\" with a list as its value",
                    kind == APPEND ? "an integer or a string" : "an integer, a string or null",
                    kind == APPEND ? "append elements one by one" : "lists are read, and made by \"append\"");
        }
        boolean hasVersion = (seen & VERSION) != 0;
        if (hasVersion && (list != null || kind > WRITE || (seen & MORE) != 0)) {
            throw place.error(
                    json,
                    "a version of " + (list != null ? "a list" : "the operation \"" + KINDS[kind] + "\""),
                    "versions of reads and writes of single values",
                    "leave it out, or give --versions ignore");
        }
        if (kind == COMPARE_AND_SET) {
            compareAndSet(json, seen, key, expected, value, ok, found);
            return;
        }
        if (kind == DELETE) {
            delete(json, seen, key, value);
            return;
        }
        if ((seen & (KIND | KEY | VALUE)) != (KIND | KEY | VALUE)) {
            throw incomplete(json, kind, seen);
        }
        if (hasVersion) {
            value = builder.given(value, version);
        }
        if (row >= 0 && (kind == WRITE || kind == INSERT)) {
            builder.row(row);
        }
        if (kind == APPEND) {
            if (value == ValueDictionary.NULL) {
                throw place.error(json, "null as an element of a list", "an integer or a string", Json.LINE_REMEDY);
            }
            builder.append(key, value);
        } else if (kind == ADD) {
            add(json, key, value, (seen & RESULT) == 0 ? ValueDictionary.NULL : result);
        } else if (list != null) {
            builder.readList(key, elements);
        } else if (kind == WRITE) {
            builder.write(key, value);
        } else if (kind == READ) {
            builder.read(key, value);
            if ((seen & MORE) != 0) {
                predicate.more(key);
            }
        } else {
            builder.insert(key, value);
        }
    }

    /** Adds an addition, which is a read of what it found and a write of what it left if that is known. */
    private void add(JsonParser json, int key, long amount, long result) throws HistoryException {
        if (!values.isInteger(amount) || !(values.isInteger(result) || result == ValueDictionary.NULL)) {
            boolean isAmount = !values.isInteger(amount);
            throw place.error(
                    json,
                    "an \"add\" with the " + (isAmount ? "value " : "result ")
                            + values.label(isAmount ? amount : result),
                    "an integer",
                    Json.LINE_REMEDY);
        }
        if (result == ValueDictionary.NULL) {
            builder.add(key, amount);
            return;
        }
        long added = values.integer(amount);
        long left = values.integer(result);
        long before = left - added;
        if (((left ^ added) & (left ^ before)) < 0) {
            throw place.error(
                    json,
                    "an \"add\" of " + added + " with the result " + left,
                    "a result of 64 bits that it can reach from an integer of 64 bits",
                    "record larger values as strings, by \"r\" and \"w\"");
        }
        builder.read(key, values.code(before));
        builder.write(key, result);
    }

    private void delete(JsonParser json, int seen, int key, long value) throws HistoryException {
        if ((seen & KEY) == 0) {
            throw incomplete(json, DELETE, seen);
        }
        if ((seen & VALUE) != 0 && value != ValueDictionary.NULL) {
            throw place.error(
                    json, "a \"d\" with a value", "none, for a delete leaves no row", "write the value with \"w\"");
        }
        builder.delete(key);
    }

    private void list(JsonParser json) throws IOException, HistoryException {
        elements.clear();
        for (JsonToken token; (token = json.nextToken()) != JsonToken.END_ARRAY; ) {
            if (token != JsonToken.VALUE_NUMBER_INT && token != JsonToken.VALUE_STRING) {
                throw place.error(json, Json.describe(json) + " in a list", "an integer or a string", Json.LINE_REMEDY);
            }
            elements.add(Json.value(json, place, "value", values));
        }
    }

    private static boolean isScalar(JsonToken token) {
        return token == JsonToken.VALUE_NUMBER_INT || token == JsonToken.VALUE_STRING || token == JsonToken.VALUE_NULL;
    }

    /**
     * Adds a compare-and-set. If it was applied, it reads what it expected and writes. If it was refused, it reads the
     * value that it found, or is only known to have read another value than the expected. If its result is unknown, it
     * was applied if its transaction committed.
     */
    private void compareAndSet(
            JsonParser json, int seen, int key, long expected, long value, @Nullable Boolean ok, long found)
            throws HistoryException {
        boolean refused = Boolean.FALSE.equals(ok);
        int needed = KIND | KEY | EXPECTED | OK | (refused ? 0 : VALUE);
        if ((seen & needed) != needed) {
            String field =
                    (seen & KEY) == 0 ? "key" : (seen & EXPECTED) == 0 ? "expected" : (seen & OK) == 0 ? "ok" : "value";
            throw place.error(
                    json,
                    "a \"cas\" without \"" + field + "\"",
                    "key, expected, value and ok (true, false, or null where not known)",
                    Json.LINE_REMEDY);
        }
        if (!refused) {
            isOpen |= ok == null;
            builder.read(key, expected);
            builder.write(key, value);
        } else if ((seen & FOUND) == 0) {
            builder.read(key, values.otherThan(expected));
        } else if (found != expected) {
            builder.read(key, found);
        } else {
            throw place.error(
                    json,
                    "a \"cas\" that was refused although it found what it expected",
                    "\"found\" to be another value",
                    Json.LINE_REMEDY);
        }
    }

    private int kind(JsonParser json) throws IOException, HistoryException {
        if (json.currentToken() == JsonToken.VALUE_STRING && json.getTextLength() == 1) {
            // The most frequent kinds are recognized without creating a string.
            char kind = json.getTextCharacters()[json.getTextOffset()];
            if (kind == 'r' || kind == 'w') {
                return kind == 'r' ? READ : WRITE;
            }
        }
        String kind = json.currentToken() == JsonToken.VALUE_STRING ? json.getText() : "";
        return switch (kind) {
            case "r" -> READ;
            case "w" -> WRITE;
            case "i" -> INSERT;
            case "d" -> DELETE;
            case "cas" -> COMPARE_AND_SET;
            case "append" -> APPEND;
            case "add" -> ADD;
            case "pr" -> PREDICATE_READ;
            case "pw" -> PREDICATE_WRITE;
            case "pd" -> PREDICATE_DELETE;
            case "savepoint", "release", "rollback_to" -> SAVEPOINT;
            default -> throw place.error(json, Json.describe(json) + " as \"op\"", OPERATIONS, Json.LINE_REMEDY);
        };
    }

    private HistoryException incomplete(JsonParser json, int kind, int seen) {
        String field = (seen & KIND) == 0 ? "op" : (seen & KEY) == 0 ? "key" : "value";
        return place.error(
                json,
                "an operation without \"" + field + "\"",
                "op, key and value",
                field.equals("value") && kind == READ
                        ? "leave out a read whose result is not known"
                        : Json.LINE_REMEDY);
    }
}
