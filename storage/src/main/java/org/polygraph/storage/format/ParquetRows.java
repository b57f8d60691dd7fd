package org.polygraph.storage.format;

import org.apache.parquet.column.Dictionary;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.io.api.Converter;
import org.apache.parquet.io.api.GroupConverter;
import org.apache.parquet.io.api.PrimitiveConverter;
import org.apache.parquet.io.api.RecordMaterializer;
import org.apache.parquet.schema.GroupType;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.Type;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.columnar.HistoryTable;
import org.polygraph.storage.columnar.HistoryTable.Source;
import org.polygraph.storage.columnar.HistoryTable.Unit;
import org.polygraph.storage.columnar.HistoryTableBuilder;
import org.polygraph.storage.columnar.ValueDictionary;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.Outcome;

/** Turns Parquet's calls, column by column of a row, into a transaction of the builder at the row's end. */
final class ParquetRows extends RecordMaterializer<Void> {
    private static final int KIND = 1;
    private static final int KEY = 2;
    private static final int VALUE = 4;

    private final String file;
    private final HistoryTableBuilder builder;
    private final GroupConverter root;
    private long row;

    private boolean hasSession;
    private boolean hasIndex;
    private long session;
    private long index;
    private long start;
    private long end;
    private @Nullable Outcome outcome;

    private int seen;
    /** A compare-and-set that did not find the value. */
    private boolean refused;

    private boolean write;
    private int key;
    private long value;

    /** Carries a located error through Parquet's assembly, which knows unchecked exceptions only. */
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

    ParquetRows(MessageType schema, String file, HistoryTableBuilder builder) {
        this.file = file;
        this.builder = builder;
        this.root = new Row(schema);
    }

    @Override
    public @Nullable Void getCurrentRecord() {
        return null;
    }

    @Override
    public GroupConverter getRootConverter() {
        return root;
    }

    private Refused refused(String found, String expected, String remedy) {
        return new Refused(new HistoryException(Source.describe(file, Unit.ROW, row), found, expected, remedy));
    }

    private Refused isNull(String column) {
        return refused("null as \"" + column + "\"", "a value", "see the README for the columns");
    }

    /** A group of columns, each with its converter. */
    private abstract static class Group extends GroupConverter {
        private final Converter[] converters;

        Group(GroupType type) {
            converters = new Converter[type.getFieldCount()];
            for (int i = 0; i < converters.length; i++) {
                converters[i] = converter(type.getType(i));
            }
        }

        abstract Converter converter(Type field);

        @Override
        public Converter getConverter(int field) {
            return converters[field];
        }

        @Override
        public void start() {}

        @Override
        public void end() {}
    }

    private final class Row extends Group {
        Row(GroupType type) {
            super(type);
        }

        @Override
        Converter converter(Type field) {
            return switch (field.getName()) {
                case "session" ->
                    new Int() {
                        @Override
                        public void addLong(long number) {
                            session = number;
                            hasSession = true;
                        }
                    };
                case "index" ->
                    new Int() {
                        @Override
                        public void addLong(long number) {
                            index = number;
                            hasIndex = true;
                        }
                    };
                case "start" ->
                    new Int() {
                        @Override
                        public void addLong(long number) {
                            start = number;
                        }
                    };
                case "end" ->
                    new Int() {
                        @Override
                        public void addLong(long number) {
                            ParquetRows.this.end = number;
                        }
                    };
                case "status" ->
                    new Text() {
                        @Override
                        void add(String text) {
                            outcome = JsonlReader.outcome(text);
                            if (outcome == null) {
                                throw refused(
                                        "\"" + Shown.text(text) + "\" as \"status\"",
                                        "committed, aborted or indeterminate",
                                        "see the README for the columns");
                            }
                        }
                    };
                default -> level(field.asGroupType());
            };
        }

        @Override
        public void start() {
            hasSession = false;
            hasIndex = false;
            outcome = null;
            ParquetRows.this.start = HistoryTable.NO_TIME;
            ParquetRows.this.end = HistoryTable.NO_TIME;
        }

