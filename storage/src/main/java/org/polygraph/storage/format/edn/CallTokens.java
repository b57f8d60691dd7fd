package org.polygraph.storage.format.edn;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.polygraph.storage.format.io.Shown;
import org.polygraph.storage.model.HistoryException;

/**
 * The tokens of a text that holds calls, in the terms of EDN. Only the current token is in memory. A subclass sets the
 * fields, and the methods give them to the readers of calls.
 */
abstract class CallTokens {
    private final String file;
    /** What an operation has to look like, for messages. */
    private final String remedy;

    Token token = Token.END;
    long tokenLine = 1;
    /** The column of the token, in bytes from 1. */
    long tokenColumn = 1;
    /** The characters of a string, or the text of a keyword, a symbol or a number, in UTF-8. */
    byte[] text = new byte[256];
    /** The bytes of {@link #text} that count. */
    int length;
    /** The value of an integer. */
    long integer;

    CallTokens(String file, String remedy) {
        this.file = file;
        this.remedy = remedy;
    }

    enum Token {
        MAP,
        VECTOR,
        LIST,
        SET,
        /** The end of a map, vector, list or set. */
        CLOSE,
        KEYWORD,
        SYMBOL,
        /** An integer of 64 bits. */
        INTEGER,
        /** Any other number. */
        NUMBER,
        STRING,
        CHARACTER,
        /** {@code #name}; the tagged value follows. */
        TAG,
        END;

        boolean isOpen() {
            return this == MAP || this == VECTOR || this == LIST || this == SET;
        }

        /** Whether the elements have an order. */
        boolean isSequence() {
            return this == VECTOR || this == LIST;
        }
    }

    /** Goes to the next token that is not a tag. It is {@link Token#END} after the end of the text. */
    abstract Token nextValue() throws IOException, HistoryException;

    /** Skips to the end of the current value. */
    abstract void skip() throws IOException, HistoryException;

    Token token() {
        return token;
    }

    /** Returns the value of an integer token. */
    long integer() {
        return integer;
    }

    /** Returns the characters of a string, or the text of a keyword, a symbol or a number. */
    String text() throws HistoryException {
        return text(text, 0, length, where());
    }

    /** Returns the number of bytes of {@link #text}. */
    int length() {
        return length;
    }

    void copyText(byte[] to, int at) {
        System.arraycopy(text, 0, to, at, length);
    }

    /** Decodes bytes. */
    String text(byte[] bytes, int from, int bytesLength, String where) throws HistoryException {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes, from, bytesLength))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new HistoryException(where, "text that is not UTF-8", "UTF-8", remedy);
        }
    }

    /** Whether the current keyword or symbol equals the given text. */
    boolean is(String ascii) {
        return (token == Token.KEYWORD || token == Token.SYMBOL) && is(text, 0, length, ascii);
    }

    /** Whether bytes equal the given text. */
    static boolean is(byte[] bytes, int from, int length, String ascii) {
        if (length != ascii.length()) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            if (bytes[from + i] != ascii.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    boolean isNil() {
        return token == Token.SYMBOL && is("nil");
    }

    long line() {
        return tokenLine;
    }

    /** Returns the column of the token, in bytes from 1. */
    long column() {
        return tokenColumn;
    }

    String where() {
        return where(tokenLine, tokenColumn);
    }

    String where(long line, long column) {
        return file + ":" + line + ":" + column;
    }

    String remedy() {
        return remedy;
    }

    HistoryException error(String found, String expected) {
        return new HistoryException(where(), found, expected, remedy);
    }

    /** Describes the current token for messages. */
    String describe() throws HistoryException {
        return describe(token, text());
    }

    /** Describes a token. @param text empty for a bracket and the end */
    static String describe(Token token, String text) {
        return switch (token) {
            case MAP -> "a map";
            case VECTOR -> "a vector";
            case LIST -> "a list";
            case SET -> "a set";
            case CLOSE -> "the end of a collection";
            case STRING -> "the string \"" + Shown.text(text) + "\"";
            case INTEGER, NUMBER -> "the number " + Shown.text(text);
            case TAG -> "the tag " + Shown.text(text);
            case KEYWORD, SYMBOL, CHARACTER -> Shown.text(text);
            case END -> "the end of the file";
        };
    }
}
