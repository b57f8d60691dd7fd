package org.polygraph.storage.format.edn;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.dictionary.KeyDictionary;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.format.edn.CallTokens.Token;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.Condition;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;
import org.polygraph.storage.table.Operations;

/**
 * The reads and writes of one invocation or completion. An element of a set is a row, which is inserted; its key is the
 * element, and its value the key of the set, or 1. Memory: 13 bytes an operation. One object is used for many calls.
 */
final class EdnOperations {
    private static final String SINGLE_REGISTER = "register";
    private static final String TRANSACTION = "[[:r key value] [:w key value] [:append key element] ...]";
    private static final String ROWS =
            "the rows that matched, {key value, ...} or [[key value] ...], with integers as values";
    private static final String PREDICATE = "a predicate: :true, [:= integer] or [:mod integer integer]";
    /** The value of the rows that are the elements of a set without a key. */
    private static final long ELEMENT = 1;

    private static final String SCALAR = "a number, a string, a keyword, true or false";

    private static final int MOST = 1 << 30;

    private final HistoryTableBuilder builder;
    private final KeyDictionary keys;
    private final ValueDictionary values;
    /** The elements of the list that is being read. */
    private final LongArrayList elements = new LongArrayList();

    private int[] operationKeys = new int[8];
    private long[] operationValues = new long[8];
    /** By operation: its kind as in {@link Operations#kinds}; null as long as all are 0. */
    private byte @Nullable [] kinds;

