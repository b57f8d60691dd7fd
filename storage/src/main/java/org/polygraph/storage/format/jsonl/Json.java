package org.polygraph.storage.format.jsonl;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.exc.InputCoercionException;
import java.io.CharConversionException;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringWriter;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.dictionary.KeyDictionary;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.format.io.Shown;
import org.polygraph.storage.model.HistoryException;

/** The only JSON factory, with limits against hostile input, and located errors. */
public final class Json {
    static final int MAX_DEPTH = 100;
    static final int MAX_STRING = 1 << 20;
    static final int MAX_NAME = 1 << 12;
    static final String LINE_REMEDY = "each line after the header is one transaction, as the README shows";

    public static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(MAX_DEPTH)
                    .maxStringLength(MAX_STRING)
                    .maxNameLength(MAX_NAME)
                    .maxNumberLength(100)
                    .build())
            // The format is UTF-8.
            .disable(JsonFactory.Feature.CHARSET_DETECTION)
            .build();

    private Json() {}

    /**
     * A place for messages: a file, and the number of its lines before the first that the parser reads.
     *
     * @param fixed the place of everything, if the parser reads a part of a file; else null
     * @param remedy states what each line has to be
     */
    public record Place(
            String file, long linesBefore, @Nullable String fixed, String remedy) {
        public Place(String file, long linesBefore) {
            this(file, linesBefore, null, LINE_REMEDY);
        }

        static Place of(String fixed) {
            return of(fixed, 0);
        }

        static Place of(String fixed, long linesBefore) {
            return new Place(fixed, linesBefore, fixed, LINE_REMEDY);
        }

        String at(JsonLocation location) {
            return fixed != null
                    ? fixed
                    : file + ":" + (linesBefore + location.getLineNr()) + ":" + location.getColumnNr();
        }

        long line(JsonLocation location) {
            return linesBefore + location.getLineNr();
        }

        HistoryException error(JsonParser json, String found, String expected, String remedy) {
            return new HistoryException(at(json.currentTokenLocation()), found, expected, remedy);
        }

        /** Returns the error for a field that comes twice. */
        HistoryException repeated(JsonParser json, String field) {
            return error(json, "the field \"" + field + "\" a second time", "it once", remedy);
        }

        /**
         * Returns the error for an exception of Jackson. An exception about limits has no location, so the parser gives
         * it.
         */
        HistoryException error(JacksonException e, JsonParser json) {
            JsonLocation location = e.getLocation();
            return error(e, at(location == null ? json.currentLocation() : location));
        }

        /** Returns the error for an exception of Jackson before there is a parser. */
        private HistoryException error(JacksonException e) {
            JsonLocation location = e.getLocation();
            return error(e, location == null ? file : at(location));
        }

        private HistoryException error(JacksonException e, String where) {
            JsonFault fault = JsonFault.of(e);
            return new HistoryException(
                    where, fault.found(), fault.expected(), fault.remedy().isEmpty() ? remedy : fault.remedy());
        }

        /** Returns the error for text that is not UTF-8, at a place that Jackson does not state. */
        private HistoryException notUtf8() {
            return new HistoryException(
                    file, JsonFault.ENCODING.found(), JsonFault.ENCODING.expected(), JsonFault.ENCODING.remedy());
        }
    }

    /** Reads values of a parser. */
    public interface Reading<T> {
        T read(JsonParser json) throws IOException, HistoryException;
    }

    /** Reads JSON in UTF-8, and closes it. The place is that of its first line. */
    public static <T> T read(Place place, InputStream content, Reading<T> reading)
            throws IOException, HistoryException {
        try (JsonParser json = FACTORY.createParser(content)) {
            try {
                return reading.read(json);
            } catch (JacksonException e) {
                throw place.error(e, json);
            }
        } catch (JacksonException e) {
            throw place.error(e);
        } catch (CharConversionException e) {
            throw place.notUtf8();
        }
    }

    /** Reads the integer at the current token. */
    static long integer(JsonParser json, Place place, String field) throws IOException, HistoryException {
        if (json.currentToken() != JsonToken.VALUE_NUMBER_INT) {
            throw place.error(json, describe(json) + " as \"" + field + "\"", "an integer", place.remedy);
        }
        try {
            return json.getLongValue();
        } catch (InputCoercionException e) {
            throw place.error(
                    json,
                    "the number " + Shown.text(json.getText()) + " as \"" + field + "\"",
                    "an integer of 64 bits",
                    "write larger numbers as strings");
        }
    }

    /** Returns the id of the key at the current token. */
    static int key(JsonParser json, Place place, KeyDictionary keys) throws IOException, HistoryException {
        return switch (json.currentToken()) {
            case VALUE_NUMBER_INT -> keys.id(integer(json, place, "key"));
            case VALUE_STRING -> keys.id(json.getText());
            default -> throw place.error(json, describe(json) + " as \"key\"", "an integer or a string", place.remedy);
        };
    }

    /** Returns the code of the value at the current token: an integer, a string or null. */
    static long value(JsonParser json, Place place, String field, ValueDictionary values)
            throws IOException, HistoryException {
        return switch (json.currentToken()) {
            case VALUE_NUMBER_INT -> values.code(integer(json, place, field));
            case VALUE_STRING -> values.code(json.getText());
            case VALUE_NULL -> ValueDictionary.NULL;
            default ->
                throw place.error(
                        json, describe(json) + " as \"" + field + "\"", "an integer, a string or null", place.remedy);
        };
    }

    /** The value in ASCII: a half of a surrogate pair stays an escape, which UTF-8 has no bytes for. */
    static String copy(JsonParser json) throws IOException {
        StringWriter text = new StringWriter();
        try (JsonGenerator generator = FACTORY.createGenerator(text)) {
            generator.setHighestNonEscapedChar(127);
            generator.copyCurrentStructure(json);
        }
        return text.toString();
    }

    /** Describes the current token for messages. */
    static String describe(JsonParser json) throws IOException {
        JsonToken token = json.currentToken();
        if (token == null) {
            return "nothing";
        }
        return switch (token) {
            case START_OBJECT -> "an object";
            case START_ARRAY -> "a list";
            case VALUE_STRING -> "the string \"" + Shown.text(json.getText()) + "\"";
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> "the number " + Shown.text(json.getText());
            case VALUE_NULL, VALUE_TRUE, VALUE_FALSE -> token.asString();
            default -> "'" + token.asString() + "'";
        };
    }
}
