package org.polygraph.storage.format.edn;

import it.unimi.dsi.fastutil.ints.Int2LongMap;
import java.io.BufferedWriter;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.format.io.HistoryExport;
import org.polygraph.storage.format.io.Shown;
import org.polygraph.storage.format.io.UnwritableException;
import org.polygraph.storage.format.jsonl.OperationWalk;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.Condition;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;
import org.polygraph.storage.table.Predicates;

/**
 * Writes the transactions of a history as operations of Jepsen, in EDN or in JSON. If it has times, each is an
 * invocation and a completion, in the order of the times; if not, it is a completion alone, because a reader takes the
 * order of invocations for times. The initial value is written as nil. Indexes number the calls.
 */
public final class CallWriter implements HistoryExport {
    private static final String REMEDY = "jsonl, parquet and arrow have it";

    private final HistoryTable table;
    private final boolean isJson;
    private final boolean isTimed;
    private final OperationWalk walk;
    /** By text of a key or a value that begins like the name of something else than a string: how it is written. */
    private final Map<String, String> names = new HashMap<>();
    /** The number of calls so far. */
    private int calls;
    /** The transaction that is being written; negative before the first. */
    private int current = -1;

    public CallWriter(HistoryTable table, boolean isJson) {
        this.table = table;
        this.isJson = isJson;
        this.isTimed = isTimed(table);
        this.walk = new OperationWalk(table);
    }

