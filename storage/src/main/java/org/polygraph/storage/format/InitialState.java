package org.polygraph.storage.format;

import it.unimi.dsi.fastutil.ints.Int2LongMap;
import it.unimi.dsi.fastutil.ints.Int2LongOpenHashMap;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.dictionary.KeyDictionary;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.format.io.CorruptStreamException;
import org.polygraph.storage.format.io.ReadContext;
import org.polygraph.storage.format.jsonl.KeyValueReader;
import org.polygraph.storage.format.parquet.NumberTable;
import org.polygraph.storage.format.parquet.ParquetHistoryReader;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;
import org.polygraph.storage.table.SourceFiles;
import org.polygraph.storage.table.TableCopy;

/**
 * The values that keys had before the history began, if it was cut out of a longer one. A file of them is JSON Lines
 * with a key and its value on each line, a history in Parquet that writes each key once, or a {@link NumberTable} of
 * keys and values. Memory: about 40 bytes a key, and the strings of string keys.
 */
public final class InitialState {
    private static final String EXPECTED = "each key once, with its value";
    private static final String NAME = "state";
    private static final List<String> COLUMNS = List.of("key", "value");
    private static final int KEYS_PER_ROW = 1024;
    private static final int POLL = 1 << 14;

    private final KeyDictionary keys;
    private final ValueDictionary values;
    /** The keys that have a value. The dictionary has others too, because keys are looked up in it. */
    private final BitSet known;
    /** By key that has a value: the code of this value. */
    private long[] codes;

    /** A state without values. */
    public InitialState() {
        this(new KeyDictionary(), new ValueDictionary(), new BitSet(), new long[0]);
    }

    private InitialState(KeyDictionary keys, ValueDictionary values, BitSet known, long[] codes) {
        this.keys = keys;
        this.values = values;
        this.known = known;
        this.codes = codes;
    }

    /**
     * Reads a file.
     *
     * @param stop asked for every 64 KiB or so of input
     * @param memoryBytes what may be held
     */
    public static InitialState read(Location file, BooleanSupplier stop, long memoryBytes)
            throws IOException, HistoryException {
        ReadContext context = new ReadContext(stop, memoryBytes);
        ReadContext.Opened opened = context.open(file);
        try (InputStream content = opened.content()) {
            if (Sniff.of(opened.start()).format() == HistoryFormat.PARQUET) {
                return NumberTable.rows(file, NAME) >= 0
                        ? ofNumbers(file, context)
                        : of(HistoryReader.read(file.name(), HistoryFormat.PARQUET, stop, memoryBytes));
            }
            HistoryTableBuilder builder = context.builder(SourceFiles.Unit.LINE);
            builder.file(file.name());
            builder.begin(0, 0, TransactionStatus.COMMITTED, 1);
            KeyValueReader.read(file.name(), content, builder);
            builder.end();
            return of(builder.build());
        } catch (CorruptStreamException e) {
            throw e.in(file.name());
        }
    }

    private static InitialState ofNumbers(Location file, ReadContext context) throws IOException, HistoryException {
        InitialState state = new InitialState();
        NumberTable.read(file, NAME, context.stop(), new NumberTable.Sink() {
            private int size;

            @Override
            public void header(String text, List<String> columns, long rows) throws HistoryException {
                if (!columns.equals(COLUMNS)) {
                    throw new HistoryException(
                            file.name(), "the columns " + columns, "the columns " + COLUMNS, "write it again");
                }
            }

            @Override
            public void row(long[] row) throws HistoryException {
                try {
                    int key = state.keys.id(row[0]);
                    if (key < size) {
                        throw twice(file.name(), "a second value of key " + row[0]);
                    }
                    state.put(key, state.values.code(row[1]));
                } catch (OutOfMemoryError e) {
                    throw tooLarge();
                }
                if (++size % POLL == 0 && state.bytes() > context.memoryBytes()) {
                    throw tooLarge();
                }
            }

            private BudgetException tooLarge() {
                return new BudgetException(file.name() + ": the state does not fit the memory");
            }
        });
        return state;
    }

    /** Returns the state that a history leaves. The history has only writes, and writes each key once. */
    public static InitialState of(HistoryTable table) throws HistoryException {
        InitialState state = new InitialState(
                table.keys(),
                table.values(),
                new BitSet(),
                new long[table.keys().size()]);
        for (int o = 0; o < table.operations(); o++) {
            int key = table.key(o);
            if (!table.isWrite(o) || state.known.get(key)) {
                throw twice(
                        table.source().files().get(0),
                        (table.isWrite(o) ? "a second value" : "a read") + " of key "
                                + table.keys().label(key));
            }
            state.put(key, table.value(o));
        }
        return state;
    }

    private static HistoryException twice(String file, String found) {
        return new HistoryException(file, found, EXPECTED, "give the state, not a history of transactions");
    }

    /** Returns the number of keys of a file in Parquet, by its footer. */
    public static long size(Location file) throws IOException, HistoryException {
        long rows = NumberTable.rows(file, NAME);
        return rows >= 0 ? rows : ParquetHistoryReader.size(List.of(file)).operations();
    }

