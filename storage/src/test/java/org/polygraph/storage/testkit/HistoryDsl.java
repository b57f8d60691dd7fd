package org.polygraph.storage.testkit;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.dictionary.KeyDictionary;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.format.jsonl.JsonlReader;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;
import org.polygraph.storage.table.ListReduction;

/**
 * Converts tiny histories to one line of text, and back.
 *
 * <pre>
 * init 0; s0: w(x,1) r(y,0) | r(x,1); s1: !w(x,2); s2: @5..9 ?w(y,3)
 * init null a=4; pr(1..9,a=4) pw(1..9=3,a) pd(1..9); s1: @..7 cas(x,1,2,false) | r(y,[1 2]) a(y,3) i(z,1) d(z)
 *
 * history     = [ "init" value { key "=" value } ";" ] [ session { ";" session } ]
 * session     = [ "s" number ":" ] transaction { "|" transaction }
 * transaction = [ "@" [ start ] ".." [ end ] ] [ "!" | "?" ] ( "()" | operation { operation } )
 * operation   = word "(" field { "," field } ")"
 * field       = name | "null" | "_" | "[" { name } "]" | condition | row;  name = integer | word | quoted
 * </pre>
 *
 * {@code a} appends to a list. {@code pr} names the rows that it found, {@code pw} and {@code pd} the keys that they
 * wrote, or {@code ?} where these were not recorded, {@code ?2} if only their number was. {@code !} aborted, {@code ?}
 * indeterminate, {@code @} client times in ns, {@code ()} no operation. A session without a number has the number of its
 * place, from 0; one that occurs again goes on. Keys and values are integers or strings: a word of letters, digits and
 * {@code _}, or anything between double quotes with {@code \"}, {@code \\} and {@code \n}; {@code _} is null too. Without
 * {@code init} every key is null at first. Indexes within a session count from 0, and the source position of a
 * transaction is its number, from 2, as that of its line in JSON Lines.
 */
public final class HistoryDsl {
    private static final String QUOTED = "\"(?:[^\"\\\\]|\\\\.)*+\"";
    private static final Pattern INIT = Pattern.compile("\\s*init\\s+([^;]+?)\\s*(?:;|$)\\s*");
    private static final Pattern SESSION = Pattern.compile("\\s*s(-?\\d+)\\s*:");
    private static final Pattern TRANSACTION =
            Pattern.compile("\\s*(?:@(-?\\d*)\\.\\.(-?\\d*)\\s*)?([!?]?)\\s*(?:\\(\\))?");
    private static final Pattern FIELD = Pattern.compile("(?:" + QUOTED + "|\\[[^]]*]|[^,()\\[\"])+");
    private static final Pattern OPERATION =
            Pattern.compile("\\s*([a-z]+)\\(((?:" + QUOTED + "|\\[[^]]*]|[^()\\[\"])+)\\)");
    private static final Pattern BAR = Pattern.compile("\\s*\\|");
    private static final Pattern END = Pattern.compile("\\s*(?:;|$)\\s*");
    private static final Pattern ELEMENT = Pattern.compile(QUOTED + "|[^\\s\\[\\]]+");

    private final String text;
    private final Map<String, Integer> indexes = new HashMap<>();
    private final StringBuilder lines = new StringBuilder();
    private int at;
    /** What {@link #isNext} has found. */
    private Matcher found = BAR.matcher("");

    private HistoryDsl(String text) {
        this.text = text;
    }

    /**
     * Reads a history, with reads and writes in place of operations on lists.
     *
     * @throws IllegalArgumentException naming the column and what was expected
     */
    public static HistoryTable parse(String text) {
        HistoryTableBuilder builder = new HistoryTableBuilder();
        builder.file("dsl");
        try {
            new JsonlReader(builder)
                    .read("dsl", new ByteArrayInputStream(lines(text).getBytes(StandardCharsets.UTF_8)));
            return ListReduction.of(builder.build());
        } catch (IOException | HistoryException e) {
            throw new IllegalArgumentException(e.getMessage() + " in: " + text, e);
        }
    }

    /** The history as JSON Lines. They are written without code of the product. */
    public static String lines(String text) {
        return new HistoryDsl(text).lines();
    }

    /**
     * The line that {@link #parse} reads back to the same history: all but gaps in indexes, source positions and
     * metadata. Opaque values come back as strings.
     */
    public static String print(HistoryTable history) {
        StringBuilder out = new StringBuilder("init ");
        value(out, history.values(), history.initialValue());
        for (int s = 0; s < history.sessions(); s++) {
            out.append("; s").append(history.sessionLabel(s)).append(':');
            for (int t = history.firstTransaction(s); t < history.transactionsEnd(s); t++) {
                out.append(t == history.firstTransaction(s) ? " " : " | ");
                transaction(out, history, t);
            }
        }
        return out.toString();
    }

    private static void transaction(StringBuilder out, HistoryTable history, int t) {
        long[] starts = history.starts();
        long[] ends = history.ends();
        boolean timed = starts != null
                && ends != null
                && (starts[t] != HistoryTable.NO_TIME || ends[t] != HistoryTable.NO_TIME);
        if (timed) {
            String times = "@" + starts[t] + ".." + ends[t] + " ";
            out.append(times.replace(Long.toString(HistoryTable.NO_TIME), ""));
        }
        switch (history.status(t)) {
            case COMMITTED -> {}
            case ABORTED -> out.append('!');
            case INDETERMINATE -> out.append('?');
            case INITIAL -> out.append('^');
        }
        int from = history.firstOperation(t);
        int to = history.operationsEnd(t);
        if (from == to) {
            out.append("()");
        }
        for (int o = from; o < to; o++) {
            int keyAndKind = history.operationKeys()[o];
            out.append(o == from ? "" : " ")
                    .append(
                            (keyAndKind & 1) == 0
                                    ? "r("
                                    : history.isInsert(o) ? "i(" : history.isDelete(o) ? "d(" : "w(");
            key(out, history.keys(), keyAndKind >> 1);
            out.append(',');
            value(out, history.values(), history.value(o));
            out.append(')');
        }
    }

