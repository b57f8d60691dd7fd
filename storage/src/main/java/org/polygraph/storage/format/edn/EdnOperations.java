package org.polygraph.storage.format.edn;

import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.util.Arrays;
import org.polygraph.storage.dictionary.KeyDictionary;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.format.edn.CallTokens.Token;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;
import org.polygraph.storage.table.Operations;

/**
 * The reads and writes of one invocation or completion. Memory: 12 bytes an operation. One object is used for many
 * calls.
 */
final class EdnOperations {
    private static final String SINGLE_REGISTER = "register";
    private static final String TRANSACTION = "[[:r key value] [:w key value] [:append key element] ...]";
    private static final String SCALAR = "a number, a string, a keyword, true or false";

    private static final int MOST = 1 << 30;

    private final HistoryTableBuilder builder;
    private final KeyDictionary keys;
    private final ValueDictionary values;
    /** The elements of the list that is being read. */
    private final LongArrayList elements = new LongArrayList();

    private int[] operationKeys = new int[8];
    private long[] operationValues = new long[8];
    private int size;

    EdnOperations(HistoryTableBuilder builder) {
        this.builder = builder;
        keys = builder.keys();
        values = builder.values();
        builder.reserve(bytes());
    }

    /**
     * Reads the operations of a call. Keys and values get their numbers in the order of the text, even if an error
     * follows.
     */
    void take(EdnCall call) throws HistoryException {
        size = 0;
        call.value().rewind();
        if (call.function() == EdnCall.Function.TXN) {
            transaction(call);
        } else {
            register(call);
        }
    }

    /** Removes all operations. */
    void clear() {
        size = 0;
    }

    /** Adds the operations to the open transaction of a builder. */
    void addTo(HistoryTableBuilder to) {
        to.operations(operationKeys, 0, operationValues, 0, size);
    }

    /** Returns the bytes of heap that are held. */
    long bytes() {
        return (long) HistoryTable.BYTES_PER_OPERATION * operationKeys.length;
    }

    private void add(int keyAndKind, long value) {
        if (size == operationKeys.length) {
            grow();
        }
        operationKeys[size] = keyAndKind;
        operationValues[size++] = value;
    }

    private void grow() {
        if (size == MOST) {
            throw new BudgetException("more than " + MOST + " operations of one transaction do not fit a table");
        }
        builder.reserve(bytes());
        operationKeys = Arrays.copyOf(operationKeys, 2 * size);
        operationValues = Arrays.copyOf(operationValues, 2 * size);
    }

    private void read(int key, long code) {
        add(Operations.pack(key, false), code);
    }

    private void write(int key, long code) {
        add(Operations.pack(key, true), code);
    }

    private void transaction(EdnCall call) throws HistoryException {
        EdnValue value = call.value();
        if (value.isNil()) {
            throw call.error(":txn without a :value", TRANSACTION);
        }
        enter(value, TRANSACTION);
        while (value.peek() != Token.CLOSE) {
            enter(value, "[:r key value], [:w key value] or [:append key element]");
            if (value.peekIs(":r")) {
                value.advance();
                int key = key(value);
                // In [:r key] the value of the read is not known.
                if (value.peek() != Token.CLOSE) {
                    read(value, key, call.isOk());
                }
            } else if (value.peekIs(":w")) {
                value.advance();
                int key = key(value);
                write(key, scalarOrNil(value));
            } else if (value.peekIs(":append")) {
                value.advance();
                int key = key(value);
                long element = scalar(value);
                read(key, builder.beforeAppend());
                write(key, element);
            } else {
                throw new HistoryException(
                        value.where(), value.describe() + " as a micro-operation", ":r, :w or :append", call.remedy());
            }
            leave(value, "the end of the micro-operation");
        }
        value.advance();
    }

    /** If the call did not succeed, nil means that the value is not known. */
    private void read(EdnValue value, int key, boolean isOk) throws HistoryException {
        if (value.peekIsNil()) {
            value.advance();
            if (isOk) {
                read(key, ValueDictionary.NULL);
            }
        } else if (value.peek().isSequence()) {
            value.advance();
            elements.clear();
            while (value.peek() != Token.CLOSE) {
                elements.add(scalar(value));
            }
            value.advance();
            read(key, builder.list(key, elements));
        } else {
            read(key, scalar(value));
        }
    }

    private void register(EdnCall call) throws HistoryException {
        EdnValue value = call.value();
        EdnCall.Function function = call.function();
        boolean isCas = function == EdnCall.Function.CAS;
        if (value.isEmpty() && !function.isRead()) {
            throw call.error(function.keyword() + " without a :value", isCas ? "[old new]" : "what was written");
        }
        boolean isKeyed = isCas ? value.isPairWithSequence() : value.isSequence();
        int key;
        call.keyed(isKeyed);
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
            read(key, expected);
            write(key, written);
        } else if (!function.isRead()) {
            write(key, scalarOrNil(value));
        } else if (call.isOk()) {
            read(key, value.isEmpty() ? ValueDictionary.NULL : scalarOrNil(value));
        } else {
            return;
        }
        if (isKeyed) {
            leave(value, "[key value]");
        }
    }

    private static void enter(EdnValue value, String expected) throws HistoryException {
        if (!value.peek().isSequence()) {
            throw value.unexpected(expected);
        }
        value.advance();
    }

    private static void leave(EdnValue value, String expected) throws HistoryException {
        if (value.peek() != Token.CLOSE) {
            throw value.unexpected(expected);
        }
        value.advance();
    }

    private int key(EdnValue value) throws HistoryException {
        if (value.peek() == Token.INTEGER) {
            int id = keys.id(value.integer());
            value.advance();
            return id;
        }
        return keys.id(value.name("a key: " + SCALAR + ", or a vector of these", true));
    }

    private long scalarOrNil(EdnValue value) throws HistoryException {
        if (value.peekIsNil()) {
            value.advance();
            return ValueDictionary.NULL;
        }
        return scalar(value);
    }

    private long scalar(EdnValue value) throws HistoryException {
        if (value.peekIsNil()) {
            throw value.unexpected("a value: " + SCALAR);
        }
        if (value.peek() == Token.INTEGER) {
            long code = values.code(value.integer());
            value.advance();
            return code;
        }
        return values.code(value.name("a value: " + SCALAR, false));
    }
}
