package org.polygraph.storage.format;

import it.unimi.dsi.fastutil.ints.Int2LongMap;
import java.io.IOException;
import java.io.InputStream;
import java.util.BitSet;
import java.util.function.BooleanSupplier;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.dictionary.KeyDictionary;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.format.io.CorruptStreamException;
import org.polygraph.storage.format.io.ReadContext;
import org.polygraph.storage.format.jsonl.KeyValueReader;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;
import org.polygraph.storage.table.InitialCodes;
import org.polygraph.storage.table.SourceFiles;
import org.polygraph.storage.table.TableCopy;

/**
 * The values that keys had before the history began, if it was cut out of a longer one. A file of them is JSON Lines
 * with a key and its value on each line, or a history in Parquet that writes each key once. Memory: about 40 bytes a
 * key, and the strings of string keys.
 */
public final class InitialState {
    private static final String EXPECTED = "each key once, with its value";

    private final HistoryTable table;
    private final KeyDictionary keys;
    /** The number of the dictionary's keys that have a value. */
    private final int size;
    /** By key: the code of its value. */
    private final long[] values;

    private InitialState(HistoryTable table) throws HistoryException {
        this.table = table;
        keys = table.keys();
        size = keys.size();
        values = new long[size];
        BitSet known = new BitSet();
        for (int o = 0; o < table.operations(); o++) {
            int key = table.key(o);
            if (!table.isWrite(o) || known.get(key)) {
                throw new HistoryException(
                        table.source().files().get(0),
                        (table.isWrite(o) ? "a second value" : "a read") + " of key " + keys.label(key),
                        EXPECTED,
                        "give the state, not a history of transactions");
            }
            known.set(key);
            values[key] = table.value(o);
        }
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
                return new InitialState(HistoryReader.read(file.name(), HistoryFormat.PARQUET, stop, memoryBytes));
            }
            HistoryTableBuilder builder = context.builder(SourceFiles.Unit.LINE);
            builder.file(file.name());
            builder.begin(0, 0, TransactionStatus.COMMITTED, 1);
            KeyValueReader.read(file.name(), content, builder);
            builder.end();
            return new InitialState(builder.build());
        } catch (CorruptStreamException e) {
            throw new HistoryException(file.name(), e.found(), e.expected(), e.remedy());
        }
    }

    /** Returns the state that a history leaves. The history has only writes, and writes each key once. */
    public static InitialState of(HistoryTable table) throws HistoryException {
        return new InitialState(table);
    }

    /** Returns the state as a history that writes each key once. */
    public HistoryTable table() {
        return table;
    }

    /**
     * Returns a history that begins with this state. A key without a value in the state keeps the initial value that
     * the history states.
     *
     * @throws HistoryException if the history has lists, inserts, deletes or predicates
     */
    public HistoryTable applied(HistoryTable history) throws HistoryException {
        ValueDictionary kinds = history.values();
        if (history.hasRows() || kinds.hasLists() || kinds.hasPredicates()) {
            throw new HistoryException(
                    history.source().files().isEmpty()
                            ? "history"
                            : history.source().files().get(0),
                    (history.hasRows() ? "inserts or deletes" : kinds.hasLists() ? "lists" : "predicates")
                            + " with an initial state",
                    "reads and writes of values",
                    "give the whole history without an initial state");
        }
        Int2LongMap state = new InitialCodes(history.keys().size(), history.initialValue());
        Int2LongMap stated = history.initialState();
        if (stated != null) {
            state.putAll(stated);
        }
        KeyDictionary wanted = history.keys();
        for (int k = 0; k < wanted.size(); k++) {
            // A key that is new here gets an id after the keys that have values.
            int key = wanted.isString(k) ? keys.id(wanted.string(k)) : keys.id(wanted.integer(k));
            if (key < size) {
                state.put(k, TableCopy.code(table.values(), values[key], history.values()));
            }
        }
        return state.isEmpty() ? history : history.withInitialState(state);
    }
}
