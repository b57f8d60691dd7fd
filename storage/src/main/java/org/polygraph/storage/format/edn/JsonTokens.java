package org.polygraph.storage.format.edn;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonParser.NumberType;
import com.fasterxml.jackson.core.JsonStreamContext;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Set;
import org.polygraph.storage.model.HistoryException;

/**
 * The tokens of calls in JSON, such as {@code {"type":"ok","process":0,"f":"txn","value":[["r","x",1]]}}. A name is a
 * keyword, as in EDN: a field of an operation, the value of one of the fields {@link #NAMED}, and the first element of a
 * micro-operation.
 */
final class JsonTokens extends CallTokens {
    static final String REMEDY =
            "an operation is {\"type\":\"ok\",\"process\":0,\"f\":\"txn\",\"value\":[[\"r\",1,2],[\"w\",1,3]]}";
    /** The fields whose strings are names. */
    private static final Set<String> NAMED = Set.of("type", "f", "process");

    private final JsonParser json;
    /** Whether the first element of the current value is an array, so that its elements are micro-operations. */
    private boolean isTransaction;

    /** @param json before its first token */
    JsonTokens(String file, JsonParser json) {
        super(file, REMEDY);
        this.json = json;
    }

    @Override
    Token nextValue() throws IOException, HistoryException {
        JsonToken next = json.nextToken();
        JsonLocation at = json.currentTokenLocation();
        tokenLine = at.getLineNr();
        tokenColumn = at.getColumnNr();
        length = 0;
        token = next == null
                ? Token.END
                : switch (next) {
                    case START_OBJECT -> Token.MAP;
                    case START_ARRAY -> {
                        enterArray();
                        yield Token.VECTOR;
                    }
                    case END_OBJECT, END_ARRAY -> Token.CLOSE;
                    case FIELD_NAME ->
                        isOfOperation()
                                ? put(Token.KEYWORD, ':' + json.currentName())
                                : put(Token.STRING, json.currentName());
                    case VALUE_STRING ->
                        isName() ? put(Token.KEYWORD, ':' + json.getText()) : put(Token.STRING, json.getText());
                    case VALUE_NULL -> put(Token.SYMBOL, "nil");
                    case VALUE_NUMBER_INT -> {
                        boolean isLong = json.getNumberType() != NumberType.BIG_INTEGER;
                        integer = isLong ? json.getLongValue() : 0;
                        yield put(isLong ? Token.INTEGER : Token.NUMBER, json.getText());
                    }
                    case VALUE_NUMBER_FLOAT -> put(Token.NUMBER, json.getText());
                    default -> put(Token.SYMBOL, json.getText());
                };
        return token;
    }

    @Override
    void skip() throws IOException {
        if (token.isOpen()) {
            json.skipChildren();
            token = Token.CLOSE;
        }
    }

    private void enterArray() {
        JsonStreamContext outer = json.getParsingContext().getParent();
        if (outer.inObject()) {
            isTransaction = false;
        } else if (outer.inArray()
                && outer.getCurrentIndex() == 0
                && outer.getParent().inObject()) {
            isTransaction = true;
        }
    }

    /** Whether the current object is an operation. Other objects have keys of the database. */
    private boolean isOfOperation() {
        JsonStreamContext outer = json.getParsingContext().getParent();
        return outer.inRoot() || (outer.inArray() && outer.getParent().inRoot());
    }

    private boolean isName() {
        JsonStreamContext context = json.getParsingContext();
        if (context.inObject()) {
            return isOfOperation() && NAMED.contains(context.getCurrentName());
        }
        return isTransaction
                && context.getCurrentIndex() == 0
                && context.getParent().inArray()
                && context.getParent().getParent().inObject();
    }

    private Token put(Token kind, String content) throws HistoryException {
        try {
            ByteBuffer bytes = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(content));
            length = bytes.remaining();
            if (length > text.length) {
                text = Arrays.copyOf(text, Math.max(length, 2 * text.length));
            }
            bytes.get(text, 0, length);
        } catch (CharacterCodingException e) {
            throw error("half of a surrogate pair", "both halves, such as \\ud83d\\ude00");
        }
        return kind;
    }
}
