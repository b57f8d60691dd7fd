package org.polygraph.storage.format;

import it.unimi.dsi.fastutil.longs.Long2ObjectMap;
import it.unimi.dsi.fastutil.longs.Long2ObjectOpenHashMap;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import it.unimi.dsi.fastutil.longs.LongArrays;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.columnar.HistoryTable;
import org.polygraph.storage.columnar.HistoryTableBuilder;
import org.polygraph.storage.columnar.KeyDictionary;
import org.polygraph.storage.columnar.ValueDictionary;
import org.polygraph.storage.format.EdnTokens.Token;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.Outcome;

/**
 * Histories as Jepsen writes them: an operation a map, one after another or in a vector, with or without a tag; an invocation and later
 * its completion, by the same process. A process is a session. {@code :ok} is committed, {@code :fail} aborted, {@code :info} and what
 * never completed indeterminate; of these only what they wrote is known, and reads that say what they found. {@code :time} is in
 * ns: a transaction lasts from its invocation to its completion; one of unknown outcome has no end.
 *
 * <p>{@code :txn} has {@code [:r key value]}, {@code [:w key value]} and {@code [:append key element]}; {@code :read}, {@code :write} and {@code :cas}
 * are of one register, or with {@code [key value]} of many. Processes that are no numbers (the nemesis) are passed over. Keywords are
 * strings that begin with a colon.
 */
final class EdnReader {
    private static final String SINGLE_REGISTER = "register";

    private static final String TRANSACTION = "[[:r key value] [:w key value] [:append key element] ...]";
    private static final String SCALAR = "an integer of 64 bits, a string or a keyword";

    private final HistoryTableBuilder builder;
    private final KeyDictionary keys;
    private final ValueDictionary values;
    private final EdnTokens in;
    private final Long2ObjectMap<Client> clients = new Long2ObjectOpenHashMap<>();
    /** Of values that clients hold. */
    private long heldBytes;
    /** Operations so far, of any process. */
    private long count;
    /** Whether any process has invoked an operation; if so each completion has an invocation. */
    private boolean isInvoking;
    /** Whether operations have {@code :index}; known from the first one of a client on. */
    private @Nullable Boolean isIndexed;

    /** The value of the operation that is read. */
    private EdnValue own = new EdnValue();

    private final LongArrayList elements = new LongArrayList();
    private final Operation operation = new Operation();

    EdnReader(String file, InputStream stream, HistoryTableBuilder builder) {
        this.builder = builder;
        keys = builder.keys();
        values = builder.values();
        in = new EdnTokens(file, stream);
    }

    private enum Type {
        INVOKE,
        OK,
        FAIL,
        INFO
    }

    /** What is read of an operation. */
    private enum Field {
        TYPE(":type"),
        PROCESS(":process"),
        FUNCTION(":f"),
        VALUE(":value"),
        TIME(":time"),
        INDEX(":index");

        private static final Field[] ALL = values();

        private final String keyword;

        Field(String keyword) {
            this.keyword = keyword;
        }
    }

    /** What a map says, but for its value. */
    private static final class Operation {
        @Nullable
        Type type;

        /** Null if it is none, or no keyword. */
        @Nullable
        String function;

        boolean hasFunction;
        boolean hasProcess;
        boolean isClient;
        long process;
        long time;
        long index;
        boolean hasIndex;
        long line;
        long column;
    }

    /** A process, and what it has invoked. */
    private static final class Client {
        EdnValue value = new EdnValue();
        boolean isOpen;
        String function = "";
        long time;
        long index;
        long line;
        long column;
    }

    void read() throws IOException, HistoryException {
        int around = 0;
        for (Token token; (token = in.nextValue()) != Token.END; ) {
            if (token == Token.MAP) {
                map();
                apply();
                count++;
            } else if (token == Token.CLOSE) {
                around--;
            } else if (token.isSequence() && around == 0) {
                around++;
            } else {
                throw in.error(in.describe(), "an operation, a map");
            }
        }
        unfinished();
    }