    private int size;
    /** The keys of the elements that they add to sets. */
    private final IntArrayList added = new IntArrayList();

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
        clear();
        call.value().rewind();
        switch (call.function()) {
            case TXN -> transaction(call);
            case ADD -> add(call);
            case INIT -> rows(call, call.value(), false);
            case READ, R -> {
                if (call.isOk() && call.workload().isReadOfSet(call.value())) {
                    set(call);
                } else {
                    register(call);
                }
            }
            default -> register(call);
        }
    }

    /** Removes all operations. */
    void clear() {
        size = 0;
        kinds = null;
        added.clear();
    }

    /** Adds the operations to the open transaction of a builder. */
    void addTo(HistoryTableBuilder to) {
        int first = to.operations();
        to.operations(operationKeys, 0, operationValues, 0, size);
        byte[] known = kinds;
        for (int o = 0; known != null && o < size; o++) {
            if (known[o] != 0) {
                to.kind(first + o, known[o]);
            }
        }
    }

    /** Makes the rows of an {@code :init} the state before the first transaction. */
    void initialize(HistoryTableBuilder to) {
        for (int o = 0; o < size; o++) {
            to.initialValue(Operations.key(operationKeys[o]), operationValues[o]);
        }
    }

    /** The keys of the elements that the operations add to sets. */
    IntArrayList added() {
        return added;
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

    /** Gives the last operation its kind. */
    private void kind(byte kind) {
        byte[] known = kinds;
        if (known == null || known.length < size) {
            known = known == null ? new byte[operationKeys.length] : Arrays.copyOf(known, operationKeys.length);
            kinds = known;
        }
        known[size - 1] = kind;
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

    private void append(int key, long element) {
        builder.withLists();
        write(key, element);
        kind(Operations.APPEND);
    }

    private void transaction(EdnCall call) throws HistoryException {
        EdnValue value = call.value();
        if (value.isNil()) {
            throw call.error(":txn without a :value", TRANSACTION);
        }
        enter(value, TRANSACTION);
        while (value.peek() != Token.CLOSE) {
            enter(value, "[:r key value], [:w key value], [:append key element] or another micro-operation");
            if (value.peekIs(":r")) {
                value.advance();
                if (value.nextIsSet()) {
                    elements(call, value, true, keyOfSet(value));
                } else {
                    int key = key(value);
                    // In [:r key] the value of the read is not known.
                    if (value.peek() != Token.CLOSE) {
                        call.workload().read(value);
                        read(value, key, call.isOk());
                    }
                }
            } else if (value.peekIs(":add")) {
                value.advance();
                call.workload().add();
                element(value, true, keyOfSet(value), true);
            } else if (value.peekIs(":w")) {
                value.advance();
                int key = key(value);
                write(key, written(call, value));
            } else if (value.peekIs(":insert")) {
                value.advance();
                int key = key(value);
                write(key, written(call, value));
                kind(Operations.INSERT);
            } else if (value.peekIs(":delete")) {
                value.advance();
                write(key(value), ValueDictionary.NULL);
                kind(Operations.DELETE);
            } else if (value.peekIs(":rp")) {
                value.advance();
                predicate(call, value);
            } else if (value.peekIs(":savepoint") || value.peekIs(":release") || value.peekIs(":rollback-to")) {
                byte kind = value.peekIs(":savepoint")
                        ? Operations.SAVEPOINT
                        : value.peekIs(":release") ? Operations.RELEASE : Operations.ROLLBACK_TO;
                value.advance();
                add(0, scalar(value));
                kind(kind);
            } else if (value.peekIs(":append")) {
                value.advance();
                int key = key(value);
                long element = scalar(value);
                append(key, element);
            } else {
                throw new HistoryException(
                        value.where(),
                        value.describe() + " as a micro-operation",
                        ":r, :w, :append, :add, :rp, :insert, :delete, :savepoint, :release or :rollback-to",
                        EdnWorkload.instead(value.describe(), call.remedy()));
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

    /** The value that an operation writes. */
    private long written(EdnCall call, EdnValue value) throws HistoryException {
        if (value.peek() != Token.INTEGER) {
            call.workload().notInteger(value);
        }
        return scalarOrNil(value);
    }

    /** The rows of an invocation, or nil where the operation did not succeed, are not known. */
    private void predicate(EdnCall call, EdnValue value) throws HistoryException {
        call.workload().predicate();
        Condition condition = condition(value);
        if (call.isInvocation() || (value.peekIsNil() && !call.isOk())) {
            value.skip();
            return;
        }
        rows(call, value, true);
        add(0, builder.predicate(condition, call.workload().rows()));
    }

    private static Condition condition(EdnValue value) throws HistoryException {
        if (value.peekIsNamed("true")) {
            value.advance();
            return Condition.between(Long.MIN_VALUE, Long.MAX_VALUE);
        }
        enter(value, PREDICATE);
        boolean isModulo = value.peekIsNamed("mod");
        if (!isModulo && !value.peekIsNamed("=")) {
            throw value.unexpected(PREDICATE);
        }
        value.advance();
        long first = integer(value);
        if (isModulo && first < 1) {
            throw new HistoryException(
                    value.where(), "the modulus " + first, "1 or more", "the predicate is [:mod modulus remainder]");
        }
        long bound = isModulo ? integer(value) : first;
        leave(value, PREDICATE);
        return isModulo ? Condition.modulo(first, bound, bound) : Condition.between(bound, bound);
    }

    private static long integer(EdnValue value) throws HistoryException {
        if (value.peek() != Token.INTEGER) {
            throw value.unexpected(PREDICATE);
        }
        long integer = value.integer();
        value.advance();
        return integer;
    }

    /** Adds an operation for each row of a map, or of a vector of pairs. @param areRead else they are written */
    private void rows(EdnCall call, EdnValue value, boolean areRead) throws HistoryException {
        boolean isMap = value.peek() == Token.MAP;
        if (!isMap && !value.peek().isSequence()) {
            throw value.isEmpty() ? call.error("no :value", ROWS) : value.unexpected(ROWS);
        }
        value.advance();
        IntArrayList rows = call.workload().newRows();
        while (value.peek() != Token.CLOSE) {
            if (!isMap) {
                enter(value, "[key value]");
            }
            String place = value.where();
            int key = key(value);
            if (value.peek() != Token.INTEGER) {
                throw value.unexpected(ROWS);
            }
            add(Operations.pack(key, !areRead), scalar(value));
            rows.add(key);
            if (call.workload().isRepeated(key)) {
                if (isMap || !areRead) {
                    throw new HistoryException(place, "a key a second time", "each key once", call.remedy());
                }
                kind(Operations.REPEATED_ROW);
            }
            if (!isMap) {
                leave(value, "[key value]");
            }
        }
        value.advance();
    }

    private void add(EdnCall call) throws HistoryException {
        EdnValue value = call.value();
        if (value.isNil()) {
            throw call.error(":add without a :value", "the element that was added");
        }
        boolean isKeyed = value.isSequence();
        call.workload().set(call, isKeyed, true);
        if (isKeyed) {
            enter(value, "[key element]");
        }
        long of = isKeyed ? keyOfSet(value) : ELEMENT;
        element(value, isKeyed, of, true);
        if (isKeyed) {
            leave(value, "[key element]");
        }
    }

    private void set(EdnCall call) throws HistoryException {
        EdnValue value = call.value();
        boolean isKeyed = value.isPairWithSequence() || value.isPairWithSet();
        if (!value.isSequence() && value.peek() != Token.SET) {
            throw call.workload().notRead(call);
        }
        call.workload().set(call, isKeyed, false);
        if (isKeyed) {
            enter(value, "[key elements]");
        }
        elements(call, value, isKeyed, isKeyed ? keyOfSet(value) : ELEMENT);
        if (isKeyed) {
            leave(value, "[key elements]");
        }
    }

    /** A read of all elements of a set. @param of the key of the set */
    private void elements(EdnCall call, EdnValue value, boolean isKeyed, long of) throws HistoryException {
        boolean isSet = value.peek() == Token.SET;
        value.advance();
        IntArrayList rows = call.workload().newRows();
        while (value.peek() != Token.CLOSE) {
            String place = isSet ? value.where() : "";
            int key = element(value, isKeyed, of, false);
            rows.add(key);
            if (call.workload().isRepeated(key)) {
                if (isSet) {
                    throw new HistoryException(place, "an element of a set a second time", "it once", call.remedy());
                }
                kind(Operations.REPEATED_ROW);
            }
        }
        value.advance();
        add(0, builder.predicate(Condition.between(of, of), rows));
    }

    private static long keyOfSet(EdnValue value) throws HistoryException {
        if (value.peek() != Token.INTEGER) {
            throw value.unexpected("the key of a set, an integer");
        }
        long key = value.integer();
        value.advance();
        return key;
    }

    /**
     * Reads the row that an element of a set is, or inserts it.
     *
     * @param of the key of the set
     * @return the key of the row
     */
    private int element(EdnValue value, boolean isKeyed, long of, boolean isAdded) throws HistoryException {
        int key = row(value, isKeyed, of);
        if (isAdded) {
            write(key, values.code(of));
            kind(Operations.INSERT);
            added.add(key);
        } else {
            read(key, values.code(of));
        }
        return key;
    }

    private int row(EdnValue value, boolean isKeyed, long of) throws HistoryException {
        String expected = "an element: " + SCALAR;
        if (value.peekIsNil() || value.peek().isSequence()) {
            throw value.unexpected(expected);
        }
        if (!isKeyed) {
            return key(value);
        }
        StringBuilder name = new StringBuilder("#[").append(of).append(' ');
        value.nameWithin(name, expected);
        return keys.id(name.append(']').toString());
    }

    private void register(EdnCall call) throws HistoryException {
        EdnValue value = call.value();
        EdnCall.Function function = call.function();
        boolean isCas = function == EdnCall.Function.CAS;
        if (value.isEmpty() && !function.isRead()) {
            throw call.error(function.keyword() + " without a :value", isCas ? "[old new]" : "what was written");
        }
        boolean isKeyed = isCas ? value.isPairWithSequence() : value.isSequence();
        if (value.peek() == Token.MAP) {
            throw call.workload().notRead(call);
        }
        int key;
        call.workload().register(call, isKeyed, !function.isRead());
        if (isKeyed) {
            enter(value, "[key value]");
            key = key(value);
        } else {
            key = keys.id(SINGLE_REGISTER);
        }
        if (isCas) {
            enter(value, "[old new]");
            long expected = scalarOrNil(value);
            long written = written(call, value);
            leave(value, "[old new]");
            read(key, expected);
            write(key, written);
        } else if (!function.isRead()) {
            write(key, written(call, value));
        } else if (call.isOk()) {
            read(key, value.isEmpty() ? ValueDictionary.NULL : scalarOrNil(value));
        } else {
            return;
        }
        if (isKeyed && value.peek() != Token.CLOSE) {
            throw EdnWorkload.notPair(value);
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
