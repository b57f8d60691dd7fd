package org.polygraph.storage.format;

import java.io.IOException;
import java.util.Arrays;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.schema.MessageType;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.columnar.HistoryTable;
import org.polygraph.storage.columnar.HistoryTable.Source;
import org.polygraph.storage.columnar.HistoryTable.Unit;
import org.polygraph.storage.columnar.HistoryTableBuilder;
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

    /** @param schema of the columns to read, checked */
    ParquetRows(
            MessageType schema,
            @Nullable String createdBy,
            String file,
            ReadContext context,
            HistoryTableBuilder builder) {
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
        for (ParquetColumn column : new @Nullable ParquetColumn[] {
            session, index, start, end, status, op, key, keyString, value, valueString
        }) {
            if (column != null) {
                column.open(group);
            }
        }
        long rows = group.getRowCount();
        for (long i = 0; i < rows; i++) {
            if ((i & 0xFFF) == 0) {
                context.check(file);
            }
            begin();
            requireMore(op);
            if (op.repetition() != 0) {
                throw new IOException("a list that goes on beyond its row");
            }
            do {
                operation();
            } while (op.more() && op.repetition() != 0);
            builder.end();
            row++;
        }
        if (op.more() || session.more()) {
            throw new IOException("a row group with more than its " + rows + " rows");
        }
    }

    private void begin() throws IOException {
        requireMore(session);
        requireMore(index);
        requireMore(status);
        if (!session.present() || !index.present() || !status.present()) {
            throw isNull(!session.present() ? "session" : !index.present() ? "index" : "status");
        }
        builder.begin(session.number(), index.number(), Outcome.ofCode((byte) status.code()), row);
        session.advance();
        index.advance();
        status.advance();
        long from = time(start);
        long to = time(end);
        if (from != HistoryTable.NO_TIME || to != HistoryTable.NO_TIME) {
            builder.times(from, to);
        }
    }

    private static long time(@Nullable ParquetColumn column) throws IOException {
        if (column == null) {
            return HistoryTable.NO_TIME;
        }
        requireMore(column);
        long time = column.present() ? column.number() : HistoryTable.NO_TIME;
        column.advance();
        return time;
    }

    private void operation() throws IOException {
        int level = op.repetition();
        boolean there = op.definition() >= operationLevel;
        boolean hasKey = moreOf(key, level);
        boolean hasKeyString = moreOf(keyString, level);
        boolean hasValue = moreOf(value, level);
        boolean hasValueString = moreOf(valueString, level);
        if (there) {
            if (!op.present()) {
                throw isNull("op");
            }
            int kind = (int) op.code();
            if (!hasKey && !hasKeyString) {
                throw isNull("key");
            }
            if (hasKey && hasKeyString) {
                throw both("key");
            }
            if (hasValue && hasValueString) {
                throw both("value");
            }
            int k = key(hasKey ? key : keyString);
            long v = value(hasValue ? value : hasValueString ? valueString : null);
            if (kind == WRITE) {
                builder.write(k, v);
            } else {
                builder.read(k, kind == REFUSED ? builder.values().otherThan(v) : v);
            }
        }
        op.advance();
        advance(key);
        advance(keyString);
        advance(value);
        advance(valueString);
    }

    private int key(@Nullable ParquetColumn column) {
        if (column == null) {
            throw isNull("key");
        }
        return column.isText() ? (int) column.code() : builder.keys().id(column.number());
    }

    private long value(@Nullable ParquetColumn column) {
        if (column == null) {
            return ValueDictionary.NULL;
        }
        return column.isText() ? column.code() : builder.values().code(column.number());
    }

    /** Whether the column has a value in this entry, which must stand in the list where the operation does. */
    private static boolean moreOf(@Nullable ParquetColumn column, int level) throws IOException {
        if (column == null) {
            return false;
        }
        requireMore(column);
        if (column.repetition() != level) {
            throw new IOException("columns of one list that are not alike");
        }
        return column.present();
    }

    private static void advance(@Nullable ParquetColumn column) {
        if (column != null) {
            column.advance();
        }
    }

    private static void requireMore(ParquetColumn column) throws IOException {
        if (!column.more()) {
            throw new IOException("a column that ends before its row group");
        }
    }

    private Refused refused(String found, String expected, String remedy) {
        return new Refused(new HistoryException(Source.describe(file, Unit.ROW, row), found, expected, remedy));
    }

    private Refused isNull(String column) {
        return refused("null as \"" + column + "\"", "a value", "see the README for the columns");
    }

    private Refused both(String what) {
        return refused(
                "an operation with both \"" + what + "\" and \"" + what + "_string\"",
                "one of them",
                "see the README for the columns");
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
