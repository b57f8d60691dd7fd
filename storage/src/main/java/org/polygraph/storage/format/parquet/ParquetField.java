package org.polygraph.storage.format.parquet;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.parquet.format.ConvertedType;
import org.apache.parquet.format.FieldRepetitionType;
import org.apache.parquet.format.SchemaElement;
import org.apache.parquet.format.Type;
import org.jspecify.annotations.Nullable;

/**
 * A column, or a group of columns, of a Parquet file.
 *
 * @param name its name, which the writer of the file chose
 * @param repetition how often a row has it
 * @param type the type of a column; null for a group
 * @param isInteger whether a column holds integers of 32 or 64 bits, and not times or decimals that are stored as
 *     integers
 * @param fields the columns of a group
 */
record ParquetField(
        String name,
        FieldRepetitionType repetition,
        @Nullable Type type,
        boolean isInteger,
        List<ParquetField> fields) {
    private static final int MOST_DEPTH = 64;

    /** Returns the columns of a file, by the elements of its schema: each one that has children is followed by them. */
    static List<ParquetField> of(List<SchemaElement> elements) throws IOException {
        List<ParquetField> fields = new ArrayList<>();
        if (elements.isEmpty() || children(elements, 0, fields, 0) != elements.size()) {
            throw new IOException("a schema with more fields than announced, or none");
        }
        return fields;
    }

    /** Adds the children of an element to a list. Returns the index of the first element after them. */
    private static int children(List<SchemaElement> elements, int parent, List<ParquetField> into, int depth)
            throws IOException {
        int next = parent + 1;
        for (int i = 0; i < elements.get(parent).getNum_children(); i++) {
            if (next >= elements.size() || depth > MOST_DEPTH) {
                throw new IOException("a schema with fewer fields than announced, or nested deeper than " + MOST_DEPTH);
            }
            SchemaElement element = elements.get(next);
            boolean isGroup = element.getNum_children() > 0 || !element.isSetType();
            List<ParquetField> own = new ArrayList<>();
            if (!element.isSetRepetition_type() || element.getNum_children() < 0) {
                throw new IOException("a schema with a field without repetition, or of a negative number of fields");
            }
            next = isGroup ? children(elements, next, own, depth + 1) : next + 1;
            into.add(new ParquetField(
                    element.getName(),
                    element.getRepetition_type(),
                    isGroup ? null : element.getType(),
                    !isGroup && isInteger(element),
                    own));
        }
        return next;
    }

    private static boolean isInteger(SchemaElement element) {
        ConvertedType converted = element.getConverted_type();
        return (element.getType() == Type.INT32 || element.getType() == Type.INT64)
                && (element.isSetLogicalType()
                        ? element.getLogicalType().isSetINTEGER()
                        : converted == null || converted.name().contains("INT_"));
    }

    boolean isString() {
        return type == Type.BYTE_ARRAY;
    }

    boolean isRequired() {
        return repetition == FieldRepetitionType.REQUIRED;
    }

    boolean isRepeated() {
        return repetition == FieldRepetitionType.REPEATED;
    }

    /** Returns the field of that name, or null. */
    @Nullable
    ParquetField field(String wanted) {
        for (ParquetField field : fields) {
            if (field.name.equals(wanted)) {
                return field;
            }
        }
        return null;
    }

    /** Returns the field as in {@code required double session}. */
    @Override
    public String toString() {
        return (repetition + " " + (type == null ? "group" : type)).toLowerCase(Locale.ROOT) + " " + name;
    }
}
