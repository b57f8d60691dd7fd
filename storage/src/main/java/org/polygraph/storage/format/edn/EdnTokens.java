package org.polygraph.storage.format.edn;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.polygraph.storage.format.io.Shown;
import org.polygraph.storage.model.HistoryException;

/**
 * Reads the tokens of an EDN text (<a href="https://github.com/edn-format/edn">the format's specification</a>).
 * Comments, and what {@code #_} discards, are skipped. Only the current token is in memory. Libraries for EDN are not
 * used, because they build values without their places in the text and overflow the stack on deep nesting.
 */
final class EdnTokens extends CallTokens {
    static final int MAX_DEPTH = 100;
    static final int MAX_STRING = 1 << 20;
    static final int MAX_NAME = 1 << 12;
    private static final String REMEDY = "an operation is {:type :ok, :process 0, :f :txn, :value [[:r 1 2] [:w 1 3]]}";

    /** The most characters, including a sign, of an integer that {@link #isPlainInteger} reads. */
    private static final int PLAIN_DIGITS = 18;

    private final EdnBytes in;

    private final byte[] closers = new byte[MAX_DEPTH];
    private int depth;

    EdnTokens(String file, InputStream in) {
        super(file, REMEDY);
        this.in = new EdnBytes(in);
    }

    /** Goes to the next token. It is {@link Token#END} after the end of the text. */
    Token next() throws IOException, HistoryException {
        Token before = token;
        for (int discarding = 0; ; ) {
            token = read();
            if ((token == Token.CLOSE || token == Token.END) && (discarding > 0 || before == Token.TAG)) {
                throw error(describe() + " after a tag or #_", "the value that it is about");
            }
            if (token == Token.SYMBOL && length == 2 && text[0] == '#') {
                if (++discarding > MAX_DEPTH) {
                    throw error("more than " + MAX_DEPTH + " #_ in a row", "fewer");
                }
            } else if (discarding == 0 || token == Token.TAG) {
                if (discarding == 0) {
                    return token;
                }
            } else {
                skip();
                discarding--;
            }
        }
    }

    @Override
    Token nextValue() throws IOException, HistoryException {
        while (next() == Token.TAG) {
            // A tag does not change the meaning of a value.
        }
        return token;
    }

    @Override
    void skip() throws IOException, HistoryException {
        if (token.isOpen()) {
            for (int outside = depth - 1; depth > outside; ) {
                token = read();
            }
        }
    }

    private HistoryException cutOff() {
        return new HistoryException(
                where(),
                "the end of the file within a collection",
                "a complete one",
                "the file is cut off: copy it again");
    }

    private Token read() throws IOException, HistoryException {
        int c = in.takeFirstOfToken();
        tokenLine = in.line();
        tokenColumn = in.column();
        length = 0;
        switch (c) {
            case EdnBytes.END_OF_FILE -> {
                if (depth > 0) {
                    throw cutOff();
                }
                return Token.END;
            }
            case '{' -> {
                return open(Token.MAP, '}');
            }
            case '[' -> {
                return open(Token.VECTOR, ']');
            }
            case '(' -> {
                return open(Token.LIST, ')');
            }
            case '}', ']', ')' -> {
                return close(c);
            }
            case '"' -> {
                return string();
            }
            case '#' -> {
                return dispatch();
            }
            case '\\' -> {
                add(c);
                int first = in.take();
                if (first == EdnBytes.END_OF_FILE) {
                    throw cutOff();
                }
                if (first == '\n') {
                    // Only a string may contain line ends; every other token ends at one.
                    throw error("'\\' at the end of a line", "a character, such as \\a or \\newline");
                }
                add(first);
                restOfAtom();
                return Token.CHARACTER;
            }
            default -> {
                if (isPlainInteger(c)) {
                    return Token.INTEGER;
                }
                add(c);
                restOfAtom();
                return c == ':' ? Token.KEYWORD : isNumber() ? number() : Token.SYMBOL;
            }
        }
    }

    private Token open(Token kind, char closer) throws HistoryException {
        if (depth == MAX_DEPTH) {
            throw error("nesting of more than " + MAX_DEPTH + " collections", "nesting up to " + MAX_DEPTH);
        }
        closers[depth++] = (byte) closer;
        return kind;
    }

    private Token close(int c) throws HistoryException {
        if (depth == 0 || closers[depth - 1] != c) {
            throw error(
                    "'" + (char) c + "'",
                    depth == 0 ? "an operation" : "'" + (char) closers[depth - 1] + "' or a value");
        }
        depth--;
        return Token.CLOSE;
    }

    private Token dispatch() throws IOException, HistoryException {
        int c = in.peek();
        if (c == '{') {
            in.take();
            return open(Token.SET, '}');
        }
        if (c == '"') {
            in.take();
            return regularExpression();
        }
        add('#');
        if (c == '_') {
            add(in.take());
            return Token.SYMBOL; // this is #_, which next() handles
        }
        restOfAtom();
        if (length > 1 && text[1] == '#') {
            return Token.NUMBER; // ##Inf and similar
        }
        if (length == 1) {
            throw error("'#' by itself", "a tag, a set or #_");
        }
        return Token.TAG;
    }

    private Token string() throws IOException, HistoryException {
        for (int c; (c = in.take()) != '"'; ) {
            if (c == EdnBytes.END_OF_FILE) {
                throw cutOff();
            }
            if (length >= MAX_STRING) {
                throw error("a string of more than " + MAX_STRING + " bytes", "a shorter one");
            }
            if (c == '\\') {
                escape();
            } else {
                add(c);
            }
        }
        return Token.STRING;
    }

