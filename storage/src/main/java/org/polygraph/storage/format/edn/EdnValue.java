package org.polygraph.storage.format.edn;

import java.io.IOException;
import java.util.Arrays;
import org.polygraph.storage.format.edn.CallTokens.Token;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTableBuilder;

/**
 * The tokens of one value, kept until the whole map is read. Memory: 25 bytes a token, and the texts. One object is
 * used for many values.
 */
final class EdnValue {
    private static final Token[] TOKENS = Token.values();
    /** The most tokens, and the most bytes of their texts. */
    private static final int MOST = 1 << 30;

    private static final int BYTES_PER_TOKEN = 25;

    private final CallTokens in;
    private final HistoryTableBuilder builder;
    private byte[] tokens = new byte[64];
    /**
     * By token: an integer's value, or for other tokens except brackets the beginning of the text, shifted, and its
     * length.
     */
    private long[] payloads = new long[64];

    private long[] lines = new long[64];
    private long[] columns = new long[64];
    private int size;
    private byte[] text = new byte[256];
    private int textLength;
    private int at;

    /** @param builder counts the memory that is held */
    EdnValue(CallTokens in, HistoryTableBuilder builder) {
        this.in = in;
        this.builder = builder;
    }

    void clear() {
        size = 0;
        textLength = 0;
        at = 0;
    }

    /** Reads the value that begins with the current token, to its end. */
    void take() throws IOException, HistoryException {
        clear();
        int open = 0;
        do {
            Token token = in.token();
            if (size == tokens.length) {
                grow();
            }
            tokens[size] = (byte) token.ordinal();
            lines[size] = in.line();
            columns[size] = in.column();
            if (token == Token.INTEGER) {
                payloads[size] = in.integer();
            } else if (token.isOpen()) {
                open++;
            } else if (token == Token.CLOSE) {
                open--;
            } else {
                payloads[size] = (long) textLength << Integer.SIZE | in.length();
                takeText();
            }
            size++;
        } while (open > 0 && in.nextValue() != Token.END);
    }

    private void grow() {
        if (size == MOST) {
            throw tooLong();
        }
        builder.reserve((long) BYTES_PER_TOKEN * size);
        int capacity = 2 * size;
        tokens = Arrays.copyOf(tokens, capacity);
        payloads = Arrays.copyOf(payloads, capacity);
        lines = Arrays.copyOf(lines, capacity);
        columns = Arrays.copyOf(columns, capacity);
    }

    private void takeText() {
        int end = textLength + in.length();
        if (end > MOST) {
            throw tooLong();
        }
        if (end > text.length) {
            int capacity = Math.max(end, (int) Math.min(2L * text.length, MOST));
            builder.reserve(capacity - text.length);
            text = Arrays.copyOf(text, capacity);
        }
        in.copyText(text, textLength);
        textLength = end;
    }

    private static BudgetException tooLong() {
        return new BudgetException("a value of more than " + MOST + " tokens or bytes of text does not fit in memory");
    }

    boolean isEmpty() {
        return size == 0;
    }

    /** Whether the value is nil or absent. */
    boolean isNil() {
        return size == 0 || isNil(0);
    }

    /** Whether the value is a vector or a list. */
    boolean isSequence() {
        return isSequence(0);
    }

    /** Whether the value is a sequence whose second element is a sequence and whose first element is not. */
    boolean isPairWithSequence() {
        return isSequence(0) && isSequence(2);
    }

    /** Whether the value is a sequence whose second element is a set and whose first element is no collection. */
    boolean isPairWithSet() {
        return isSequence(0) && size > 2 && TOKENS[tokens[2]] == Token.SET;
    }

    /** Whether the token after the next one begins a set. */
    boolean nextIsSet() {
        return at + 1 < size && TOKENS[tokens[at + 1]] == Token.SET;
    }

    /** Returns the number of elements of the value, which is a collection. */
    int elements() {
        int elements = 0;
        int open = 0;
        for (int i = 1; i < size - 1; i++) {
            elements += open == 0 ? 1 : 0;
            open += TOKENS[tokens[i]].isOpen() ? 1 : TOKENS[tokens[i]] == Token.CLOSE ? -1 : 0;
        }
        return elements;
    }

    private boolean isSequence(int i) {
        return i < size && TOKENS[tokens[i]].isSequence();
    }

    void rewind() {
        at = 0;
    }

    /** Returns the next token, or {@link Token#END} after the last. */
    Token peek() {
        return at < size ? TOKENS[tokens[at]] : Token.END;
    }

    boolean peekIsNil() {
        return at < size && isNil(at);
    }

    private boolean isNil(int i) {
        return TOKENS[tokens[i]] == Token.SYMBOL && isText(i, "nil");
    }

