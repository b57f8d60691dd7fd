package org.polygraph.storage.testkit;

import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.util.HashSet;
import java.util.Set;
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
    private final String text;
    private final HistoryTableBuilder builder = new HistoryTableBuilder();
    private final Set<Long> sessionsSeen = new HashSet<>();
    private int at;

    private HistoryDsl(String text) {
        this.text = text;
    }

    /**
     * Reads a history, with reads and writes in place of operations on lists.
     *
     * @throws IllegalArgumentException naming the column, what was found and what was expected
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
        boolean word = !name.isEmpty() && isWordStart(name.charAt(0)) && !name.equals("null");
        for (int i = 0; i < name.length(); i++) {
            word &= isWordPart(name.charAt(i));
        }
        if (word) {
            out.append(name);
        } else {
            String escaped = name.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
            out.append('"').append(escaped).append('"');
        }
    }

    private HistoryTable history() {
        builder.file("dsl");
        skipBlanks();
        if (text.startsWith("init", at) && !isWordPart(charAt(at + 4))) {
            at += 4;
            builder.initialValue(value());
            if (!atEnd()) {
                expect(';', "';' after the initial value");
            }
        }
        if (!atEnd()) {
            session();
            while (!atEnd()) {
                expect(';', "an operation, '|', ';' or the end");
                session();
            }
        }
        try {
            return builder.build();
        } catch (HistoryException e) {
            throw new IllegalArgumentException(e.getMessage() + " in: " + text, e);
        }
    }

    private void session() {
        skipBlanks();
        int start = at;
        long label = sessionsSeen.size();
        if (charAt(at) == 's') {
            at++;
            label = integer("a session number, as in s0:");
            expect(':', "':' after the session's number");
        }
        if (!sessionsSeen.add(label)) {
            at = start;
            throw error("session s" + label + " a second time", "each session once");
        }
        long index = 0;
        transaction(label, index++);
        while (accept('|')) {
            transaction(label, index++);
        }
    }

    private void transaction(long session, long index) {
        skipBlanks();
        builder.begin(session, index, TransactionStatus.COMMITTED, at + 1L);
        if (accept('@')) {
            long start = integer("a start time in ns");
            expect('.', "'..' between start and end");
            expect('.', "'..' between start and end");
            builder.times(start, integer("an end time in ns"));
        }
        if (accept('!')) {
            builder.status(TransactionStatus.ABORTED);
        } else if (accept('?')) {
            builder.status(TransactionStatus.INDETERMINATE);
        }
        if (accept('(')) {
            expect(')', "')': '()' is a transaction without operations");
        } else {
            operation();
            while (isOperationNext()) {
                operation();
            }
        }
        builder.end();
    }

    private boolean isOperationNext() {
        skipBlanks();
        return "rwaid".indexOf(charAt(at)) >= 0;
    }

    private void operation() {
        skipBlanks();
        char kind = (char) charAt(at);
        if ("rwaid".indexOf(kind) < 0) {
            throw error(found(), "an operation: r(key,value) or w(key,value), or () for none");
        }
        at++;
        expect('(', "'(' after r or w");
        int key = key();
        expect(',', "',' between key and value");
        long value = kind == 'r' && accept('[') ? list(key) : value();
        expect(')', "')' after the value");
        switch (kind) {
            case 'w' -> builder.write(key, value);
            case 'a' -> builder.append(key, value);
            case 'i' -> builder.insert(key, value);
            case 'd' -> builder.delete(key);
            default -> builder.read(key, value);
        }
    }

    private long list(int key) {
        LongArrayList elements = new LongArrayList();
        while (!accept(']')) {
            elements.add(value());
        }
        return builder.list(key, elements);
    }

    private int key() {
        skipBlanks();
        return isNameNext() ? builder.keys().id(name()) : builder.keys().id(integer("a key"));
    }

    private long value() {
        skipBlanks();
        if (!isNameNext()) {
            return builder.values().code(integer("a value"));
        }
        boolean quoted = charAt(at) == '"';
        String name = name();
        return !quoted && name.equals("null")
                ? ValueDictionary.NULL
                : builder.values().code(name);
    }

    private boolean isNameNext() {
        return charAt(at) == '"' || isWordStart(charAt(at));
    }

    private String name() {
        StringBuilder name = new StringBuilder();
        if (charAt(at) != '"') {
            while (isWordPart(charAt(at))) {
                name.append(text.charAt(at++));
            }
            return name.toString();
        }
        int start = at++;
        while (charAt(at) != '"') {
            boolean escaped = charAt(at) == '\\';
            if (escaped) {
                at++;
            }
            if (at >= text.length()) {
                at = start;
                throw error("an open quote", "a closing '\"'");
            }
            char c = text.charAt(at++);
            name.append(escaped && c == 'n' ? '\n' : c);
        }
        at++;
        return name.toString();
    }

    private long integer(String expected) {
        skipBlanks();
        int start = at;
        if (charAt(at) == '-') {
            at++;
        }
        while (charAt(at) >= '0' && charAt(at) <= '9') {
            at++;
        }
        try {
            return Long.parseLong(text.substring(start, at));
        } catch (NumberFormatException e) {
            boolean digits = at > start + 1;
            String tooLarge = text.substring(start, at);
            at = start;
            throw error(digits ? tooLarge : found(), digits ? "an integer of 64 bits" : expected);
        }
    }

    private static boolean isWordStart(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    }

    private static boolean isWordPart(char c) {
        return isWordStart(c) || (c >= '0' && c <= '9');
    }

    /** The character at a place, or NUL after the end. */
    private char charAt(int position) {
        return position < text.length() ? text.charAt(position) : 0;
    }

    private boolean atEnd() {
        skipBlanks();
        return at == text.length();
    }

    private void skipBlanks() {
        while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
            at++;
        }
    }

    private boolean accept(char c) {
        skipBlanks();
        boolean next = charAt(at) == c;
        if (next) {
            at++;
        }
        return next;
    }

    private void expect(char c, String expected) {
        if (!accept(c)) {
            throw error(found(), expected);
        }
    }

    private String found() {
        return at >= text.length() ? "the end" : "'" + text.charAt(at) + "'";
    }

    private IllegalArgumentException error(String found, String expected) {
        return new IllegalArgumentException(
                "column " + (at + 1) + ": found " + found + "; expected " + expected + "; in: " + text);
    }
}
