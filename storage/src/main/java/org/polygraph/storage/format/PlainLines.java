package org.polygraph.storage.format;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.polygraph.storage.dictionary.KeyDictionary;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;

/**
 * JSON Lines as programs write them, parsed in place: lines of one transaction each whose fields are known, whose numbers have up
 * to 18 digits and whose strings are ASCII without escapes. Everything else, right or wrong, is left to {@link JsonlReader}, which
 * goes on from the beginning of the line; so this accepts or says nothing, and one place knows what is wrong.
 *
 * <p>A line that turns out not to be plain has left no trace but keys and values in the dictionaries, where the other reader
 * puts them in the same order.
 *
 * <p>Memory: 12 bytes an operation of the longest transaction.
 */
final class PlainLines {
    private static final int MOST_DIGITS = 18;
    /** Instead of a position: the line is not plain. */
    private static final int OTHER = -1;

    private static final byte[] SESSION = ascii("\"session\"");
    private static final byte[] INDEX = ascii("\"index\"");
    private static final byte[] STATUS = ascii("\"status\"");
    private static final byte[] OPS = ascii("\"ops\"");
    private static final byte[] START = ascii("\"start\"");
    private static final byte[] END = ascii("\"end\"");

    private static final byte[] OP = ascii("\"op\"");
    private static final byte[] KEY = ascii("\"key\"");
    private static final byte[] VALUE = ascii("\"value\"");
    private static final byte[] EXPECTED = ascii("\"expected\"");
    private static final byte[] OK = ascii("\"ok\"");
    private static final byte[] FOUND = ascii("\"found\"");

    private static final byte[] READ = ascii("\"r\"");
    private static final byte[] WRITE = ascii("\"w\"");
    private static final byte[] COMPARE_AND_SET = ascii("\"cas\"");
    private static final byte[] COMMITTED = ascii("\"committed\"");
    private static final byte[] NULL = ascii("null");
    private static final byte[] TRUE = ascii("true");
    private static final byte[] FALSE = ascii("false");

    private final HistoryTableBuilder builder;
    private final KeyDictionary keys;
    private final ValueDictionary values;
    private final LineBuffer lineBuffer;
    /** Of the above. Nothing plain goes over a newline, so no scan gets past the last. */
    private final byte[] buffer;

    /** What was parsed last. */
    private long number;

    // Of the open transaction.
    private long session;
    private long index;
    private long started;
    private long stopped;
    private TransactionStatus outcome = TransactionStatus.COMMITTED;
    /** Whether it has a compare-and-set of unknown result. */
    private boolean isOpen;

    private int[] operationKeys = new int[64];
    private long[] operationValues = new long[64];
    private int operations;

    // Of the open operation: as in JsonlReader.
    private int kind;
    private int key;
    private long value;
    private long expected;
    private long found;
    private byte ok;

