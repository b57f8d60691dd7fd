package org.polygraph.storage.table;

import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.dictionary.KeyDictionary;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.model.TransactionStatus;

/**
 * A whole history: dense ids, struct of arrays, immutable.
 *
 * <p>Transactions are numbered by (session, index), so a session is a range of transactions and transaction order within
 * it is session order; operations are numbered in transaction order. Arrays are handed out as they are for the kernels
 * to read: nobody writes to them.
 *
 * <p>Memory: {@value #BYTES_PER_OPERATION} bytes an operation; {@value #BYTES_PER_TRANSACTION} bytes a transaction,
 * {@value #BYTES_PER_TIMED_TRANSACTION} with timestamps; plus the key dictionary (12 to 20 bytes an integer key).
 */
public final class HistoryTable {
    /** key and kind in an int, the value's code in a long. */
    public static final int BYTES_PER_OPERATION = 12;
    /** status 1, index 8, source 8, first operation 4. */
    public static final int BYTES_PER_TRANSACTION = 21;
    /** the same with start and end. */
    public static final int BYTES_PER_TIMED_TRANSACTION = BYTES_PER_TRANSACTION + 16;
    /** {@link #starts} or {@link #ends} of a transaction that has no such time. */
    public static final long NO_TIME = Long.MIN_VALUE;

    private static final int SOURCE_FILE_SHIFT = 44;

    final long[] sessionLabels;
    final int[] sessionStarts;
    final byte[] statuses;
    final long[] indexes;
    final long[] sources;
    final long @Nullable [] starts;
    final long @Nullable [] ends;
    final int[] operationStarts;
    final int[] operationKeys;
    final long[] operationValues;
    final KeyDictionary keys;
    final ValueDictionary values;
    final long initialValue;
    final Source source;
    final Map<String, String> metadata;

    /** What a position in a source file counts. */
    public enum Unit {
        /** Lines from 1. */
        LINE,
        /** Bytes from 0, of the decompressed content. */
        BYTE,
        /** Rows of a Parquet file from 0. */
        ROW
    }

    /** Where the transactions came from: files, and what a position in them counts. */
    public record Source(List<String> files, Unit unit) {
        public Source {
            files = List.copyOf(files);
        }

        /** Whether positions are lines (from 1). */
        public boolean lines() {
            return unit == Unit.LINE;
        }

        /** {@code file:7}, {@code file:byte 7} or {@code file:row 7}. */
        public static String describe(String file, Unit unit, long position) {
            return switch (unit) {
                case LINE -> file + ":" + position;
                case BYTE -> file + ":byte " + position;
                case ROW -> file + ":row " + position;
            };
        }
    }

    /** Negative until somebody asks. */
    private int writes = -1;

    HistoryTable(
            long[] sessionLabels,
            int[] sessionStarts,
            byte[] statuses,
            long[] indexes,
            long[] sources,
            long @Nullable [] starts,
            long @Nullable [] ends,
            int[] operationStarts,
            int[] operationKeys,
            long[] operationValues,
            KeyDictionary keys,
            ValueDictionary values,
            long initialValue,
            Source source,
            Map<String, String> metadata) {
        this.sessionLabels = sessionLabels;
        this.sessionStarts = sessionStarts;
        this.statuses = statuses;
        this.indexes = indexes;
        this.sources = sources;
        this.starts = starts;
        this.ends = ends;
        this.operationStarts = operationStarts;
        this.operationKeys = operationKeys;
        this.operationValues = operationValues;
        this.keys = keys;
        this.values = values;
        this.initialValue = initialValue;
        this.source = source;
        this.metadata = Collections.unmodifiableMap(new LinkedHashMap<>(metadata));
    }

    public int sessions() {
        return sessionLabels.length;
    }

    public int transactions() {
        return statuses.length;
    }

    /** The number of writes; counted once. */
    public int writes() {
        int known = writes;
        if (known < 0) {
            known = 0;
            for (int keyAndKind : operationKeys) {
                known += keyAndKind & 1;
            }
            writes = known;
        }
        return known;
    }

    public int operations() {
        return operationKeys.length;
    }

    /** The session's number in the file. */
    public long sessionLabel(int session) {
        return sessionLabels[session];
    }

    /** Length sessions() + 1: session s has the transactions [sessionStarts[s], sessionStarts[s + 1]). */
    public int[] sessionStarts() {
        return sessionStarts;
    }

    /** The session's first transaction; its others follow up to {@link #transactionsEnd}. */
    public int firstTransaction(int session) {
        return sessionStarts[session];
    }

    /** The transaction after the session's last one. */
    public int transactionsEnd(int session) {
        return sessionStarts[session + 1];
    }

    /** The session of a transaction, by binary search. */
    public int sessionOf(int transaction) {
        int low = 0;
        int high = sessionLabels.length - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (sessionStarts[middle] <= transaction) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }

    public TransactionStatus status(int transaction) {
        return TransactionStatus.ofCode(statuses[transaction]);
    }