    /** Reads the pattern of {@code #"a\.b"}, as Clojure prints one: a backslash is a character of it. */
    private Token regularExpression() throws IOException, HistoryException {
        for (int c; (c = in.take()) != '"'; ) {
            for (boolean isEscape = c == '\\'; ; isEscape = false) {
                if (c == EdnBytes.END_OF_FILE) {
                    throw cutOff();
                }
                if (length >= MAX_STRING) {
                    throw error("a pattern of more than " + MAX_STRING + " bytes", "a shorter one");
                }
                add(c);
                if (!isEscape) {
                    break;
                }
                c = in.take();
            }
        }
        return Token.STRING;
    }

    private void escape() throws IOException, HistoryException {
        int c = in.take();
        switch (c) {
            case 't' -> add('\t');
            case 'r' -> add('\r');
            case 'n' -> add('\n');
            case 'b' -> add('\b');
            case 'f' -> add('\f');
            case '\\', '"' -> add(c);
            case 'u' -> {
                int unit = hexadecimal();
                if (!Character.isSurrogate((char) unit)) {
                    addCode(unit);
                    break;
                }
                int low = in.take() == '\\' && in.take() == 'u' ? hexadecimal() : 0;
                if (!Character.isSurrogatePair((char) unit, (char) low)) {
                    throw error("half of a surrogate pair", "both halves, such as \\ud83d\\ude00");
                }
                addCode(Character.toCodePoint((char) unit, (char) low));
            }
            default ->
                throw error("the escape \\" + Shown.character(c) + " in a string", "\\t, \\r, \\n, \\\\, \\\" or \\u");
        }
    }

    /** Reads the four hexadecimal digits after a backslash and u. */
    private int hexadecimal() throws IOException, HistoryException {
        int code = 0;
        for (int i = 0; i < 4; i++) {
            int digit = Character.digit(in.take(), 16);
            if (digit < 0) {
                throw error("a \\u without four hexadecimal digits", "\\u0041 and its like");
            }
            code = code << 4 | digit;
        }
        return code;
    }

    /** Adds a character as UTF-8. */
    private void addCode(int code) {
        for (byte b : Character.toString(code).getBytes(StandardCharsets.UTF_8)) {
            add(b & 0xFF);
        }
    }

    /** Reads the rest of a symbol, a keyword or a number. */
    private void restOfAtom() throws IOException, HistoryException {
        byte[] buffer = in.buffer();
        for (boolean mayGoOn = true; mayGoOn && in.peek() != EdnBytes.END_OF_FILE; ) {
            int from = in.at();
            int limit = in.limit();
            int p = from;
            while (p < limit && !isDelimiter(buffer[p] & 0xFF)) {
                p++;
            }
            int n = p - from;
            if (n > MAX_NAME - length) {
                throw error("a name of more than " + MAX_NAME + " bytes", "a shorter one");
            }
            if (n > text.length - length) {
                text = Arrays.copyOf(text, MAX_NAME);
            }
            System.arraycopy(buffer, from, text, length, n);
            length += n;
            in.moveTo(p);
            mayGoOn = p == limit;
        }
    }

    private static boolean isDelimiter(int c) {
        return c <= ' ' || c == ',' || c == '"' || c == ';' || c == '(' || c == ')' || c == '[' || c == ']' || c == '{'
                || c == '}';
    }

    private boolean isNumber() {
        int first = text[0] == '-' || text[0] == '+' ? 1 : 0;
        return first < length && text[first] >= '0' && text[first] <= '9';
    }

    /**
     * Reads an integer in its common notation, if it and the byte after it are in the buffer. Most tokens of a list are
     * such integers.
     */
    private boolean isPlainInteger(int first) {
        int digit = first - '0';
        if ((digit < 0 || digit > 9) && first != '-') {
            return false;
        }
        long value = first == '-' ? 0 : digit;
        byte[] buffer = in.buffer();
        int at = in.at();
        int limit = in.limit();
        int p = at;
        for (; p < limit && (digit = buffer[p] - '0') >= 0 && digit <= 9; p++) {
            value = value * 10 + digit;
        }
        int bytes = p - at + 1;
        boolean isOctal = (first == '0' && bytes > 1) || (first == '-' && bytes > 2 && buffer[at] == '0');
        if (isOctal
                || p == limit
                || bytes > PLAIN_DIGITS
                || (bytes == 1 && first == '-')
                || !isDelimiter(buffer[p] & 0xFF)) {
            return false;
        }
        System.arraycopy(buffer, at - 1, text, 0, bytes);
        length = bytes;
        integer = first == '-' ? -value : value;
        in.moveTo(p);
        return true;
    }

    /**
     * Reads a number. An integer may end in N. As in Clojure, it is octal if it begins with 0, and hexadecimal with 0x.
     */
    private Token number() {
        boolean negative = text[0] == '-';
        int begin = negative || text[0] == '+' ? 1 : 0;
        int end = text[length - 1] == 'N' ? length - 1 : length;
        int radix = 10;
        if (end - begin > 1 && text[begin] == '0') {
            boolean isHex = text[begin + 1] == 'x' || text[begin + 1] == 'X';
            radix = isHex ? 16 : 8;
            begin += isHex ? 2 : 1;
        }
        long value = 0; // the value is kept negative, because there is one more negative number
        for (int i = begin; i < end; i++) {
            int digit = Character.digit(text[i], radix);
            if (digit < 0 || value < (Long.MIN_VALUE + digit) / radix) {
                return Token.NUMBER;
            }
            value = value * radix - digit;
        }
        if (!negative && value == Long.MIN_VALUE) {
            return Token.NUMBER;
        }
        integer = negative ? value : -value;
        return Token.INTEGER;
    }

    private void add(int b) {
        if (length == text.length) {
            text = Arrays.copyOf(text, 2 * length);
        }
        text[length++] = (byte) b;
    }
}