    private void map() throws IOException, HistoryException {
        Operation o = operation;
        o.type = null;
        o.function = null;
        o.hasFunction = false;
        o.hasProcess = false;
        o.isClient = false;
        o.hasIndex = false;
        o.time = HistoryTable.NO_TIME;
        o.line = in.line();
        o.column = in.column();
        own.clear();
        int seen = 0;
        while (in.nextValue() != Token.CLOSE) {
            Field field = field();
            if (field == null) {
                in.skip();
            } else {
                int bit = 1 << field.ordinal();
                if ((seen & bit) != 0) {
                    throw in.error(in.describe() + " a second time", "it once");
                }
                seen |= bit;
            }
            if (in.nextValue() == Token.CLOSE) {
                throw in.error("the end of a map after a key", "the value of that key");
            }
            if (field == null) {
                in.skip();
                continue;
            }
            switch (field) {
                case TYPE -> o.type = type();
                case PROCESS -> process();
                case FUNCTION -> o.function = function();
                case VALUE -> own.take(in);
                case TIME -> o.time = in.isNil() ? HistoryTable.NO_TIME : integer(":time", "a number of ns");
                case INDEX -> {
                    o.hasIndex = !in.isNil();
                    o.index = in.isNil() ? 0 : integer(":index", "an integer");
                }
            }
        }
    }

    /** Which field a key is; null for others. */
    private @Nullable Field field() {
        if (in.token() == Token.KEYWORD) {
            for (Field field : Field.ALL) {
                if (in.is(field.keyword)) {
                    return field;
                }
            }
        }
        return null;
    }

    private Type type() throws HistoryException {
        return switch (in.token() == Token.KEYWORD ? in.text() : "") {
            case ":invoke" -> Type.INVOKE;
            case ":ok" -> Type.OK;
            case ":fail" -> Type.FAIL;
            case ":info" -> Type.INFO;
            default -> throw in.error(in.describe() + " as :type", ":invoke, :ok, :fail or :info");
        };
    }

    private void process() throws IOException, HistoryException {
        operation.hasProcess = true;
        operation.isClient = in.token() == Token.INTEGER;
        if (operation.isClient) {
            operation.process = in.integer();
        } else if (in.token() == Token.KEYWORD || in.isNil()) {
            in.skip();
        } else {
            throw in.error(in.describe() + " as :process", "an integer, or a keyword such as :nemesis");
        }
    }

    private @Nullable String function() throws IOException, HistoryException {
        operation.hasFunction = !in.isNil();
        String text = in.token() == Token.KEYWORD ? in.text() : null;
        in.skip();
        return text;
    }

    private long integer(String name, String expected) throws HistoryException {
        if (in.token() != Token.INTEGER) {
            throw in.error(in.describe() + " as " + name, expected);
        }
        return in.integer();
    }

    /** Takes account of the operation that was read. */
    private void apply() throws HistoryException {
        Operation o = operation;
        if (!o.hasProcess) {
            throw at(o, "an operation without :process", ":type, :process, :f and :value");
        }
        if (!o.isClient) {
            return;
        }
        if (o.type == null || o.function == null) {
            throw o.type != null && o.hasFunction
                    ? at(o, "an operation whose :f is no keyword", "a keyword such as :txn")
                    : at(
                            o,
                            "an operation without " + (o.type == null ? ":type" : ":f"),
                            ":type, :process, :f and :value");
        }
        if (isIndexed == null) {
            isIndexed = o.hasIndex;
        } else if (isIndexed != o.hasIndex) {
            throw at(o, "an operation " + (o.hasIndex ? "with" : "without") + " :index", ":index in all or in none");
        }
        if (o.type == Type.INVOKE) {
            invoke(o);
        } else {
            complete(o, o.type);
        }
    }

    private HistoryException at(Operation o, String found, String expected) {
        return new HistoryException(EdnTokens.where(in.file(), o.line, o.column), found, expected, EdnTokens.REMEDY);
    }

