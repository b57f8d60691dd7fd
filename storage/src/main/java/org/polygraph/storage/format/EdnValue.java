package org.polygraph.storage.format;

import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.polygraph.storage.format.EdnTokens.Token;
import org.polygraph.storage.model.HistoryException;

/**
 * The tokens of one value, to be gone through when all is known that says what they mean: 32 bytes each, and texts.
 * Used again and again.
 */
final class EdnValue {
    private static final int TEXT_BYTES = 56;

    private final List<Token> tokens = new ArrayList<>();
    /** Of an integer the number, of any other but a bracket the number of its text. */
    private final LongArrayList payloads = new LongArrayList();

    private final LongArrayList lines = new LongArrayList();
    private final LongArrayList columns = new LongArrayList();
    private final List<String> texts = new ArrayList<>();
    private long characters;
    private int at;

    void clear() {
        tokens.clear();
        payloads.clear();
        lines.clear();
        columns.clear();
        texts.clear();
        characters = 0;
        at = 0;
    }

    /** Takes the value at the current token, to its end. */
    void take(EdnTokens from) throws IOException, HistoryException {
        clear();
        int open = 0;
        do {
            Token token = from.token();
            tokens.add(token);
            lines.add(from.line());
            columns.add(from.column());
            if (token == Token.INTEGER) {
                payloads.add(from.integer());
            } else if (token.isOpen() || token == Token.CLOSE) {
                payloads.add(0);
                open += token == Token.CLOSE ? -1 : 1;
            } else {
                payloads.add(texts.size());
                String text = from.text();
                texts.add(text);
                characters += text.length();
            }
        } while (open > 0 && from.nextValue() != Token.END);
    }

    /** Bytes of heap held. */
    long bytes() {
        return 32L * payloads.elements().length + TEXT_BYTES * (long) texts.size() + 2 * characters;
    }

    boolean isEmpty() {
        return tokens.isEmpty();
    }

    /** Whether it is nil, or nothing was taken. */
    boolean isNil() {
        return tokens.isEmpty() || isNil(0);
    }

    /** Whether it is a vector or a list. */
    boolean isSequence() {
        return !tokens.isEmpty() && tokens.get(0).isSequence();
    }

    /** Whether it is a sequence whose second element is one, after a first that is none. */
    boolean isPairWithSequence() {
        return isSequence() && tokens.size() > 2 && tokens.get(2).isSequence();
    }

    void rewind() {
        at = 0;
    }

    /** The token that comes next; {@link Token#END} after the last. */
    Token peek() {
        return at < tokens.size() ? tokens.get(at) : Token.END;
    }

    boolean peekIsNil() {
        return at < tokens.size() && isNil(at);
    }

    private boolean isNil(int i) {
        return tokens.get(i) == Token.SYMBOL && textOf(i).equals("nil");
    }

    void advance() {
        at++;
    }

    long integer() {
        return payloads.getLong(at);
    }

    String text() {
        return textOf(at);
    }

    private String textOf(int i) {
        return texts.get((int) payloads.getLong(i));
    }

    /** Where the next token stands, or the last if there is none. */
    String where(String file) {
        int i = Math.min(at, tokens.size() - 1);
        return EdnTokens.where(file, lines.getLong(i), columns.getLong(i));
    }

    /** The next token as messages name it. */
    String describe() {
        return switch (peek()) {
            case MAP -> "a map";
            case VECTOR -> "a vector";
            case LIST -> "a list";
            case SET -> "a set";
            case CLOSE, END -> "the end of a collection";
            case INTEGER -> "the number " + integer();
            case NUMBER -> "the number " + Shown.text(text());
            case STRING -> "the string \"" + Shown.text(text()) + "\"";
            default -> Shown.text(text());
        };
    }
}
