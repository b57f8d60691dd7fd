package org.polygraph.storage.format;

import java.io.IOException;
import java.util.Arrays;
import java.util.Objects;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.schema.MessageType;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.columnar.HistoryTable;
import org.polygraph.storage.columnar.HistoryTable.Source;
import org.polygraph.storage.columnar.HistoryTable.Unit;
import org.polygraph.storage.columnar.HistoryTableBuilder;
import org.polygraph.storage.columnar.KeyDictionary;
import org.polygraph.storage.columnar.ValueDictionary;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.Outcome;

/** Reads the columns of a file side by side, a row a transaction of the builder. */
final class ParquetRows {
    private static final int READ = 0;
    private static final int WRITE = 1;
    /** A compare-and-set that did not find the value. */
    private static final int REFUSED = 2;

    private final ReadContext context;
    private final String file;
    private final HistoryTableBuilder builder;
    /** The row that was begun last. */
    private long row;

    private final ParquetColumn session;
    private final ParquetColumn index;
    private final @Nullable ParquetColumn start;
    private final @Nullable ParquetColumn end;
    private final ParquetColumn status;

    private final ParquetColumn op;
    private final @Nullable ParquetColumn key;
    private final @Nullable ParquetColumn keyString;
    private final @Nullable ParquetColumn value;
    private final @Nullable ParquetColumn valueString;
    /** Where an operation stands at all: below it, the list is null, empty or has a null in it. */
    private final int operationLevel;

    private final ParquetColumn[] ofRows;
    private final ParquetColumn[] ofOperations;
    private int rowsAtHand;

    private final int[] kinds = new int[ParquetColumn.BATCH];
    private final int[] keysAndKinds = new int[ParquetColumn.BATCH];
    private final long[] numbers = new long[ParquetColumn.BATCH];

    /** Carries a located error through the decoding, whose texts are asked for in the midst of it. */
    static final class Refused extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final HistoryException reason;

        Refused(HistoryException reason) {
            super(reason);
            this.reason = reason;
        }