    PlainLines(HistoryTableBuilder builder, LineBuffer lineBuffer) {
        this.builder = builder;
        this.lineBuffer = lineBuffer;
        buffer = lineBuffer.bytes();
        keys = builder.keys();
        values = builder.values();
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * Reads up to the first line that is not plain.
     *
     * @param before how many lines there were
     * @return how many there were then
     */
    long read(long before) throws IOException {
        long lines = before;
        while (lineBuffer.hasLine()) {
            int next = transaction(lineBuffer.position(), lines + 1);
            if (next == OTHER) {
                return lines;
            }
            lines += lineBuffer.moveTo(next);
        }
        return lines;
    }

    /** @return the position of the next line, or OTHER */
    private int transaction(int from, long line) {
        byte[] b = buffer;
        int p = spaces(from);
        if (b[p] == '\n') {
            return p + 1;
        }
        if (b[p] != '{') {
            return OTHER;
        }
        started = HistoryTable.NO_TIME;
        stopped = HistoryTable.NO_TIME;
        operations = 0;
        isOpen = false;
        int seen = 0;
        do {
            p = spaces(p + 1);
            int bit = field(p);
            if (bit == 0 || (seen & bit) != 0) {
                return OTHER;
            }
            seen |= bit;
            p = field(bit, separator(p + name(bit).length, ':'));
            if (p < 0) {
                return OTHER;
            }
            p = spaces(p);
        } while (b[p] == ',');
        boolean isWhole = b[p] == '}' && (seen & JsonlReader.REQUIRED) == JsonlReader.REQUIRED;
        if (!isWhole || (isOpen && outcome == TransactionStatus.COMMITTED)) {
            return OTHER;
        }
        p = endOfLine(p + 1);
        if (p < 0) {
            return OTHER;
        }
        builder.begin(session, index, outcome, line);
        if ((seen & (JsonlReader.START | JsonlReader.END)) != 0) {
            builder.times(started, stopped);
        }
        builder.operations(operationKeys, 0, operationValues, 0, operations);
        builder.end();
        return p;
    }

    /** The field whose name stands there, or 0. */
    private int field(int p) {
        byte[] b = buffer;
        int bit =
                switch (b[p + 1]) {
                    case 's' ->
                        b[p + 2] == 'e'
                                ? JsonlReader.SESSION
                                : b[p + 4] == 't' ? JsonlReader.STATUS : JsonlReader.START;
                    case 'i' -> JsonlReader.INDEX;
                    case 'o' -> JsonlReader.OPS;
                    case 'e' -> JsonlReader.END;
                    default -> 0;
                };
        return bit != 0 && isThere(p, name(bit)) ? bit : 0;
    }

    private static byte[] name(int bit) {
        return switch (bit) {
            case JsonlReader.SESSION -> SESSION;
            case JsonlReader.INDEX -> INDEX;
            case JsonlReader.STATUS -> STATUS;
            case JsonlReader.OPS -> OPS;
            case JsonlReader.START -> START;
            default -> END;
        };
    }

    /** @return the position behind its value, or OTHER */
    private int field(int bit, int p) {
        if (p < 0) {
            return OTHER;
        }
        if (bit == JsonlReader.OPS) {
            return operations(p);
        }
        if (bit == JsonlReader.STATUS) {
            return status(p);
        }
        int next = number(p);
        switch (bit) {
            case JsonlReader.SESSION -> session = number;
            case JsonlReader.INDEX -> index = number;
            case JsonlReader.START -> started = number;
            default -> stopped = number;
        }
        return next;
    }

    private int status(int p) {
        if (isThere(p, COMMITTED)) {
            outcome = TransactionStatus.COMMITTED;
            return p + COMMITTED.length;
        }
        int close = endOfText(p);
        TransactionStatus named = close < 0 ? null : JsonlReader.outcome(text(p, close));
        if (named == null) {
            return OTHER;
        }
        outcome = named;
        return close;
    }

    private int operations(int from) {
        byte[] b = buffer;
        if (b[from] != '[') {
            return OTHER;
        }
        int p = spaces(from + 1);
        if (b[p] == ']') {
            return p + 1;
        }
        for (; ; p = spaces(p + 1)) {
            p = operation(p);
            if (p < 0) {
                return OTHER;
            }
            p = spaces(p);
            if (b[p] != ',') {
                return b[p] == ']' ? p + 1 : OTHER;
            }
        }
    }

    private int operation(int from) {
        byte[] b = buffer;
        if (b[from] != '{') {
            return OTHER;
        }
        int p = from;
        int seen = 0;
        do {
            p = spaces(p + 1);
            int bit = part(p);
            if (bit == 0 || (seen & bit) != 0) {
                return OTHER;
            }
            seen |= bit;
            p = part(bit, separator(p + partName(bit).length, ':'));
            if (p < 0) {
                return OTHER;
            }
            p = spaces(p);
        } while (b[p] == ',');
        return b[p] == '}' && isAdded(seen) ? p + 1 : OTHER;
    }

    /** The field of an operation whose name stands there, or 0. */
    private int part(int p) {
        byte[] b = buffer;
        int bit =
                switch (b[p + 1]) {
                    case 'o' -> b[p + 2] == 'p' ? JsonlReader.KIND : JsonlReader.OK;
                    case 'k' -> JsonlReader.KEY;
                    case 'v' -> JsonlReader.VALUE;
                    case 'e' -> JsonlReader.EXPECTED;
                    case 'f' -> JsonlReader.FOUND;
                    default -> 0;
                };
        return bit != 0 && isThere(p, partName(bit)) ? bit : 0;
    }

    private static byte[] partName(int bit) {
        return switch (bit) {
            case JsonlReader.KIND -> OP;
            case JsonlReader.KEY -> KEY;
            case JsonlReader.VALUE -> VALUE;
            case JsonlReader.EXPECTED -> EXPECTED;
            case JsonlReader.OK -> OK;
            default -> FOUND;
        };
    }

    private int part(int bit, int p) {
        if (p < 0) {
            return OTHER;
        }
        switch (bit) {
            case JsonlReader.KIND -> {
                return kind(p);
            }
            case JsonlReader.KEY -> {
                return key(p);
            }
            case JsonlReader.OK -> {
                return result(p);
            }
            default -> {
                int next = value(p);
                if (bit == JsonlReader.VALUE) {
                    value = number;
                } else if (bit == JsonlReader.EXPECTED) {
                    expected = number;
                } else {
                    found = number;
                }
                return next;
            }
        }
    }

    private int kind(int p) {
        kind = isThere(p, READ)
                ? JsonlReader.READ
                : isThere(p, WRITE)
                        ? JsonlReader.WRITE
                        : isThere(p, COMPARE_AND_SET) ? JsonlReader.COMPARE_AND_SET : OTHER;
        return kind < 0 ? OTHER : p + (kind == JsonlReader.COMPARE_AND_SET ? COMPARE_AND_SET.length : READ.length);
    }

    private int key(int p) {
        if (buffer[p] == '"') {
            int close = endOfText(p);
            if (close >= 0) {
                key = keys.id(text(p, close));
            }
            return close;
        }
        int next = number(p);
        if (next >= 0) {
            key = keys.id(number);
        }
        return next;
    }

    private int result(int p) {
        if (isThere(p, TRUE)) {
            ok = 1;
            return p + TRUE.length;
        }
        ok = (byte) (isThere(p, FALSE) ? 0 : OTHER);
        return ok == 0 ? p + FALSE.length : isThere(p, NULL) ? p + NULL.length : OTHER;
    }

    /** Leaves its code in {@link #number}. */
    private int value(int p) {
        if (buffer[p] == '"') {
            int close = endOfText(p);
            if (close >= 0) {
                number = values.code(text(p, close));
            }
            return close;
        }
        if (isThere(p, NULL)) {
            number = ValueDictionary.NULL;
            return p + NULL.length;
        }
        // Of so few digits it is its own code.
        return number(p);
    }

    /** Adds the operation with these fields, as {@link JsonlReader} does; false leaves it to that. */
    private boolean isAdded(int seen) {
        int needed = JsonlReader.KIND | JsonlReader.KEY;
        if (kind != JsonlReader.COMPARE_AND_SET) {
            if ((seen & (needed | JsonlReader.VALUE)) != (needed | JsonlReader.VALUE)) {
                return false;
            }
            add(kind == JsonlReader.WRITE, value);
            return true;
        }
        boolean isRefused = ok == 0;
        needed |= JsonlReader.EXPECTED | JsonlReader.OK | (isRefused ? 0 : JsonlReader.VALUE);
        boolean isFound = (seen & JsonlReader.FOUND) != 0;
        if ((seen & needed) != needed || (isRefused && isFound && found == expected)) {
            return false;
        }
        if (isRefused) {
            add(false, isFound ? found : values.otherThan(expected));
        } else {
            isOpen |= ok != 1;
            add(false, expected);
            add(true, value);
        }
        return true;
    }

    private void add(boolean isWrite, long code) {
        if (operations == operationKeys.length) {
            operationKeys = Arrays.copyOf(operationKeys, 2 * operations);
            operationValues = Arrays.copyOf(operationValues, 2 * operations);
        }
        operationKeys[operations] = key << 1 | (isWrite ? 1 : 0);
        operationValues[operations++] = code;
    }

    private boolean isThere(int from, byte[] text) {
        byte[] b = buffer;
        for (int i = 0; i < text.length; i++) {
            if (b[from + i] != text[i]) {
                return false;
            }
        }
        return true;
    }

    private int spaces(int from) {
        byte[] b = buffer;
        int p = from;
        while (b[p] == ' ' || b[p] == '\t') {
            p++;
        }
        return p;
    }

    /** @return the position of what comes behind it, or OTHER */
    private int separator(int from, char separator) {
        int p = spaces(from);
        return buffer[p] == separator ? spaces(p + 1) : OTHER;
    }

    private int endOfLine(int from) {
        int p = spaces(from);
        if (buffer[p] == '\r' && lineBuffer.isText(p + 1)) {
            p++;
        }
        return buffer[p] == '\n' ? p + 1 : OTHER;
    }

    /** Parses an integer; whatever stands behind it is not part of it only if it is no digit, point or exponent. */
    private int number(int from) {
        byte[] b = buffer;
        int p = b[from] == '-' ? from + 1 : from;
        int first = p;
        long n = 0;
        for (int d; (d = b[p] - '0') >= 0 && d <= 9; p++) {
            n = n * 10 + d;
        }
        int digits = p - first;
        if (digits == 0 || digits > MOST_DIGITS || (b[first] == '0' && p > from + 1)) {
            return OTHER;
        }
        number = first > from ? -n : n;
        return p;
    }

    /** Behind the quote that ends the string, or OTHER where there is none or one with more than plain characters. */
    private int endOfText(int from) {
        byte[] b = buffer;
        if (b[from] != '"') {
            return OTHER;
        }
        int p = from + 1;
        // Bytes beyond ASCII are negative.
        while (b[p] >= ' ' && b[p] != '"' && b[p] != '\\') {
            p++;
        }
        return b[p] == '"' ? p + 1 : OTHER;
    }

    private String text(int from, int end) {
        return new String(buffer, from + 1, end - from - 2, StandardCharsets.ISO_8859_1);
    }
}