        @Override
        public void end() {
            if (!hasSession || !hasIndex || outcome == null) {
                throw isNull(!hasSession ? "session" : !hasIndex ? "index" : "status");
            }
            builder.begin(session, index, outcome, row++);
            if (start != HistoryTable.NO_TIME || ParquetRows.this.end != HistoryTable.NO_TIME) {
                builder.times(start, ParquetRows.this.end);
            }
            builder.end();
        }
    }

    private Group level(GroupType type) {
        return type.containsField("op") ? new Operation(type) : new Level(type);
    }

    /** A level of the list that only holds the next. */
    private final class Level extends Group {
        Level(GroupType type) {
            super(type);
        }

        @Override
        Converter converter(Type field) {
            return level(field.asGroupType());
        }
    }

    private final class Operation extends Group {
        Operation(GroupType type) {
            super(type);
        }

        @Override
        Converter converter(Type field) {
            return switch (field.getName()) {
                case "op" ->
                    new Text() {
                        @Override
                        void add(String text) {
                            kind(text);
                        }
                    };
                case "key", "key_string" ->
                    ParquetFiles.isText(field)
                            ? new Text() {
                                @Override
                                void add(String text) {
                                    key = builder.keys().id(text);
                                    once(KEY, "key");
                                }
                            }
                            : new Int() {
                                @Override
                                public void addLong(long number) {
                                    key = builder.keys().id(number);
                                    once(KEY, "key");
                                }
                            };
                default ->
                    ParquetFiles.isText(field)
                            ? new Text() {
                                @Override
                                void add(String text) {
                                    value = builder.values().code(text);
                                    once(VALUE, "value");
                                }
                            }
                            : new Int() {
                                @Override
                                public void addLong(long number) {
                                    value = builder.values().code(number);
                                    once(VALUE, "value");
                                }
                            };
            };
        }

        private void kind(String text) {
            switch (text) {
                case "r", "cas" -> write = false;
                case "w" -> write = true;
                case "append" -> throw unsupported(text, "lists are not supported yet");
                case "pr", "pw" -> throw unsupported(text, "predicates are not supported yet");
                default ->
                    throw refused(
                            "\"" + Shown.text(text) + "\" as \"op\"",
                            "\"r\" or \"w\"",
                            "see the README for the columns");
            }
            refused = text.equals("cas");
            seen |= KIND;
        }

        private Refused unsupported(String text, String why) {
            return refused("the operation \"" + text + "\"", "\"r\" or \"w\"", why);
        }

        private void once(int bit, String what) {
            if ((seen & bit) != 0) {
                throw refused(
                        "an operation with both \"" + what + "\" and \"" + what + "_string\"",
                        "one of them",
                        "see the README for the columns");
            }
            seen |= bit;
        }

        @Override
        public void start() {
            seen = 0;
            value = ValueDictionary.NULL;
        }

        @Override
        public void end() {
            if ((seen & (KIND | KEY)) != (KIND | KEY)) {
                throw isNull((seen & KIND) == 0 ? "op" : "key");
            }
            if (write) {
                builder.write(key, value);
            } else {
                builder.read(key, refused ? builder.values().otherThan(value) : value);
            }
        }
    }

    /** An integer column of either width. */
    private abstract static class Int extends PrimitiveConverter {
        @Override
        public void addInt(int number) {
            addLong(number);
        }

        @Override
        public abstract void addLong(long number);
    }

    /** A string column; each dictionary entry is decoded once. */
    private abstract static class Text extends PrimitiveConverter {
        private String[] entries = new String[0];

        abstract void add(String text);

        @Override
        public boolean hasDictionarySupport() {
            return true;
        }

        @Override
        public void setDictionary(Dictionary dictionary) {
            entries = new String[dictionary.getMaxId() + 1];
            for (int i = 0; i < entries.length; i++) {
                entries[i] = dictionary.decodeToBinary(i).toStringUsingUTF8();
            }
        }

        @Override
        public void addValueFromDictionary(int id) {
            add(entries[id]);
        }

        @Override
        public void addBinary(Binary text) {
            add(text.toStringUsingUTF8());
        }
    }
}
