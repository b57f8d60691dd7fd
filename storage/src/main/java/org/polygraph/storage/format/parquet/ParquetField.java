package org.polygraph.storage.format.parquet;

import java.util.List;
import java.util.Locale;
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
        Repetition repetition,
        ParquetField.@Nullable Type type,
        boolean isInteger,
        List<ParquetField> fields) {
    /** How often a field occurs, in Parquet's order. */
    enum Repetition {
        REQUIRED,
        OPTIONAL,
        REPEATED
    }

    /** The type of a column, in Parquet's order. */
    enum Type {
        BOOLEAN,
        INT32,
        INT64,
        INT96,
        FLOAT,
        DOUBLE,
        BINARY,
        FIXED_LEN_BYTE_ARRAY
    }

    boolean isString() {
        return type == Type.BINARY;
    }

    boolean isRepeated() {
        return repetition == Repetition.REPEATED;
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
