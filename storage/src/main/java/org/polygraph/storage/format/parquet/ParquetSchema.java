package org.polygraph.storage.format.parquet;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.format.io.Shown;
import org.polygraph.storage.model.HistoryException;

/** The columns of a file that make a history, with their places. They are checked. */
final class ParquetSchema {
    private static final Set<String> COLUMNS = Set.of("session", "index", "start", "end", "status", "ops");
    private static final Set<String> FIELDS =
            Set.of("op", "key", "key_string", "value", "value_string", "fields", "version");
    private static final String REMEDY = "see storage/docs/formats.md for the columns";

    /**
     * The place of a column: its path, and how many of the groups around it, including itself, are repeated and how
     * many are optional.
     */
    private record Place(List<String> path, ParquetField field, int repetition, int definition) {}

    private final Map<String, Place> places = new LinkedHashMap<>();
    private int operationLevel;

    private ParquetSchema() {}

    /** @throws HistoryException if the columns are not those of a history */
    static ParquetSchema of(String file, List<ParquetField> columns) throws HistoryException {
        ParquetSchema schema = new ParquetSchema();
        boolean hasOperations = false;
        for (ParquetField column : columns) {
            String name = column.name();
            if (name.equals("ops")) {
                schema.operations(file, column, List.of(), 0, 0);
                hasOperations = true;
            } else if (COLUMNS.contains(name)) {
                boolean text = name.equals("status");
                if (column.isRepeated() || !(text ? column.isString() : column.isInteger())) {
                    throw wrongType(file, column, text ? "a string" : "an integer");
                }
                schema.add(column, List.of(), 0, 0);
            }
        }
        for (String required : List.of("session", "index", "status")) {
            schema.require(file, required, "the column");
        }
        if (!hasOperations) {
            throw missing(file, "ops", "the column");
        }
        return schema;
    }

    /** Whether operations may have more than a key and a value. */
    boolean hasFields() {
        return places.containsKey("fields");
    }

    private void add(ParquetField field, List<String> groups, int repetition, int definition) {
        List<String> path = new ArrayList<>(groups);
        path.add(field.name());
        places.putIfAbsent(
                field.name(),
                new Place(List.copyOf(path), field, repetition, definition + (field.isRequired() ? 0 : 1)));
    }

    private void require(String file, String field, String what) throws HistoryException {
        if (!places.containsKey(field)) {
            throw missing(file, field, what);
        }
    }

    private static HistoryException missing(String file, String field, String what) {
        return new HistoryException(
                file,
                "Parquet without " + what + " \"" + field + "\"",
                "session, index, status and ops, a list of structs of op, key and value",
                REMEDY);
    }

    private static HistoryException wrongType(String file, ParquetField field, String expected) {
        return new HistoryException(
                file,
                "the column \"" + Shown.text(field.name()) + "\" of type " + Shown.message(field.toString()),
                expected,
                REMEDY);
    }

    /** Finds the columns of the list of operations. The names of the groups in between are free. */
    private void operations(String file, ParquetField group, List<String> groups, int repetition, int definition)
            throws HistoryException {
        if (group.type() != null) {
            throw wrongType(file, group, "a list of structs");
        }
        List<String> path = new ArrayList<>(groups);
        path.add(group.name());
        int repeated = repetition + (group.isRepeated() ? 1 : 0);
        int defined = definition + (group.isRequired() ? 0 : 1);
        if (group.field("op") == null) {
            if (group.fields().size() != 1 || group.fields().get(0).type() != null) {
                throw wrongType(file, group, "a list of structs of op, key and value");
            }
            operations(file, group.fields().get(0), path, repeated, defined);
            return;
        }
        operationLevel = defined;
        for (ParquetField field : group.fields()) {
            if (FIELDS.contains(field.name())) {
                boolean stringOnly = field.name().equals("op")
                        || field.name().equals("fields")
                        || field.name().endsWith("_string");
                boolean integerOnly = field.name().equals("version");
                if (field.isRepeated() || !((field.isString() && !integerOnly) || (!stringOnly && field.isInteger()))) {
                    throw wrongType(
                            file,
                            field,
                            stringOnly ? "a string" : integerOnly ? "an integer" : "an integer or a string");
                }
                add(field, path, repeated, defined);
            }
        }
        if (!places.containsKey("key_string")) {
            require(file, "key", "the field");
        }
        if (!places.containsKey("value_string")) {
            require(file, "value", "the field");
        }
    }

    /** Returns the definition level of the group that has {@code op}. */
    int operationLevel() {
        return operationLevel;
    }

    /** Returns a reader of the column of that name, or null; see {@link ParquetColumn} for the arguments. */
    @Nullable
    ParquetColumn column(String name, ParquetValues.Meaning meaning, boolean isFixed) {
        Place place = places.get(name);
        if (place == null || place.field.type() == null) {
            return null;
        }
        return new ParquetColumn(place.path, place.field.type(), place.repetition, place.definition, meaning, isFixed);
    }
}
