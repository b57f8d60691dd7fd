package org.polygraph.storage.format.arrow;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.apache.arrow.vector.BaseIntVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.FloatingPointVector;
import org.apache.arrow.vector.ValueVector;
import org.apache.arrow.vector.VariableWidthFieldVector;
import org.apache.arrow.vector.complex.BaseListVector;
import org.apache.arrow.vector.complex.MapVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.format.jsonl.Json;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.SourceFiles;

/** Writes values of vectors as JSON. */
final class JsonOfVectors {
    private final Map<Long, Dictionary> dictionaries;

    JsonOfVectors(Map<Long, Dictionary> dictionaries) {
        this.dictionaries = dictionaries;
    }

    /** A vector whose type has no JSON, or text that is none. */
    static final class Unknown extends RuntimeException {
        private static final long serialVersionUID = 1;

        private final String expected;

        Unknown(String found, String expected) {
            super(found, null, false, false);
            this.expected = expected;
        }

        HistoryException at(String file, long row) {
            return new HistoryException(
                    SourceFiles.describe(file, SourceFiles.Unit.ROW, row),
                    String.valueOf(getMessage()),
                    expected,
                    "see storage/docs/formats.md for the columns");
        }
    }

    /** Writes a value that is not null, with the fields of structs that are not null. */
    void write(JsonGenerator json, ValueVector vector, int i) throws IOException {
        DictionaryEncoding encoding = vector.getField().getDictionary();
        if (encoding != null && vector instanceof BaseIntVector indexes) {
            Dictionary dictionary = dictionaries.get(encoding.getId());
            if (dictionary != null) {
                int at = Math.toIntExact(indexes.getValueAsLong(i));
                if (dictionary.getVector().isNull(at)) {
                    json.writeNull();
                } else {
                    write(json, dictionary.getVector(), at);
                }
                return;
            }
        }
        if (vector instanceof BaseIntVector integers) {
            json.writeNumber(integers.getValueAsLong(i));
        } else if (vector instanceof VariableWidthFieldVector && vector.getObject(i) != null) {
            json.writeString(text(vector, i));
        } else if (vector instanceof BitVector bits) {
            json.writeBoolean(bits.get(i) != 0);
        } else if (vector instanceof FloatingPointVector numbers) {
            // A column of integers with nulls becomes one of floats in some programs.
            double number = numbers.getValueAsDouble(i);
            if (number == Math.rint(number) && Math.abs(number) < 1L << 53) {
                json.writeNumber((long) number);
            } else {
                json.writeNumber(number);
            }
        } else if (vector instanceof MapVector map) {
            StructVector entries = (StructVector) map.getDataVector();
            json.writeStartObject();
            for (int e = map.getElementStartIndex(i); e < map.getElementEndIndex(i); e++) {
                ValueVector value = entries.getVectorById(1);
                json.writeFieldName(text(entries.getVectorById(0), e));
                if (value.isNull(e)) {
                    json.writeNull();
                } else {
                    write(json, value, e);
                }
            }
            json.writeEndObject();
        } else if (vector instanceof BaseListVector list) {
            ValueVector elements = elements(list);
            json.writeStartArray();
            for (int e = list.getElementStartIndex(i); e < list.getElementEndIndex(i); e++) {
                if (elements.isNull(e)) {
                    json.writeNull();
                } else {
                    write(json, elements, e);
                }
            }
            json.writeEndArray();
        } else if (vector instanceof StructVector struct) {
            json.writeStartObject();
            for (FieldVector field : struct.getChildrenFromFields()) {
                if (!field.isNull(i)) {
                    json.writeFieldName(field.getName());
                    write(json, field, i);
                }
            }
            json.writeEndObject();
        } else {
            throw new Unknown(
                    "the type " + vector.getField().getType() + " as \"" + vector.getName() + "\"",
                    "integers, strings, booleans, lists and structs");
        }
    }

    private static String text(ValueVector vector, int i) {
        return vector instanceof VariableWidthFieldVector texts
                ? new String(texts.get(i), StandardCharsets.UTF_8)
                : String.valueOf(vector.getObject(i));
    }

    private static ValueVector elements(BaseListVector list) {
        return list.getChildrenFromFields().get(0);
    }

    /** Writes the list of a transaction's operations. */
    void operations(JsonGenerator json, FieldVector vector, int i) throws IOException {
        if (!(vector instanceof BaseListVector list) || !(elements(list) instanceof StructVector operations)) {
            throw new Unknown("the type " + vector.getField().getType() + " as \"ops\"", "a list of structs");
        }
        json.writeStartArray();
        for (int o = list.getElementStartIndex(i); o < list.getElementEndIndex(i); o++) {
            operation(json, operations, o);
        }
        json.writeEndArray();
    }

    /**
     * Writes an operation. Of a column that is null the operation has no field, but a read or write whose value is null
     * has it.
     */
    private void operation(JsonGenerator json, StructVector operations, int o) throws IOException {
        json.writeStartObject();
        String fields = null;
        boolean hasValue = false;
        for (FieldVector vector : operations.getChildrenFromFields()) {
            if (vector.isNull(o)) {
                continue;
            }
            switch (vector.getName()) {
                case "fields" -> fields = text(vector, o);
                case "key_string" -> {
                    json.writeFieldName("key");
                    write(json, vector, o);
                }
                case "value", "value_string", "value_list" -> {
                    hasValue = true;
                    json.writeFieldName("value");
                    write(json, vector, o);
                }
                default -> {
                    json.writeFieldName(vector.getName());
                    write(json, vector, o);
                }
            }
        }
        if (fields != null) {
            copy(json, fields);
        } else if (!hasValue && !isPredicate(operations.getChild("op"), o)) {
            json.writeNullField("value");
        }
        json.writeEndObject();
    }

    private static boolean isPredicate(@Nullable FieldVector op, int o) {
        return op != null && !op.isNull(o) && text(op, o).startsWith("p");
    }

    private static void copy(JsonGenerator json, String fields) throws IOException {
        try (JsonParser parser = Json.FACTORY.createParser(fields)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new Unknown("\"fields\" that begin with something else", "a JSON object");
            }
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                json.copyCurrentStructure(parser);
            }
        } catch (com.fasterxml.jackson.core.JacksonException e) {
            throw new Unknown("\"fields\" that are no JSON", "a JSON object");
        }
    }
}
