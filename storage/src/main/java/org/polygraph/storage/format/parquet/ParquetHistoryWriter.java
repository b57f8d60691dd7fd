package org.polygraph.storage.format.parquet;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.apache.parquet.ParquetRuntimeException;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.io.api.Binary;
import org.polygraph.storage.format.io.TableWriter;
import org.polygraph.storage.format.jsonl.HistoryHeader;
import org.polygraph.storage.format.jsonl.Json;
import org.polygraph.storage.format.jsonl.JsonlWriter;
import org.polygraph.storage.format.jsonl.OperationWalk;
import org.polygraph.storage.table.HistoryTable;

/**
 * Writes the archive format: compressed by zstd, row groups of 16 MiB, sorted by (session, index), the header in the
 * file's metadata.
 */
public final class ParquetHistoryWriter implements TableWriter {
    /** A row group holds about two million operations. A reader that reads several at a time takes one as its piece. */
    private static final long ROW_GROUP_BYTES = 16L << 20;

    private static final int SESSION = 0;
    private static final int INDEX = 1;
    private static final int START = 2;
    private static final int END = 3;
    private static final int STATUS = 4;
    private static final int OPS = 5;
    private static final int OP = 0;
    private static final int KEY = 1;
    private static final int KEY_STRING = 2;
    private static final int VALUE = 3;
    private static final int VALUE_STRING = 4;
    private static final int FIELDS = 5;
    private static final int VERSION = 6;

    private final Rows rows;
    private final ParquetWriter<Integer> writer;

    /**
     * @param first the table whose header the file gets; its rows are written by {@link #append} like those of others
     */
    public ParquetHistoryWriter(HistoryTable first, OutputStream out) throws IOException {
        this(first, out, ROW_GROUP_BYTES);
    }

    /** @param rowGroupBytes for tests; a row group has at least 100 rows */
    public ParquetHistoryWriter(HistoryTable first, OutputStream out, long rowGroupBytes) throws IOException {
        StringWriter header = new StringWriter();
        try (JsonGenerator json = Json.FACTORY.createGenerator(header)) {
            HistoryHeader.write(json, first);
        }
        rows = new Rows(first, header.toString());
        // A dictionary of keys that occur once is as large as their column.
        boolean isOfState = first.operations() == first.keys().size();
        writer = rows.to(out)
                .withRowGroupSize(rowGroupBytes)
                .withDictionaryEncoding(!isOfState)
                .build();
    }

    @Override
    public void append(HistoryTable table) throws IOException {
        rows.turnTo(table);
        int t = 0;
        try {
            for (; t < table.transactions(); t++) {
                writer.write(t);
            }
        } catch (UncheckedIOException e) {
            throw e.getCause() instanceof UnwritableStringException unwritable
                    ? unwritable.at(table.whereIs(t))
                    : e.getCause();
        } catch (ParquetRuntimeException e) {
            throw ParquetFailure.of(e);
        }
    }

    /** Writes the footer and flushes; does not close the stream. */
    @Override
    public void close() throws IOException {
        try {
            writer.close();
        } catch (ParquetRuntimeException e) {
            throw ParquetFailure.of(e);
        }
    }

    /** Writes the transaction of the given number as a row. */
    private static final class Rows extends WrittenRows<Integer> {
        private static final Binary READ = constant("r");
        private static final Binary REFUSED = constant("cas");
        private static final Binary WRITE = constant("w");
        private static final Binary APPEND = constant("append");
        private static final Binary ADD = constant("add");
        private static final Binary INSERT = constant("i");
        private static final Binary DELETE = constant("d");

        private HistoryTable table;
        private OperationWalk walk;
        private int session;

        /** Returns a string that several threads may write. Those of {@link Binary#fromString} move a position. */
        private static Binary constant(String text) {
            return Binary.fromConstantByteArray(text.getBytes(StandardCharsets.UTF_8));
        }