    private static void key(StringBuilder out, KeyDictionary keys, int key) {
        if (keys.isString(key)) {
            name(out, keys.string(key));
        } else {
            out.append(keys.integer(key));
        }
    }

    private static void value(StringBuilder out, ValueDictionary values, long code) {
        if (values.isNull(code)) {
            out.append("null");
        } else if (values.isInteger(code)) {
            out.append(values.integer(code));
        } else {
            name(out, values.text(code));
        }
    }

    private static void name(StringBuilder out, String name) {
        if (name.matches("[A-Za-z_]\\w*") && !name.matches("null|_")) {
            out.append(name);
        } else {
            String escaped = name.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
            out.append('"').append(escaped).append('"');
        }
    }

    private String lines() {
        String header = "null";
        if (isNext(INIT)) {
            String[] words = found.group(1).split("\\s+");
            List<String> state = Arrays.asList(words).subList(1, words.length);
            header = json(words[0]) + (state.isEmpty() ? "" : ",\"state\":" + array(state, HistoryDsl::pair));
        }
        for (int place = 0; at < text.length(); place++) {
            String session = isNext(SESSION) ? found.group(1) : Integer.toString(place);
            do {
                transaction(session);
            } while (isNext(BAR));
            if (!isNext(END)) {
                throw new IllegalArgumentException(
                        "column " + (at + 1) + ": expected an operation, '|', ';' or the end; in: " + text);
            }
        }
        return "{\"format\":\"history\",\"version\":1,\"initial\":{\"value\":" + header + "}}\n" + lines;
    }

    private void transaction(String session) {
        int index = indexes.merge(session, 1, Integer::sum) - 1;
        isNext(TRANSACTION);
        String times = time("start", found.group(1)) + time("end", found.group(2));
        String status =
                switch (found.group(3)) {
                    case "!" -> "aborted";
                    case "?" -> "indeterminate";
                    default -> "committed";
                };
        List<String> operations = new ArrayList<>();
        while (isNext(OPERATION)) {
            List<String> fields = FIELD.matcher(found.group(2))
                    .results()
                    .map(each -> each.group().strip())
                    .toList();
            operations.add("{\"op\":\"" + operation(found.group(1), fields) + "}");
        }
        lines.append("{\"session\":" + session + ",\"index\":" + index + times + ",\"status\":\"" + status
                + "\",\"ops\":" + operations + "}\n");
    }

    private static String time(String name, @Nullable String time) {
        return time == null || time.isEmpty() ? "" : ",\"" + name + "\":" + time;
    }

    /** The rest of an operation after {@code "op":"}. */
    private static String operation(String op, List<String> fields) {
        String key = "\",\"key\":" + json(fields.get(0));
        return switch (op) {
            case "d" -> op + key;
            case "a" -> "append" + key + ",\"value\":" + json(fields.get(1));
            case "cas" ->
                op + key + ",\"expected\":" + json(fields.get(1)) + ",\"value\":" + json(fields.get(2)) + ",\"ok\":"
                        + fields.get(3);
            case "savepoint" -> op + "\",\"name\":" + json(fields.get(0));
            case "rollback" -> "rollback_to\",\"name\":" + json(fields.get(0));
            case "pr", "pw", "pd" -> op + condition(op, fields.get(0), fields.subList(1, fields.size()));
            default -> op + key + ",\"value\":" + json(fields.get(1));
        };
    }

    private static String condition(String op, String condition, List<String> rows) {
        String[] bounds = condition.split("\\.\\.|=");
        String text = "\",\"lo\":" + bounds[0] + ",\"hi\":" + bounds[1]
                + (op.equals("pw") ? ",\"value\":" + json(bounds[2]) : "");
        if (!rows.isEmpty() && rows.get(0).startsWith("?")) {
            String count = rows.get(0).substring(1);
            return text + (count.isEmpty() ? "" : ",\"count\":" + count);
        }
        return text
                + (op.equals("pr")
                        ? ",\"rows\":" + array(rows, HistoryDsl::pair)
                        : ",\"keys\":" + array(rows, HistoryDsl::json));
    }

    private static String pair(String row) {
        return array(List.of(row.split("=")), HistoryDsl::json);
    }

    private static String array(List<String> names, UnaryOperator<String> each) {
        return names.stream().map(each).collect(Collectors.joining(",", "[", "]"));
    }

    private static String json(String name) {
        if (name.startsWith("[")) {
            return array(ELEMENT.matcher(name).results().map(MatchResult::group).toList(), HistoryDsl::json);
        }
        return name.matches("-?\\d+|null|\".*\"") ? name : name.equals("_") ? "null" : "\"" + name + "\"";
    }

    /** Whether the text goes on with a pattern, which is passed then. */
    private boolean isNext(Pattern pattern) {
        found = pattern.matcher(text).region(at, text.length());
        boolean isNext = found.lookingAt();
        at = isNext ? found.end() : at;
        return isNext;
    }
}