    /** Whether calls have different times. If they have one time or none, a reader takes their order instead. */
    private static boolean isTimed(HistoryTable table) {
        for (int t = 0; t < table.transactions(); t++) {
            long first = CallOrder.time(table.starts(), 0);
            if (CallOrder.time(table.starts(), t) != first || CallOrder.time(table.ends(), t) != first) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void write(OutputStream stream) throws IOException {
        if (table.transactions() == 0) {
            throw UnwritableException.empty(table);
        }
        Writer out = new BufferedWriter(new OutputStreamWriter(stream, StandardCharsets.UTF_8));
        out.write(isJson ? "[" : "");
        initialState(out);
        if (isTimed) {
            new CallOrder(table).forEach((t, isEnd) -> call(out, t, isEnd));
        } else {
            for (int t = 0; t < table.transactions(); t++) {
                call(out, t, true);
            }
        }
        out.write(isJson ? "]\n" : "");
        out.flush();
    }

    /** Writes the initial values of single keys, as the result of an operation before all others. */
    private void initialState(Writer out) throws IOException {
        Int2LongMap state = table.initialState();
        boolean hasRows = (state != null && !state.isEmpty()) || table.hasRows() || table.recordedPredicates() != null;
        if (table.initialValue() != ValueDictionary.NULL && hasRows) {
            throw refusal("the initial value " + shown(table.initialValue()) + " of a history with rows", "null");
        }
        List<String> rows = new ArrayList<>();
        int strings = 0;
        for (int key = 0; state != null && key < table.recordedKeys(); key++) {
            long value = state.getOrDefault(key, ValueDictionary.NULL);
            if (value != ValueDictionary.NULL) {
                boolean isString = table.keys().isString(key);
                strings += isString ? 1 : 0;
                rows.add(isJson && isString ? key(key) + ":" + integer(value) : vector(key(key), integer(value)));
            }
        }
        if (isJson && strings > 0 && strings < rows.size()) {
            throw refusal(
                    "initial values of keys that are integers and of others that are strings", "keys of one kind");
        }
        if (!rows.isEmpty()) {
            // In JSON the first string of a pair is the name of a micro-operation.
            String value = isJson && strings > 0 ? "{" + String.join(",", rows) + "}" : vector(rows);
            write(out, "ok", "init", value, 0, HistoryTable.NO_TIME, null);
        }
    }

    private void call(Writer out, int t, boolean isEnd) throws IOException {
        current = t;
        String type =
                switch (table.status(t)) {
                    case COMMITTED -> "ok";
                    case ABORTED -> "fail";
                    default -> "info";
                };
        List<String> operations = new ArrayList<>();
        for (walk.seek(t); walk.next(); ) {
            operations.add(operation(isEnd));
        }
        write(
                out,
                isEnd ? type : "invoke",
                "txn",
                vector(operations),
                table.sessionLabel(table.sessionOf(t)),
                isTimed ? CallOrder.time(isEnd ? table.ends() : table.starts(), t) : HistoryTable.NO_TIME,
                isEnd ? table.errorOf(t) : null);
    }

    private void write(
            Writer out, String type, String function, String value, long process, long time, @Nullable String error)
            throws IOException {
        List<String> fields = new ArrayList<>(
                List.of(field("type", keyword(type)), field("f", keyword(function)), field("value", value)));
        if (time != HistoryTable.NO_TIME) {
            fields.add(field("time", Long.toString(time)));
        }
        if (error != null) {
            fields.add(field("error", literal(error)));
        }
        fields.add(field("process", Long.toString(process)));
        fields.add(field("index", Integer.toString(calls)));
        out.write((isJson && calls > 0 ? ",\n{" : "{")
                + String.join(isJson ? "," : ", ", fields)
                + (isJson ? "}" : "}\n"));
        calls++;
    }

    private String field(String name, String value) {
        return isJson ? keyword(name) + ":" + value : keyword(name) + " " + value;
    }

    private String keyword(String name) {
        return isJson ? '"' + name + '"' : ":" + name;
    }

    private String vector(String... elements) {
        return vector(List.of(elements));
    }

    private String vector(List<String> elements) {
        return "[" + String.join(isJson ? "," : " ", elements) + "]";
    }

    /** Returns the current operation of the walk. @param isEnd whether its result is part of it */
    private String operation(boolean isEnd) throws UnwritableException {
        Predicates.Recording predicate = walk.recording();
        if (predicate != null) {
            if (!predicate.isRead()) {
                throw refusal("a write by a condition", "writes of single rows");
            }
            return vector(
                    keyword("rp"),
                    condition(predicate.condition()),
                    isEnd ? rows(predicate) : value(ValueDictionary.NULL));
        }
        int o = walk.operation();
        long code = table.value(o);
        if (walk.hasFields() || table.values().isOther(code) || table.isAddition(o)) {
            throw refusal(
                    walk.hasFields()
                            ? "columns of a row, or two rows with one key,"
                            : table.isAddition(o)
                                    ? "an addition whose sum is not known"
                                    : "a refused compare-and-set without what it found",
                    "reads and writes of single values");
        }
        String key = key(table.key(o));
        if (table.isWrite(o)) {
            return table.isDelete(o)
                    ? vector(keyword("delete"), key)
                    : table.isAppend(o)
                            ? vector(keyword("append"), key, scalar(code))
                            : vector(keyword(table.isInsert(o) ? "insert" : "w"), key, written(code));
        }
        long[] elements = table.elements(o);
        if (!isEnd || elements == null) {
            boolean isLost =
                    isEnd && code == table.initialValue() && table.status(current) == TransactionStatus.INDETERMINATE;
            if (isLost) {
                throw refusal(
                        "a read of the initial value in a transaction of unknown outcome",
                        "another value, because nil is a read without a result there");
            }
            return vector(keyword("r"), key, value(isEnd ? code : table.initialValue()));
        }
        List<String> list = new ArrayList<>();
        for (long element : elements) {
            list.add(scalar(element));
        }
        return vector(keyword("r"), key, vector(list));
    }

    private String condition(Condition condition) throws UnwritableException {
        Condition.Term term = condition.terms().get(0);
        boolean isOfValue =
                term.column() == Condition.VALUE && condition.terms().size() == 1;
        boolean isOne = term.low() == term.high();
        if (isOfValue && term.modulus() == 0 && term.low() == Long.MIN_VALUE && term.high() == Long.MAX_VALUE) {
            return keyword("true");
        }
        if (!isOfValue || !isOne) {
            throw refusal("the condition " + Shown.text(condition.label()), "all rows, one value, or one remainder");
        }
        return term.modulus() == 0
                ? vector(keyword("="), Long.toString(term.low()))
                : vector(keyword("mod"), Long.toString(term.modulus()), Long.toString(term.low()));
    }

    private String rows(Predicates.Recording predicate) throws UnwritableException {
        int[] keys = predicate.keys();
        List<String> rows = new ArrayList<>();
        boolean isMap = !isJson;
        for (int i = 0; keys != null && i < keys.length; i++) {
            isMap &= !table.isRepeatedRow(walk.firstRow() + i);
        }
        for (int i = 0; keys != null && i < keys.length; i++) {
            int o = walk.firstRow() + i;
            String value = integer(table.value(o));
            rows.add(isMap ? key(table.key(o)) + " " + value : vector(key(table.key(o)), value));
        }
        return isMap ? "{" + String.join(", ", rows) + "}" : vector(rows);
    }

    private String integer(long code) throws UnwritableException {
        if (!table.values().isInteger(code)) {
            throw refusal("the value " + shown(code) + " of a row", "integers, which predicates compare");
        }
        return Long.toString(table.values().integer(code));
    }

    /** Returns a value that is written. */
    private String written(long code) throws UnwritableException {
        return table.recordedPredicates() == null ? value(code) : integer(code);
    }

    private String value(long code) throws UnwritableException {
        return code == table.initialValue() ? (isJson ? "null" : "nil") : scalar(code);
    }

    private String scalar(long code) throws UnwritableException {
        ValueDictionary values = table.values();
        if (values.isNull(code)) {
            throw refusal(
                    "null beside the initial value " + shown(table.initialValue()),
                    "one of the two, because nil is the initial value");
        }
        return values.isInteger(code) ? Long.toString(values.integer(code)) : name(values.text(code), false);
    }

    private String key(int key) throws UnwritableException {
        return table.keys().isString(key)
                ? name(table.keys().string(key), true)
                : Long.toString(table.keys().integer(key));
    }

    /** Returns how a text is written so that a reader returns it. */
    private String name(String text, boolean isKey) throws UnwritableException {
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
            throw refusal("half of a surrogate pair in " + Shown.text(text), "text that UTF-8 has bytes for");
        }
        boolean isPlain = text.isEmpty() || ":#\"".indexOf(text.charAt(0)) < 0;
        String known = isPlain ? literal(text) : names.get((isKey ? "k" : "v") + text);
        if (known == null) {
            known = candidate(text);
            if (!isRead(known, text, isKey)) {
                throw refusal((isKey ? "the key " : "the value ") + Shown.text(text), "a name that the format has");
            }
            names.put((isKey ? "k" : "v") + text, known);
        }
        return known;
    }

    /** Returns what a reader may give the name. */
    private String candidate(String name) {
        char first = name.charAt(0);
        if (first == '"') {
            return literal(name.substring(1, Math.max(1, name.length() - 1)).replaceAll("\\\\([\\\\\"])", "$1"));
        }
        return first == ':' ? name : name.substring(1);
    }

    /** Whether the reader gives a token the name that is to be written. */
    private boolean isRead(String token, String name, boolean isKey) {
        String line = "{" + field("type", keyword("ok")) + "," + field("process", "0") + ","
                + field("f", keyword("txn")) + ","
                + field("value", vector(vector(keyword("w"), isKey ? token : "1", isKey ? "1" : token))) + "}";
        ByteArrayInputStream in = new ByteArrayInputStream(line.getBytes(StandardCharsets.UTF_8));
        HistoryTableBuilder builder = new HistoryTableBuilder();
        try {
            if (isJson) {
                EdnReader.readJson("", in, builder);
            } else {
                EdnReader.read("", in, builder);
            }
            HistoryTable read = builder.build();
            boolean isString = isKey ? read.keys().isString(0) : read.values().isString(read.value(0));
            return isString && (isKey ? read.keys().string(0) : read.values().text(read.value(0))).equals(name);
        } catch (IOException | HistoryException e) {
            return false;
        }
    }

    /** Returns a string between quotes. */
    private static String literal(String text) {
        StringBuilder out = new StringBuilder(text.length() + 2).append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < ' ' || c == 127) {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c == '"' || c == '\\' ? "\\" : "").append(c);
            }
        }
        return out.append('"').toString();
    }

    private String shown(long code) {
        return Shown.text(table.values().label(code));
    }

    private UnwritableException refusal(String found, String expected) {
        return current < 0
                ? UnwritableException.of(table, found, expected, REMEDY)
                : new UnwritableException(table.whereIs(current), found, expected, REMEDY);
    }
}