        Rows(HistoryTable table, String header) {
            super(
                    table.values().hasGiven()
                            ? ParquetFiles.SCHEMA_OF_VERSIONS
                            : table.recordedPredicates() == null
                                            && !table.hasRepeatedRows()
                                            && !table.hasLists()
                                            && !table.hasSavepoints()
                                    ? ParquetFiles.SCHEMA
                                    : ParquetFiles.SCHEMA_OF_ROWS,
                    Map.of(ParquetFiles.HEADER, header));
            this.table = table;
            this.walk = new OperationWalk(table);
        }

        void turnTo(HistoryTable next) {
            table = next;
            walk = new OperationWalk(next);
            session = 0;
        }

        @Override
        public void write(Integer transaction) {
            int t = transaction;
            while (table.transactionsEnd(session) <= t) {
                session++;
            }
            out.startMessage();
            integer("session", SESSION, table.sessionLabel(session));
            integer("index", INDEX, table.index(t));
            time("start", START, table.starts(), t);
            time("end", END, table.ends(), t);
            text("status", STATUS, Binary.fromString(table.status(t).label()));
            operations(t);
            out.endMessage();
        }

        private void operations(int t) {
            out.startField("ops", OPS);
            out.startGroup();
            int from = table.firstOperation(t);
            int to = table.operationsEnd(t);
            if (from < to) {
                out.startField("list", 0);
                for (walk.seek(t); walk.next(); ) {
                    out.startGroup();
                    out.startField("element", 0);
                    out.startGroup();
                    String predicate = walk.predicate();
                    if (predicate == null) {
                        operation(walk.operation());
                    } else {
                        text("op", OP, Binary.fromString(predicate));
                    }
                    if (walk.hasFields()) {
                        fields(walk::writeFields);
                    }
                    out.endGroup();
                    out.endField("element", 0);
                    out.endGroup();
                }
                out.endField("list", 0);
            }
            out.endGroup();
            out.endField("ops", OPS);
        }

        private void operation(int o) {
            int key = table.key(o);
            long code = table.value(o);
            boolean refused = table.values().isOther(code);
            long value =
                    refused ? table.values().excluded(code) : table.values().withoutVersion(code);
            text("op", OP, refused ? REFUSED : table.isWrite(o) ? write(o) : READ);
            if (table.keys().isString(key)) {
                text("key_string", KEY_STRING, ParquetStrings.of(table.keys().string(key)));
            } else {
                integer("key", KEY, table.keys().integer(key));
            }
            long[] elements = table.elements(o);
            if (elements != null) {
                fields(json -> {
                    json.writeArrayFieldStart("value");
                    for (long element : elements) {
                        JsonlWriter.writeValue(json, table.values(), element);
                    }
                    json.writeEndArray();
                });
            } else if (table.values().isInteger(value)) {
                integer("value", VALUE, table.values().integer(value));
            } else if (!table.values().isNull(value)) {
                text(
                        "value_string",
                        VALUE_STRING,
                        ParquetStrings.of(table.values().text(value)));
            }
            if (table.values().isGiven(code)) {
                integer("version", VERSION, table.values().givenVersion(code));
            }
        }

        /** Writes fields of a JSON object. */
        private interface Fields {
            void write(JsonGenerator json) throws IOException;
        }

        private void fields(Fields fields) {
            StringWriter text = new StringWriter();
            try (JsonGenerator json = Json.FACTORY.createGenerator(text)) {
                json.setHighestNonEscapedChar(127);
                json.writeStartObject();
                fields.write(json);
                json.writeEndObject();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            text("fields", FIELDS, Binary.fromString(text.toString()));
        }

        private Binary write(int o) {
            return table.isAddition(o)
                    ? ADD
                    : table.isAppend(o) ? APPEND : table.isInsert(o) ? INSERT : table.isDelete(o) ? DELETE : WRITE;
        }

        private void time(String field, int at, long @org.jspecify.annotations.Nullable [] times, int t) {
            if (times != null && times[t] != HistoryTable.NO_TIME) {
                integer(field, at, times[t]);
            }
        }

        private void integer(String field, int at, long number) {
            out.startField(field, at);
            out.addLong(number);
            out.endField(field, at);
        }

        private void text(String field, int at, Binary text) {
            out.startField(field, at);
            out.addBinary(text);
            out.endField(field, at);
        }
    }
}
