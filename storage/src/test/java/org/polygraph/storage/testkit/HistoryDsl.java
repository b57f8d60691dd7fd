package org.polygraph.storage.testkit;

import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.polygraph.storage.dictionary.KeyDictionary;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;
import org.polygraph.storage.table.ListReduction;

/**
 * Converts tiny histories to one line of text, and back.
 *
 * <pre>
 * init 0; s0: w(x,1) r(y,0) | r(x,1); s1: !w(x,2); s2: @5..9 ?w(y,3)
 *
 * history     = [ "init" value ";" ] [ session { ";" session } ]
 * session     = [ "s" number ":" ] transaction { "|" transaction }
 * transaction = [ "@" start ".." end ] [ "!" | "?" ] ( "()" | operation { operation } )
 * operation   = ( "r" | "w" | "a" | "i" | "d" ) "(" name "," value ")" | "r" "(" name "," "[" { value } "]" ")"
 * value       = name | "null";  name = integer | word | quoted
 * </pre>
 *
 * {@code a} appends to a list. {@code !} aborted, {@code ?} indeterminate, {@code @} client times in ns, {@code ()} no
 * operation. A session without a number has the number of its place, from 0. Keys and values are integers or strings: a
 * word of letters, digits and {@code _}, or anything between double quotes with {@code \"}, {@code \\} and {@code \n}.
 * Without {@code init} every key is null at first. Indexes within a session count from 0 and the source position of a
 * transaction is its column, from 1.
 */
public final class HistoryDsl {
    private static final String INTEGER = "-?\\d+";
    private static final String NAME = "-?\\d+|[A-Za-z_]\\w*|\"(?:[^\"\\\\]|\\\\.)*+\"";
    private static final Pattern INIT = Pattern.compile("\\s*init\\s+(" + NAME + ")\\s*(?:;|$)\\s*");
    private static final Pattern SESSION = Pattern.compile("\\s*s(-?\\d+)\\s*:");
    private static final Pattern BLANKS = Pattern.compile("\\s*");
    private static final Pattern TIMES = Pattern.compile("@(-?\\d+)\\.\\.(-?\\d+)\\s*");
    private static final Pattern OUTCOME = Pattern.compile("([!?])\\s*");
    private static final Pattern NOTHING = Pattern.compile("\\(\\)");
    private static final Pattern OPERATION =
            Pattern.compile("\\s*([rwaid])\\(\\s*(" + NAME + ")\\s*,\\s*(" + NAME + "|\\[[^]]*])\\s*\\)");
    private static final Pattern BAR = Pattern.compile("\\s*\\|");
    private static final Pattern END = Pattern.compile("\\s*(?:;|$)\\s*");
    private static final Pattern ESCAPED = Pattern.compile("\\\\(.)");

    private final String text;
    private final HistoryTableBuilder builder = new HistoryTableBuilder();
    private int at;
    /** What {@link #isNext} has found. */
    private Matcher found = BLANKS.matcher("");

    private HistoryDsl(String text) {
        this.text = text;
    }

    /**
     * Reads a history, with reads and writes in place of operations on lists.
     *
     * @throws IllegalArgumentException naming the column and what was expected
     */
    public static HistoryTable parse(String text) {
        return ListReduction.of(new HistoryDsl(text).history());
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
            out.append('@').append(starts[t]).append("..").append(ends[t]).append(' ');
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
        if (name.matches("[A-Za-z_]\\w*") && !name.equals("null")) {
            out.append(name);
        } else {
            String escaped = name.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
            out.append('"').append(escaped).append('"');
        }
    }

    private HistoryTable history() {
        builder.file("dsl");
        if (isNext(INIT)) {
            builder.initialValue(value(found.group(1)));
        }
        for (int place = 0; at < text.length(); place++) {
            long session = isNext(SESSION) ? Long.parseLong(found.group(1)) : place;
            long index = 0;
            do {
                transaction(session, index++);
            } while (isNext(BAR));
            expect(isNext(END), "an operation, '|', ';' or the end");
        }
        try {
            return builder.build();
        } catch (HistoryException e) {
            throw new IllegalArgumentException(e.getMessage() + " in: " + text, e);
        }
    }

    private void transaction(long session, long index) {
        isNext(BLANKS);
        builder.begin(session, index, TransactionStatus.COMMITTED, at + 1L);
        if (isNext(TIMES)) {
            builder.times(Long.parseLong(found.group(1)), Long.parseLong(found.group(2)));
        }
        if (isNext(OUTCOME)) {
            builder.status(found.group(1).equals("!") ? TransactionStatus.ABORTED : TransactionStatus.INDETERMINATE);
        }
        if (!isNext(NOTHING)) {
            expect(isNext(OPERATION), "an operation: r(key,value) or w(key,value), or () for none");
            do {
                operation(found.group(1), found.group(2), found.group(3));
            } while (isNext(OPERATION));
        }
        builder.end();
    }

    private void operation(String kind, String name, String value) {
        int key = name.matches(INTEGER)
                ? builder.keys().id(Long.parseLong(name))
                : builder.keys().id(unquoted(name));
        if (value.startsWith("[")) {
            LongArrayList elements = new LongArrayList();
            Pattern.compile(NAME).matcher(value).results().forEach(each -> elements.add(value(each.group())));
            builder.read(key, builder.list(key, elements));
            return;
        }
        switch (kind) {
            case "w" -> builder.write(key, value(value));
            case "a" -> builder.append(key, value(value));
            case "i" -> builder.insert(key, value(value));
            case "d" -> builder.delete(key);
            default -> builder.read(key, value(value));
        }
    }

    private long value(String name) {
        return name.equals("null")
                ? ValueDictionary.NULL
                : name.matches(INTEGER)
                        ? builder.values().code(Long.parseLong(name))
                        : builder.values().code(unquoted(name));
    }

    private static String unquoted(String name) {
        return name.startsWith("\"")
                ? ESCAPED.matcher(name.substring(1, name.length() - 1))
                        .replaceAll(each -> each.group(1).equals("n") ? "\n" : Matcher.quoteReplacement(each.group(1)))
                : name;
    }

    /** Whether the text goes on with a pattern, which is passed then. */
    private boolean isNext(Pattern pattern) {
        found = pattern.matcher(text).region(at, text.length());
        boolean isNext = found.lookingAt();
        at = isNext ? found.end() : at;
        return isNext;
    }

    private void expect(boolean isThere, String expected) {
        if (!isThere) {
            throw new IllegalArgumentException("column " + (at + 1) + ": expected " + expected + "; in: " + text);
        }
    }
}