    private void invoke(Operation o) throws HistoryException {
        Client client = clients.computeIfAbsent(o.process, p -> new Client());
        if (client.isOpen) {
            throw at(
                    o,
                    "process " + o.process + " invoking an operation while that of line " + client.line + " is open",
                    "a completion first");
        }
        isInvoking = true;
        long before = client.value.bytes();
        EdnValue free = client.value;
        client.value = own;
        own = free;
        client.isOpen = true;
        client.function = String.valueOf(o.function);
        client.time = o.time;
        client.index = o.hasIndex ? o.index : count;
        client.line = o.line;
        client.column = o.column;
        heldBytes += client.value.bytes() - before;
        builder.reserve(heldBytes);
    }

    private void complete(Operation o, Type type) throws HistoryException {
        Client client = clients.get(o.process);
        boolean isInvoked = client != null && client.isOpen;
        String function = String.valueOf(o.function);
        if (isInvoked && !client.function.equals(function)) {
            throw at(
                    o,
                    Shown.text(function) + " completing " + Shown.text(client.function) + " of line " + client.line,
                    "the completion of what the process invoked");
        }
        if (!isInvoked && isInvoking) {
            throw at(
                    o,
                    "the completion of an operation that process " + o.process + " has not open",
                    "its invocation first");
        }
        Outcome outcome =
                switch (type) {
                    case OK -> Outcome.COMMITTED;
                    case FAIL -> Outcome.ABORTED;
                    default -> Outcome.INDETERMINATE;
                };
        // Without a result, what was invoked tells more than a completion, which may have a reason in place of it.
        boolean isTold = type == Type.OK || !isInvoked || (function.equals(":txn") && own.isSequence());
        operations(function, isTold ? own : client.value, outcome, o);
        builder.begin(o.process, isInvoked ? client.index : o.hasIndex ? o.index : count, outcome, o.line);
        long start = isInvoked ? client.time : HistoryTable.NO_TIME;
        long end = outcome == Outcome.INDETERMINATE ? HistoryTable.NO_TIME : o.time;
        times(start, end);
        builder.end();
        if (isInvoked) {
            client.isOpen = false;
            if (type == Type.INFO) {
                heldBytes -= client.value.bytes();
                clients.remove(o.process); // Jepsen's go on under another number.
            }
        }
    }

    private void times(long start, long end) {
        if (start != HistoryTable.NO_TIME || end != HistoryTable.NO_TIME) {
            builder.times(start, end);
        }
    }

    /** What never completed. */
    private void unfinished() throws HistoryException {
        long[] processes = clients.keySet().toLongArray();
        LongArrays.quickSort(processes);
        for (long process : processes) {
            Client client = clients.get(process);
            if (client.isOpen) {
                operation.line = client.line;
                operation.column = client.column;
                operations(client.function, client.value, Outcome.INDETERMINATE, operation);
                builder.begin(process, client.index, Outcome.INDETERMINATE, client.line);
                times(client.time, HistoryTable.NO_TIME);
                builder.end();
            }
        }
    }

    private void operations(String function, EdnValue value, Outcome outcome, Operation o) throws HistoryException {
        value.rewind();
        switch (function) {
            case ":txn" -> transaction(value, outcome, o);
            case ":read", ":r", ":write", ":w", ":cas" -> register(function, value, outcome, o);
            default ->
                throw new HistoryException(
                        EdnTokens.where(in.file(), o.line, o.column),
                        "the operation " + Shown.text(function),
                        ":txn, :read, :write or :cas",
                        "say in these what it reads and writes, or leave it out");
        }
    }