        HistoryException reason() {
            return reason;
        }
    }

    /**
     * @param schema of the columns to read, checked
     * @param before how many rows of the file stand before the first row group that will be read
     */
    ParquetRows(
            MessageType schema,
            @Nullable String createdBy,
            String file,
            long before,
            ReadContext context,
            HistoryTableBuilder builder) {
        this.row = before - 1;
        this.context = context;
        this.file = file;
        this.builder = builder;
        session = require(column(schema, "session", this::none, createdBy));
        index = require(column(schema, "index", this::none, createdBy));
        start = column(schema, "start", this::none, createdBy);
        end = column(schema, "end", this::none, createdBy);
        status = require(column(schema, "status", this::outcome, createdBy));
        op = require(column(schema, "op", this::kind, createdBy));
        key = column(schema, "key", builder.keys()::id, createdBy);
        keyString = column(schema, "key_string", builder.keys()::id, createdBy);
        value = column(schema, "value", builder.values()::code, createdBy);
        valueString = column(schema, "value_string", builder.values()::code, createdBy);
        operationLevel = operationLevel(schema);
        ofRows = some(session, index, status, start, end);
        ofOperations = some(op, key, keyString, value, valueString);
    }

    private static ParquetColumn[] some(@Nullable ParquetColumn... columns) {
        return Arrays.stream(columns).filter(Objects::nonNull).toArray(ParquetColumn[]::new);
    }

    private static @Nullable ParquetColumn column(
            MessageType schema, String name, ParquetColumn.Meaning meaning, @Nullable String createdBy) {
        for (ColumnDescriptor column : schema.getColumns()) {
            String[] path = column.getPath();
            if (path[path.length - 1].equals(name) && (path.length == 1) == isOfRow(name)) {
                return new ParquetColumn(column, meaning, createdBy);
            }
        }
        return null;
    }

    private static boolean isOfRow(String name) {
        return switch (name) {
            case "session", "index", "start", "end", "status" -> true;
            default -> false;
        };
    }

    private static ParquetColumn require(@Nullable ParquetColumn column) {
        if (column == null) {
            throw new IllegalArgumentException("a schema that was not checked");
        }
        return column;
    }

    /** The definition level of the group of {@code op}. */
    private static int operationLevel(MessageType schema) {
        for (ColumnDescriptor column : schema.getColumns()) {
            String[] path = column.getPath();
            if (path.length > 1 && path[path.length - 1].equals("op")) {
                String[] group = Arrays.copyOf(path, path.length - 1);
                return schema.getMaxDefinitionLevel(group);
            }
        }
        throw new IllegalArgumentException("a schema that was not checked");
    }

    /** Reads a row group. */
    void read(PageReadStore group) throws IOException {
        for (ParquetColumn column : ofRows) {
            column.open(group);
        }
        for (ParquetColumn column : ofOperations) {
            column.open(group);
        }
        rowsAtHand = 0;
        long first = row;
        long rows = group.getRowCount();
        for (int n; (n = atHand(ofOperations)) > 0; ) {
            context.check(file);
            for (ParquetColumn column : ofOperations) {
                if (!column.isAlike(op, n)) {
                    throw new IOException("columns of one list that are not alike");
                }
            }
            if (isPlain(key, keyString) && isPlain(value, valueString) && op.isFull()) {
                plainOperations(n, first, first + rows);
            } else {
                operations(n, first, first + rows);
            }
            for (ParquetColumn column : ofOperations) {
                column.advance(n);
            }
        }
        if (row > first) {
            builder.end();
        }
        if (row - first != rows || session.available() > 0) {
            throw new IOException((row - first) + " rows in a row group of " + rows);
        }
    }

    /**
     * How many entries all of them have at hand; 0 at the end of the row group. The one place that makes columns go on: decoding is
     * much code, which the compiler would copy to each.
     */
    private static int atHand(ParquetColumn[] columns) throws IOException {
        int least = Integer.MAX_VALUE;
        int most = 0;
        for (ParquetColumn column : columns) {
            int n = column.available();
            least = Math.min(least, n);
            most = Math.max(most, n);
        }
        if (least == 0 && most > 0) {
            throw new IOException("a column that ends before its row group");
        }
        return least;
    }

    /** Reads the next {@code n} entries of lists and what rows begin with them. */
    private void operations(int n, long first, long end) throws IOException {
        ParquetColumn integerKey = some(key);
        ParquetColumn textKey = some(keyString);
        ParquetColumn integerValue = some(value);
        ParquetColumn textValue = some(valueString);
        for (int i = 0; i < n; i++) {
            if (op.repetition(i) == 0) {
                beginRow(first, end);
            } else if (row == first) {
                throw new IOException("a list that begins before its row");
            }
            if (op.definition(i) < operationLevel) {
                continue;
            }
            if (!op.present(i)) {
                throw isNull("op");
            }
            int kind = (int) op.code(i);
            int k = key(either(integerKey, textKey, i, "key"), i);
            long v = value(either(integerValue, textValue, i, "value"), i);
            if (kind == WRITE) {
                builder.write(k, v);
            } else {
                builder.read(k, kind == REFUSED ? builder.values().otherThan(v) : v);
            }
        }
    }

    /** Whether there is an integer in each entry at hand, and no text. */
    private static boolean isPlain(@Nullable ParquetColumn integers, @Nullable ParquetColumn texts) {
        return integers != null && !integers.isText() && integers.isFull() && (texts == null || texts.isEmpty());
    }

    /**
     * The same where all operations are there and their keys and values are integers: in several loops that do one thing
     * each, which are compiled at once and stay so. The one loop of {@link #operations} took the compiler 1 CPU-s, several times.
     */
    private void plainOperations(int n, long first, long end) throws IOException {
        op.codes(kinds, n);
        require(key).numbers(numbers, n);
        keys(builder.keys(), numbers, kinds, keysAndKinds, n);
        require(value).numbers(numbers, n);
        values(builder.values(), numbers, n);
        refusals(builder.values(), kinds, numbers, n);
        for (int i = 0; i < n; ) {
            if (op.repetition(i) == 0) {
                beginRow(first, end);
            } else if (row == first) {
                throw new IOException("a list that begins before its row");
            }
            int length = 1 + op.rest(i + 1, n);
            builder.operations(keysAndKinds, numbers, i, i + length);
            i += length;
        }
    }

    private static void keys(KeyDictionary keys, long[] numbers, int[] kinds, int[] into, int n) {
        for (int i = 0; i < n; i++) {
            into[i] = keys.id(numbers[i]) << 1 | (kinds[i] & WRITE);
        }
    }

    private static void values(ValueDictionary values, long[] numbers, int n) {
        for (int i = 0; i < n; i++) {
            numbers[i] = values.code(numbers[i]);
        }
    }

    private static void refusals(ValueDictionary values, int[] kinds, long[] codes, int n) {
        for (int i = 0; i < n; i++) {
            if (kinds[i] == REFUSED) {
                codes[i] = values.otherThan(codes[i]);
            }
        }
    }

    private static @Nullable ParquetColumn some(@Nullable ParquetColumn column) {
        return column == null || column.isEmpty() ? null : column;
    }

    /** Which of two columns has a value, if any. */
    private @Nullable ParquetColumn either(
            @Nullable ParquetColumn integers, @Nullable ParquetColumn texts, int i, String what) {
        boolean integer = integers != null && integers.present(i);
        boolean text = texts != null && texts.present(i);
        if (integer && text) {
            throw refused(
                    "an operation with both \"" + what + "\" and \"" + what + "_string\"",
                    "one of them",
                    "see the README for the columns");
        }
        return integer ? integers : text ? texts : null;
    }

    private int key(@Nullable ParquetColumn column, int i) {
        if (column == null) {
            throw isNull("key");
        }
        return column.isText() ? (int) column.code(i) : builder.keys().id(column.number(i));
    }

    private long value(@Nullable ParquetColumn column, int i) {
        if (column == null) {
            return ValueDictionary.NULL;
        }
        return column.isText() ? column.code(i) : builder.values().code(column.number(i));
    }

    private void beginRow(long first, long end) throws IOException {
        if (row > first) {
            builder.end();
        }
        if (row == end) {
            throw new IOException("more than " + (end - first) + " rows in a row group");
        }
        row++;
        begin();
    }

    private void begin() throws IOException {
        if (rowsAtHand == 0) {
            rowsAtHand = atHand(ofRows);
            if (rowsAtHand == 0) {
                throw new IOException("a column that ends before its row group");
            }
        }
        rowsAtHand--;
        if (!session.present(0) || !index.present(0) || !status.present(0)) {
            throw isNull(!session.present(0) ? "session" : !index.present(0) ? "index" : "status");
        }
        Outcome outcome = Outcome.ofCode((byte) status.code(0));
        builder.begin(session.number(0), index.number(0), outcome, row);
        long from = time(start);
        long to = time(end);
        if (from != HistoryTable.NO_TIME || to != HistoryTable.NO_TIME) {
            builder.times(from, to);
        }
        for (ParquetColumn column : ofRows) {
            column.advance(1);
        }
    }

    private static long time(@Nullable ParquetColumn column) {
        return column != null && column.present(0) ? column.number(0) : HistoryTable.NO_TIME;
    }

    private Refused refused(String found, String expected, String remedy) {
        return new Refused(new HistoryException(Source.describe(file, Unit.ROW, row), found, expected, remedy));
    }

    private Refused isNull(String column) {
        return refused("null as \"" + column + "\"", "a value", "see the README for the columns");
    }

    private long none(String text) {
        throw new IllegalArgumentException("a column of integers with " + text);
    }

    private long outcome(String text) {
        Outcome outcome = JsonlReader.outcome(text);
        if (outcome == null) {
            throw refused(
                    "\"" + Shown.text(text) + "\" as \"status\"",
                    "committed, aborted or indeterminate",
                    "see the README for the columns");
        }
        return outcome.code();
    }

    private long kind(String text) {
        return switch (text) {
            case "r" -> READ;
            case "w" -> WRITE;
            case "cas" -> REFUSED;
            case "append" -> throw unsupported(text, "lists are not supported yet");
            case "pr", "pw" -> throw unsupported(text, "predicates are not supported yet");
            default ->
                throw refused(
                        "\"" + Shown.text(text) + "\" as \"op\"", "\"r\" or \"w\"", "see the README for the columns");
        };
    }

    private Refused unsupported(String text, String why) {
        return refused("the operation \"" + text + "\"", "\"r\" or \"w\"", why);
    }
}
