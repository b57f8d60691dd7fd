package org.polygraph.jobs.report.wording;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.SerializableString;
import com.fasterxml.jackson.core.io.CharacterEscapes;
import com.fasterxml.jackson.core.io.SerializedString;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * JSON that people read: characters that {@link Legible} hides, and all surrogates, are escaped. A parser reads the
 * same text.
 */
public final class LegibleJson {
    public static final JsonFactory FACTORY =
            new JsonFactoryBuilder().characterEscapes(new Escapes()).build();

    /** JSON readers commonly have doubles, which are exact up to this. */
    private static final long EXACT = 1L << 53;

    private LegibleJson() {}

    /** The fields of an object, in their order. */
    public static final class Fields extends LinkedHashMap<String, @Nullable Object> {
        private static final long serialVersionUID = 1L;

        private Fields() {}

        /** Adds a field. */
        public Fields with(String name, @Nullable Object value) {
            put(name, value);
            return this;
        }
    }

    /** An object without fields. */
    public static Fields object() {
        return new Fields();
    }

    /**
     * Returns a value without line breaks: a map, a list, a text, a truth value, a number or null. A {@link Long} over
     * 2^53 becomes a string, because common readers would round it; other numbers stay as they are.
     */
    public static String of(@Nullable Object value) {
        StringWriter text = new StringWriter(512);
        try (JsonGenerator json = FACTORY.createGenerator(text)) {
            write(json, value);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString();
    }

    private static void write(JsonGenerator json, @Nullable Object value) throws IOException {
        if (value instanceof Map<?, ?> object) {
            json.writeStartObject();
            for (Map.Entry<?, ?> field : object.entrySet()) {
                json.writeFieldName(String.valueOf(field.getKey()));
                write(json, field.getValue());
            }
            json.writeEndObject();
        } else if (value instanceof List<?> list) {
            json.writeStartArray();
            for (Object each : list) {
                write(json, each);
            }
            json.writeEndArray();
        } else if (value instanceof Boolean truth) {
            json.writeBoolean(truth);
        } else if (value instanceof Number number && !isInexact(number)) {
            json.writeNumber(number.toString());
        } else if (value == null) {
            json.writeNull();
        } else {
            json.writeString(value.toString());
        }
    }

    private static boolean isInexact(Number number) {
        return number instanceof Long && (number.longValue() > EXACT || number.longValue() < -EXACT);
    }

    private static final class Escapes extends CharacterEscapes {
        private static final long serialVersionUID = 1L;

        @Override
        public int[] getEscapeCodesForAscii() {
            int[] codes = standardAsciiEscapesForJSON();
            codes[0x7f] = ESCAPE_STANDARD;
            return codes;
        }

        @Override
        public @Nullable SerializableString getEscapeSequence(int unit) {
            return Legible.isShown(unit) ? null : new SerializedString(String.format("\\u%04x", unit));
        }
    }
}