    /** Whether the next token is the given keyword. */
    boolean peekIs(String keyword) {
        return peek() == Token.KEYWORD && isText(at, keyword);
    }

    /** Whether the next token is a keyword, a symbol or a string with the given name, which has no colon. */
    boolean peekIsNamed(String name) {
        return peek() == Token.KEYWORD
                ? isText(at, ':' + name)
                : (peek() == Token.SYMBOL || peek() == Token.STRING) && isText(at, name);
    }

    private boolean isText(int i, String ascii) {
        return CallTokens.is(text, (int) (payloads[i] >>> Integer.SIZE), (int) payloads[i], ascii);
    }

    void advance() {
        at++;
    }

    /** Goes behind the next value. */
    void skip() {
        int open = 0;
        do {
            open += peek().isOpen() ? 1 : peek() == Token.CLOSE ? -1 : 0;
            at++;
        } while (open > 0 && at < size);
    }

    long integer() {
        return payloads[at];
    }

    String text() throws HistoryException {
        return in.text(text, (int) (payloads[at] >>> Integer.SIZE), (int) payloads[at], where());
    }

    /**
     * Takes a key or a value that is not an integer, and returns a string that identifies it. A string is its own name
     * unless it begins like one of the other names; a keyword keeps its colon; all other names begin with #.
     *
     * @param mayBeSequence whether vectors and lists are allowed
     */
    String name(String expected, boolean mayBeSequence) throws HistoryException {
        Token token = peek();
        if (token == Token.STRING) {
            String string = text();
            advance();
            return !string.isEmpty() && ":\"#".indexOf(string.charAt(0)) >= 0 ? quoted(string) : string;
        }
        StringBuilder name = new StringBuilder();
        name(name, expected, mayBeSequence);
        return token == Token.KEYWORD ? name.toString() : name.insert(0, '#').toString();
    }

    /** Takes a key or a value, and appends the name that it has within the name of a sequence. */
    void nameWithin(StringBuilder to, String expected) throws HistoryException {
        name(to, expected, true);
    }

    private void name(StringBuilder to, String expected, boolean mayBeSequence) throws HistoryException {
        boolean isConstant = peek() == Token.SYMBOL && (isNil(at) || isText(at, "true") || isText(at, "false"));
        switch (peek()) {
            case INTEGER -> to.append(integer());
            case STRING -> to.append(quoted(text()));
            case NUMBER -> to.append(number(expected));
            case VECTOR, LIST -> {
                if (!mayBeSequence) {
                    throw unexpected(expected);
                }
                to.append('[');
                advance();
                for (String space = ""; peek() != Token.CLOSE; space = " ") {
                    name(to.append(space), expected, true);
                }
                to.append(']');
            }
            default -> {
                if (peek() != Token.KEYWORD && peek() != Token.CHARACTER && !isConstant) {
                    throw unexpected(expected);
                }
                to.append(text());
            }
        }
        advance();
    }

    private static String quoted(String string) {
        return '"' + string.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    /**
     * Returns the name of a number that is not an integer of 64 bits. Equal floating-point numbers have the same name.
     */
    private String number(String expected) throws HistoryException {
        String written = text();
        if (written.matches("[+-]?\\d+(\\.\\d*)?([eE][+-]?\\d+)?M?") && !written.matches("[+-]?(0\\d+|\\d+M?)")) {
            return Double.toString(Double.parseDouble(written.replace("M", "")));
        }
        if (written.matches("[+-]?0\\d+")) {
            throw unexpected(expected + "; a number that begins with 0 is octal");
        }
        return written;
    }

    /** Whether the value is a sequence that begins with a micro-operation. */
    boolean isTransaction() {
        return isSequence(0)
                && isSequence(1)
                && TOKENS[tokens[2]] == Token.KEYWORD
                && (isText(2, ":r")
                        || isText(2, ":w")
                        || isText(2, ":append")
                        || isText(2, ":add")
                        || isText(2, ":rp")
                        || isText(2, ":insert")
                        || isText(2, ":delete"));
    }

    /** Returns the place of the next token, or of the last if there is none. */
    String where() {
        int i = Math.min(at, size - 1);
        return in.where(lines[i], columns[i]);
    }

    /** Returns the error for a next token that is not the expected one. */
    HistoryException unexpected(String expected) throws HistoryException {
        return new HistoryException(where(), describe(), expected, in.remedy());
    }

    /** Describes the next token for messages. */
    String describe() throws HistoryException {
        return switch (peek()) {
            case MAP, VECTOR, LIST, SET -> CallTokens.describe(peek(), "");
            case CLOSE, END -> CallTokens.describe(Token.CLOSE, "");
            case INTEGER -> CallTokens.describe(Token.INTEGER, Long.toString(integer()));
            default -> CallTokens.describe(peek(), text());
        };
    }
}
