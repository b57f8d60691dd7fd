package org.polygraph.storage.format.jsonl;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.table.Condition;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.Operations;
import org.polygraph.storage.table.Predicates;

/**
 * Walks over the operations of a transaction as a file has them: a predicate with the reads or writes of its rows is
 * one operation, and so is a read with the further rows that it returned.
 */
public final class OperationWalk {
    private static final int NONE = -1;

    private final HistoryTable table;
    private final @Nullable Predicates predicates;
    private int at;
    private int end;
    /** The place of the next code of a predicate, or the end. */
    private int nextPredicate;

    private int operation;
    private int first;
    private int row;
    private Predicates.@Nullable Recording predicate;

    /** @param table as it was read, see {@link HistoryTable#asRead} */
    public OperationWalk(HistoryTable table) {
        this.table = table;
        this.predicates = table.recordedPredicates();
    }

    /** Goes to the beginning of a transaction. */
    public void seek(int transaction) {
        at = table.firstOperation(transaction);
        end = table.operationsEnd(transaction);
        nextPredicate = at - 1;
    }

    /** Goes to the next operation. @return whether there is one */
    public boolean next() {
        predicate = null;
        row = NONE;
        Predicates known = predicates;
        if (at == end || known == null) {
            operation = at;
            boolean isOne = at++ < end;
            skipRepeated();
            return isOne;
        }
        while (nextPredicate < at || (nextPredicate < end && !Predicates.isOne(table.value(nextPredicate)))) {
            nextPredicate++;
        }
        if (nextPredicate < end) {
            Predicates.Recording found = known.recording(table.value(nextPredicate));
            int rows = found.keys() == null ? 0 : found.keys().length;
            if (nextPredicate - (found.isRead() ? rows : 0) == at) {
                first = at;
                predicate = found;
                at = nextPredicate + 1;
                if (!found.isRead()) {
                    first = at;
                    for (int i = 0; i < rows; i++) {
                        at += Predicates.isRow(table.value(at)) ? 2 : 1;
                    }
                }
                return true;
            }
        }
        if (Predicates.isRow(table.value(at))) {
            row = Predicates.rowNumber(table.value(at++));
        }
        operation = at++;
        skipRepeated();
        return true;
    }

    private void skipRepeated() {
        while (at < end && table.isRepeatedRow(at)) {
            at++;
        }
    }

    private boolean hasMore() {
        return predicate == null && row == NONE && at > operation + 1;
    }

    /** The operation, if it is no predicate. */
    public int operation() {
        return operation;
    }

    /**
     * {@code pr}, {@code pw} or {@code pd}, or what is done with a savepoint; null if it is an operation on a key. Then
     * {@link #writeFields} writes what else it has.
     */
    public @Nullable String predicate() {
        Predicates.Recording of = predicate;
        if (of == null) {
            return isOfSavepoint() ? Operations.nameOf(table.kind(operation)) : null;
        }
        Predicates.Unknown write = of.write();
        return of.isRead() ? "pr" : (write == null ? table.isDelete(first) : write.isDelete()) ? "pd" : "pw";
    }

    /** The predicate; null if the operation is none. */
    public Predicates.@Nullable Recording recording() {
        return predicate;
    }

    /** The first of the operations that are the reads or writes of the rows of the predicate. */
    public int firstRow() {
        return first;
    }

    /** Whether {@link #writeFields} has something to write. */
    public boolean hasFields() {
        return predicate != null || row != NONE || hasMore() || isOfSavepoint();
    }

    private boolean isOfSavepoint() {
        return predicate == null && table.isOfSavepoint(operation);
    }

    /** What {@link #fields} returns for what is done with a savepoint. @param name the code of its name */
    public static String ofSavepoint(byte kind, ValueDictionary values, long name) {
        return text(json -> {
            json.writeStringField("op", Operations.nameOf(kind));
            json.writeFieldName(PredicateReader.NAME);
            JsonlWriter.writeValue(json, values, name);
        });
    }