    private void transaction(EdnValue value, Outcome outcome, Operation o) throws HistoryException {
        if (value.isNil()) {
            throw at(o, ":txn without a :value", TRANSACTION);
        }
        enter(value, TRANSACTION);
        while (value.peek() != Token.CLOSE) {
            enter(value, "[:r key value], [:w key value] or [:append key element]");
            String kind = value.peek() == Token.KEYWORD ? value.text() : "";
            String where = value.where(in.file());
            String described = value.describe();
            value.advance();
            switch (kind) {
                case ":r" -> {
                    int key = key(value);
                    read(value, key, outcome);
                }
                case ":w" -> {
                    int key = key(value);
                    builder.write(key, scalarOrNil(value));
                }
                case ":append" -> {
                    int key = key(value);
                    builder.append(key, scalar(value));
                }
                default ->
                    throw new HistoryException(
                            where, described + " as a micro-operation", ":r, :w or :append", EdnTokens.REMEDY);
            }
            leave(value, "the end of the micro-operation");
        }
        value.advance();
    }

    /** Of a read that did not succeed nil says nothing. */
    private void read(EdnValue value, int key, Outcome outcome) throws HistoryException {
        if (value.peekIsNil()) {
            value.advance();
            if (outcome == Outcome.COMMITTED) {
                builder.read(key, ValueDictionary.NULL);
            }
        } else if (value.peek().isSequence()) {
            value.advance();
            elements.clear();
            while (value.peek() != Token.CLOSE) {
                elements.add(scalar(value));
            }
            value.advance();
            builder.readList(key, elements);
        } else {
            builder.read(key, scalar(value));
        }
    }

    private void register(String function, EdnValue value, Outcome outcome, Operation o) throws HistoryException {
        boolean isCas = function.equals(":cas");
        boolean isRead = function.equals(":read") || function.equals(":r");
        if (value.isEmpty() && !isRead) {
            throw at(o, function + " without a :value", isCas ? "[old new]" : "what was written");
        }
        boolean isKeyed = isCas ? value.isPairWithSequence() : value.isSequence();
        int key;
        if (isKeyed) {
            enter(value, "[key value]");
            key = key(value);
        } else {
            key = keys.id(SINGLE_REGISTER);
        }
        if (isCas) {
            enter(value, "[old new]");
            long expected = scalarOrNil(value);
            long written = scalarOrNil(value);
            leave(value, "[old new]");
            builder.read(key, expected);
            builder.write(key, written);
        } else if (!isRead) {
            builder.write(key, scalarOrNil(value));
        } else if (outcome == Outcome.COMMITTED) {
            builder.read(key, value.isEmpty() ? ValueDictionary.NULL : scalarOrNil(value));
        } else {
            return;
        }
        if (isKeyed) {
            leave(value, "[key value]");
        }
    }

    private void enter(EdnValue value, String expected) throws HistoryException {
        if (!value.peek().isSequence()) {
            throw unexpected(value, expected);
        }
        value.advance();
    }

    private void leave(EdnValue value, String expected) throws HistoryException {
        if (value.peek() != Token.CLOSE) {
            throw unexpected(value, expected);
        }
        value.advance();
    }

    private HistoryException unexpected(EdnValue value, String expected) {
        return new HistoryException(value.where(in.file()), value.describe(), expected, EdnTokens.REMEDY);
    }

    private int key(EdnValue value) throws HistoryException {
        int key =
                switch (value.peek()) {
                    case INTEGER -> keys.id(value.integer());
                    case STRING, KEYWORD -> keys.id(value.text());
                    default -> throw unexpected(value, "a key: " + SCALAR);
                };
        value.advance();
        return key;
    }

    private long scalarOrNil(EdnValue value) throws HistoryException {
        if (value.peekIsNil()) {
            value.advance();
            return ValueDictionary.NULL;
        }
        return scalar(value);
    }

    private long scalar(EdnValue value) throws HistoryException {
        long code =
                switch (value.peek()) {
                    case INTEGER -> values.code(value.integer());
                    case STRING, KEYWORD -> values.code(value.text());
                    default -> throw unexpected(value, "a value: " + SCALAR);
                };
        value.advance();
        return code;
    }
}