    /** {@link TransactionStatus#code()} of each transaction. */
    public byte[] statuses() {
        return statuses;
    }

    /** The transaction's index within its session, as given in the file. */
    public long index(int transaction) {
        return indexes[transaction];
    }

    /** Start times in ns, or null if the history has no times; {@link #NO_TIME} where one is missing. */
    public long @Nullable [] starts() {
        return starts;
    }

    /** End times in ns, or null if the history has no times; {@link #NO_TIME} where one is missing. */
    public long @Nullable [] ends() {
        return ends;
    }

    /** The transaction's first operation; its others follow up to {@link #operationsEnd}. */
    public int firstOperation(int transaction) {
        return operationStarts[transaction];
    }

    /** The operation after the transaction's last one. */
    public int operationsEnd(int transaction) {
        return operationStarts[transaction + 1];
    }

    /** The key of an operation, see {@link KeyDictionary}. */
    public int key(int operation) {
        return operationKeys[operation] >>> 1;
    }

    /** Whether an operation is a write rather than a read. */
    public boolean isWrite(int operation) {
        return (operationKeys[operation] & 1) != 0;
    }

    /** Whether an operation reads the key. */
    public boolean isReadOf(int operation, int key) {
        return operationKeys[operation] == key << 1;
    }

    /** Whether an operation writes the key. */
    public boolean isWriteOf(int operation, int key) {
        return operationKeys[operation] == (key << 1 | 1);
    }

    /** The code of an operation's value, see {@link ValueDictionary}. */
    public long value(int operation) {
        return operationValues[operation];
    }

    /** Length transactions() + 1: transaction t has the operations [operationStarts[t], operationStarts[t + 1]). */
    public int[] operationStarts() {
        return operationStarts;
    }

    /** Each operation's key and kind: {@code key << 1 | (write ? 1 : 0)}. */
    public int[] operationKeys() {
        return operationKeys;
    }

    /** Each operation's value code, see {@link ValueDictionary}. */
    public long[] operationValues() {
        return operationValues;
    }

    public KeyDictionary keys() {
        return keys;
    }

    public ValueDictionary values() {
        return values;
    }

    /** The code of the value that every key has before the first transaction. */
    public long initialValue() {
        return initialValue;
    }

    /** Header fields other than the initial value, as JSON texts. */
    public Map<String, String> metadata() {
        return metadata;
    }

    /** Where the transactions stood: the files and the unit of positions in them. */
    public Source source() {
        return source;
    }

    /** {@code file:line}, {@code file:byte N} or {@code file:row N} of a transaction. */
    public String whereIs(int transaction) {
        return describe(source, sources[transaction]);
    }

    /** The line, byte or row of a transaction within its file. */
    public long sourcePosition(int transaction) {
        return sources[transaction] & ((1L << SOURCE_FILE_SHIFT) - 1);
    }

    static long packSource(int file, long position) {
        return (long) file << SOURCE_FILE_SHIFT | position;
    }

    static String describe(Source source, long packed) {
        int file = (int) (packed >>> SOURCE_FILE_SHIFT);
        long position = packed & ((1L << SOURCE_FILE_SHIFT) - 1);
        String name = file < source.files().size() ? source.files().get(file) : "?";
        return Source.describe(name, source.unit(), position);
    }

    /**
     * The history without reads of "anything but" a value: what compare-and-sets that were refused say at every level but
     * linearizability. The same table if there are none. Linear.
     */
    public HistoryTable withoutRefusals() {
        if (!values.hasOthers()) {
            return this;
        }
        int[] kept = new int[operationKeys.length];
        long[] keptValues = new long[operationKeys.length];
        int[] keptStarts = new int[operationStarts.length];
        int n = 0;
        for (int t = 0; t < transactions(); t++) {
            for (int o = operationStarts[t]; o < operationStarts[t + 1]; o++) {
                if (!values.isOther(operationValues[o])) {
                    kept[n] = operationKeys[o];
                    keptValues[n++] = operationValues[o];
                }
            }
            keptStarts[t + 1] = n;
        }
        if (n == kept.length) {
            return this;
        }
        return withOperations(keptStarts, Arrays.copyOf(kept, n), Arrays.copyOf(keptValues, n));
    }

    /** The same transactions with other operations. */
    HistoryTable withOperations(int[] newStarts, int[] newKeys, long[] newValues) {
        return new HistoryTable(
                sessionLabels,
                sessionStarts,
                statuses,
                indexes,
                sources,
                starts,
                ends,
                newStarts,
                newKeys,
                newValues,
                keys,
                values,
                initialValue,
                source,
                metadata);
    }

    /** Bytes of heap held by the arrays, without dictionaries and object headers. */
    public long arrayBytes() {
        long timed = starts == null ? 0 : 16L * transactions();
        return (long) BYTES_PER_OPERATION * operations()
                + (long) BYTES_PER_TRANSACTION * transactions()
                + timed
                + 12L * sessions()
                + 8;
    }
}