    /** Writes fields of an object. */
    private interface Fields {
        void write(JsonGenerator json) throws IOException;
    }

    private static String text(Fields fields) {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        try (JsonGenerator json = Json.FACTORY.createGenerator(text)) {
            json.writeStartObject();
            fields.write(json);
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString(StandardCharsets.UTF_8);
    }

    /** The predicate with its name, or the columns that the operation writes, as the text of a JSON object. */
    public String fields() {
        return text(json -> {
            String name = predicate();
            if (name != null) {
                json.writeStringField("op", name);
            }
            writeFields(json);
        });
    }

    /**
     * Writes the fields of the predicate, the columns that the operation writes, or the further rows that it read, into
     * the current object.
     */
    public void writeFields(JsonGenerator json) throws IOException {
        Predicates.Recording of = predicate;
        if (isOfSavepoint()) {
            json.writeFieldName(PredicateReader.NAME);
            JsonlWriter.writeValue(json, table.values(), table.value(operation));
            return;
        }
        if (hasMore()) {
            json.writeArrayFieldStart(PredicateReader.MORE);
            for (int o = operation + 1; o < at; o++) {
                JsonlWriter.writeValue(json, table.values(), table.value(o));
            }
            json.writeEndArray();
            return;
        }
        if (of == null) {
            columns(json, row);
            return;
        }
        condition(json, of.condition());
        Predicates.Unknown write = of.write();
        int[] keys = of.keys();
        if (of.isRead()) {
            rows(json, keys == null ? 0 : keys.length);
        } else if (write != null) {
            if (!write.isDelete()) {
                value(json, write.value(), write.row());
            }
            if (write.count() >= 0) {
                json.writeNumberField("count", write.count());
            }
        } else if (keys != null) {
            boolean hasRow = Predicates.isRow(table.value(first));
            if (!table.isDelete(first)) {
                value(
                        json,
                        table.value(hasRow ? first + 1 : first),
                        hasRow ? Predicates.rowNumber(table.value(first)) : NONE);
            }
            json.writeArrayFieldStart("keys");
            for (int key : keys) {
                JsonlWriter.writeKey(json, table.keys(), key);
            }
            json.writeEndArray();
        }
    }

    private void rows(JsonGenerator json, int count) throws IOException {
        json.writeArrayFieldStart("rows");
        for (int o = first; o < first + count; o++) {
            json.writeStartArray();
            JsonlWriter.writeKey(json, table.keys(), table.key(o));
            JsonlWriter.writeValue(json, table.values(), table.value(o));
            json.writeEndArray();
        }
        json.writeEndArray();
    }

    private void value(JsonGenerator json, long code, int columns) throws IOException {
        json.writeFieldName("value");
        JsonlWriter.writeValue(json, table.values(), code);
        columns(json, columns);
    }

    private void columns(JsonGenerator json, int number) throws IOException {
        Predicates known = predicates;
        if (number != NONE && known != null) {
            json.writeObjectFieldStart("row");
            known.columns(number, (name, code) -> {
                json.writeFieldName(name);
                JsonlWriter.writeValue(json, table.values(), code);
            });
            json.writeEndObject();
        }
    }

    private void condition(JsonGenerator json, Condition condition) throws IOException {
        Predicates known = predicates;
        Condition.Term first = condition.terms().get(0);
        if (first.column() == Condition.VALUE || known == null) {
            if (first.modulus() > 0) {
                json.writeNumberField("mod", first.modulus());
            }
            json.writeNumberField("lo", first.low());
            json.writeNumberField("hi", first.high());
            return;
        }
        json.writeObjectFieldStart("where");
        for (Condition.Term term : condition.terms()) {
            json.writeArrayFieldStart(known.column(term.column()));
            long[] codes = term.codes();
            if (codes == null) {
                json.writeNumber(term.low());
                json.writeNumber(term.high());
            } else {
                for (long code : codes) {
                    JsonlWriter.writeValue(json, table.values(), code);
                }
            }
            json.writeEndArray();
        }
        json.writeEndObject();
    }
}