    /** A state that can be changed without changing this one. The dictionaries are shared. */
    public InitialState copy() {
        return new InitialState(keys, values, (BitSet) known.clone(), codes.clone());
    }

    /** Returns this state with other values of the keys that some writes of a history write. */
    public InitialState with(HistoryTable history, BitSet writes) {
        InitialState state = copy();
        writes.stream().forEach(o -> state.put(history, history.key(o), history.value(o)));
        return state;
    }

    /** The keys with a value. */
    public BitSet known() {
        return known;
    }

    public KeyDictionary keys() {
        return keys;
    }

    public ValueDictionary values() {
        return values;
    }

    /** The code of the value of a key that has one. */
    public long code(int key) {
        return codes[key];
    }

    /** Replaces the value of a key of a history, or adds it. */
    public void put(HistoryTable from, int key, long value) {
        put(keys.id(from.keys(), key), TableCopy.code(from.values(), value, values));
    }

    private void put(int key, long code) {
        if (key >= codes.length) {
            codes = Arrays.copyOf(codes, Math.max(keys.size(), codes.length * 2));
        }
        codes[key] = code;
        known.set(key);
    }

    private long bytes() {
        return keys.bytes() + values.bytes() + (long) Long.BYTES * codes.length;
    }

    /**
     * Returns a history that begins with this state. A key without a value in the state keeps the initial value that
     * the history states.
     *
     * @throws HistoryException if the history has lists, inserts, deletes or predicates, or is one of Cobra, where a
     *     read of the initial transaction does not say which value it returned
     */
    public HistoryTable applied(HistoryTable history) throws HistoryException {
        ValueDictionary kinds = history.values();
        if (!history.isPlain()) {
            String found = kinds.hasLists()
                    ? "lists"
                    : kinds.hasPredicates()
                            ? "predicates"
                            : history.hasAdditions()
                                    ? "additions without \"result\""
                                    : kinds.hasGiven() ? "versions that the database gave" : "versions of Cobra";
            throw new HistoryException(
                    history.source().files().isEmpty()
                            ? "history"
                            : history.source().files().get(0),
                    (history.hasRows() ? "inserts or deletes" : found) + " with an initial state",
                    "reads and writes of values",
                    "give the whole history without an initial state"
                            + (kinds.hasGiven() ? ", or --versions ignore" : ""));
        }
        Int2LongMap state = new Int2LongOpenHashMap();
        Int2LongMap stated = history.initialState();
        if (stated != null) {
            state.putAll(stated);
        }
        KeyDictionary wanted = history.keys();
        for (int k = 0; k < wanted.size(); k++) {
            int key = keys.id(wanted, k);
            if (known.get(key)) {
                long code = TableCopy.code(values, codes[key], history.values());
                if (code == history.initialValue()) {
                    state.remove(k);
                } else {
                    state.put(k, code);
                }
            }
        }
        return state.isEmpty() ? history : history.withInitialState(state);
    }

    /**
     * Writes a file: a table of numbers by ascending key if all keys and values are integers, otherwise a history in
     * Parquet.
     *
     * @throws org.polygraph.storage.format.parquet.UnwritableStringException if Parquet cannot hold a string
     */
    public void write(Location file) throws IOException {
        long[] sorted = new long[known.cardinality()];
        int size = 0;
        for (int key = known.nextSetBit(0); key >= 0; key = known.nextSetBit(key + 1)) {
            if (keys.isString(key) || !values.isInteger(codes[key])) {
                HistoryWriter.write(history(), file.name(), HistoryFormat.PARQUET);
                return;
            }
            sorted[size++] = keys.integer(key);
        }
        Arrays.sort(sorted);
        int[] next = {0};
        file.write(out -> NumberTable.write(out, NAME, "", COLUMNS, row -> {
            if (next[0] == sorted.length) {
                return false;
            }
            row[0] = sorted[next[0]++];
            row[1] = values.integer(codes[keys.id(row[0])]);
            return true;
        }));
    }

    /** Returns a history that writes each key, {@value #KEYS_PER_ROW} keys in each transaction. */
    private HistoryTable history() {
        HistoryTableBuilder builder = new HistoryTableBuilder(SourceFiles.Unit.ROW);
        builder.file("state");
        TableCopy copy = new TableCopy(builder);
        int written = 0;
        for (int key = known.nextSetBit(0); key >= 0; key = known.nextSetBit(key + 1)) {
            if (written % KEYS_PER_ROW == 0) {
                if (written > 0) {
                    builder.end();
                }
                builder.begin(0, written / KEYS_PER_ROW, TransactionStatus.COMMITTED, written / KEYS_PER_ROW);
            }
            builder.write(copy.id(keys, key), copy.code(values, codes[key]));
            written++;
        }
        if (written > 0) {
            builder.end();
        }
        try {
            return builder.build();
        } catch (HistoryException e) {
            throw new IllegalStateException(e);
        }
    }
}
