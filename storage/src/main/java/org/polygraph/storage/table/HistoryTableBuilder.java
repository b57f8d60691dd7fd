package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.dictionary.KeyDictionary;
import org.polygraph.storage.dictionary.StringDictionary;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.lists.ListCodes;
import org.polygraph.storage.lists.ListReads;
import org.polygraph.storage.lists.ListTree;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;

/**
 * Collects transactions in any order and sorts them by (session, index) at the end. One transaction at a time: {@link
 * #begin}, {@link #times}, {@link #read} and {@link #write} in the order the file has them, then {@link #end}. Not
 * thread-safe; used once.
 *
 * <p>Memory while building: 12 bytes an operation in chunks, which are not copied to grow, and a transaction's bytes with
 * up to 50 % of slack. {@link #build} moves array by array and lets go of each, which takes 8 bytes an operation more.
 * With a {@link #limit} the builder stops before it exceeds it.
 */
public final class HistoryTableBuilder {
    private static final int MAX_ARRAY = Integer.MAX_VALUE - 8;

    private final StringDictionary keyStrings;
    private final StringDictionary valueStrings;
    private final KeyDictionary keys;
    private final ValueDictionary values;
    private final SessionDictionary sessions = new SessionDictionary();

    private final List<String> files = new ArrayList<>();
    private final HistoryTable.Unit unit;
    private long limit = Long.MAX_VALUE;
    private long reserved;
    private final Map<String, String> metadata = new LinkedHashMap<>();
    private long initialValue = ValueDictionary.NULL;
    private boolean isInitialValueSet;
    private @Nullable ListTree lists;

    private int transactions;
    private int[] sessionOf = new int[1024];
    private long[] indexes = new long[1024];
    private long[] sources = new long[1024];
    private byte[] statuses = new byte[1024];
    private long @Nullable [] starts;
    private long @Nullable [] ends;
    private int[] operationStarts = new int[1025];

    private final OperationChunks operations = new OperationChunks();

    /** @param lines whether source positions are lines (from 1) rather than bytes (from 0) */
    public HistoryTableBuilder(boolean lines) {
        this(lines ? HistoryTable.Unit.LINE : HistoryTable.Unit.BYTE);
    }

    /** @param unit what source positions count */
    public HistoryTableBuilder(HistoryTable.Unit unit) {
        this(unit, new StringDictionary(), new StringDictionary());
    }

    /** @param keyStrings an empty one, as is {@code valueStrings} */
    public HistoryTableBuilder(HistoryTable.Unit unit, StringDictionary keyStrings, StringDictionary valueStrings) {
        this.unit = unit;
        this.keyStrings = keyStrings;
        this.valueStrings = valueStrings;
        this.keys = new KeyDictionary(keyStrings);
        this.values = new ValueDictionary(valueStrings);
    }

    /**
     * Bytes of heap that arrays and dictionaries may take together; beyond, calls throw {@link BudgetException}. Strings of keys, and
     * those of values, go to files when they fill a sixteenth of it. To be called before the first transaction.
     */
    public void limit(long bytes) {
        limit = bytes;
        keyStrings.memory(bytes);
        valueStrings.memory(bytes);
    }

    /** Says that all strings stay in the heap: what is built leaves it as rows, whose strings are there. Before the first transaction. */
    public void stringsInHeap() {
        keyStrings.memory(Long.MAX_VALUE);
        valueStrings.memory(Long.MAX_VALUE);
    }

    /**
     * Takes arrays of that size at once, before the first transaction: if no more and no less comes, and in order, they are the
     * table's. Others are as right, but grow and are copied.
     *
     * @param moreOperations what is taken is 12 bytes for each, so not what a file claims without having the bytes
     */
    public void expect(int moreTransactions, int moreOperations) {
        long bytes = (long) HistoryTable.BYTES_PER_OPERATION * moreOperations
                + (long) HistoryTable.BYTES_PER_TIMED_TRANSACTION * moreTransactions;
        if (transactions > 0 || operations.size() > 0 || heldBytes() + bytes > limit) {
            return;
        }
        if (moreTransactions > statuses.length && moreTransactions < MAX_ARRAY) {
            resizeTransactions(moreTransactions);
        }
        operations.expect(moreOperations);
    }

    /**
     * Counts memory that a reader holds beside the builder against the limit.
     *
     * @param bytes that it takes; less than none: that it lets go of
     */
    public void reserve(long bytes) {
        reserved += bytes;
        if (reserved >> 20 != (reserved - bytes) >> 20) {
            checkLimit(0);
        }
    }

    public KeyDictionary keys() {
        return keys;
    }

    public ValueDictionary values() {
        return values;
    }

    /** Names the file that the following transactions come from. */
    public void file(String name) {
        files.add(name);
    }

    /** A header field, its value as JSON text. */
    public void metadata(String name, String json) {
        metadata.put(name, json);
    }

    /** The code of the value that every key has at first; null unless set. */
    public void initialValue(long code) {
        initialValue = code;
        isInitialValueSet = true;
    }

    /** The code of the initial value as set so far. */
    public long initialValue() {
        return initialValue;
    }

    /**
     * Sets what is known of the open transaction. Its operations may come before or after; {@link #end} closes it.
     *
     * @param index orders the session's transactions; gaps are allowed, duplicates are found in {@link #build}
     * @param position line, byte or row within the current file, at most 2^44
     */
    public void begin(long session, long index, TransactionStatus status, long position) {
        int t = transactions;
        if (t == statuses.length) {
            growTransactions();
        }
        sessionOf[t] = sessions.id(session);
        indexes[t] = index;
        statuses[t] = status.code();
        sources[t] = HistoryTable.packSource(Math.max(0, files.size() - 1), position);
    }

    private void growTransactions() {
        resizeTransactions(grown(statuses.length, "transactions"));
    }

    private void resizeTransactions(int capacity) {
        checkLimit((long) HistoryTable.BYTES_PER_TIMED_TRANSACTION * capacity);
        sessionOf = Arrays.copyOf(sessionOf, capacity);
        indexes = Arrays.copyOf(indexes, capacity);
        sources = Arrays.copyOf(sources, capacity);
        statuses = Arrays.copyOf(statuses, capacity);
        operationStarts = Arrays.copyOf(operationStarts, capacity + 1);
        if (starts != null && ends != null) {
            starts = Arrays.copyOf(starts, capacity);
            ends = Arrays.copyOf(ends, capacity);
            Arrays.fill(starts, transactions, capacity, HistoryTable.NO_TIME);
            Arrays.fill(ends, transactions, capacity, HistoryTable.NO_TIME);
        }
    }

    private int grown(int length, String what) {
        int capacity = (int) Math.min(MAX_ARRAY - 1, length + ((long) length >> 1));
        if (capacity <= length) {
            throw new BudgetException("more than " + length + " " + what + " do not fit one table; split the history");
        }
        return capacity;
    }

    private long heldBytes() {
        return reserved
                + 25L * statuses.length
                + (starts == null ? 0 : 16L * statuses.length)
                + operations.bytes()
                + keys.bytes()
                + values.bytes()
                + (lists == null ? 0 : lists.bytes())
                + sessions.bytes();
    }

    private void checkLimit(long more) {
        if (limit != Long.MAX_VALUE && heldBytes() + more > limit) {
            throw new BudgetException("reading stopped at " + transactions + " transactions and " + operations.size()
                    + " operations: the next step needs " + size(heldBytes() + more) + " of "
                    + size(limit) + " of memory; " + filesMissing() + BudgetException.MORE_MEMORY);
        }
    }

    private String filesMissing() {
        String why = keyStrings.whyNoFiles().isEmpty() ? valueStrings.whyNoFiles() : keyStrings.whyNoFiles();
        return why.isEmpty() ? "" : why + "; ";
    }

    private static String size(long bytes) {
        return bytes < 1 << 10 ? bytes + " bytes" : bytes < 1 << 20 ? (bytes >> 10) + " KiB" : (bytes >> 20) + " MiB";
    }

    /** Times of the open transaction in ns; {@link HistoryTable#NO_TIME} where unknown. */
    public void times(long start, long end) {
        if (starts == null || ends == null) {
            starts = new long[statuses.length];
            ends = new long[statuses.length];
            Arrays.fill(starts, HistoryTable.NO_TIME);
            Arrays.fill(ends, HistoryTable.NO_TIME);
        }
        starts[transactions] = start;
        ends[transactions] = end;
    }

    /** Replaces the status of the open transaction, for formats that tell it last. */
    public void status(TransactionStatus status) {
        statuses[transactions] = status.code();
    }

    public void read(int key, long valueCode) {
        operation(key << 1, valueCode);
    }

    public void write(int key, long valueCode) {
        operation(key << 1 | 1, valueCode);
    }

    /** An append of an element to the key's list. */
    public void append(int key, long element) {
        operation(key << 1, beforeAppend());
        operation(key << 1 | 1, element);
    }

    /** A read of a whole list. */
    public void readList(int key, LongArrayList elements) {
        operation(key << 1, list(key, elements));
    }

    /** The code of a key's list, for a read of it. */
    public long list(int key, LongArrayList elements) {
        ListTree all = lists();
        long bytes = all.bytes();
        long code = ListCodes.read(all.of(key, elements));
        if (all.bytes() > bytes) {
            checkLimit(0);
        }
        return code;
    }

    /** The code for a read that stands before the write of an element that is appended. */
    public long beforeAppend() {
        lists();
        return ListCodes.BEFORE_APPEND;
    }

    private ListTree lists() {
        ListTree made = lists;
        if (made == null) {
            made = new ListTree();
            lists = made;
        }
        return made;
    }

    /**
     * Adds {@code n} operations: reads (key id << 1) and writes (key id << 1 | 1) with the codes of their values, from places of
     * two arrays on. They may be of several transactions, the open one and those to come, see {@link #end(int)}.
     */
    public void operations(int[] keysAndKinds, int from, long[] valueCodes, int at, int n) {
        for (int done = 0; done < n; ) {
            if (operations.isFull()) {
                growOperations();
            }
            done += operations.add(keysAndKinds, from + done, valueCodes, at + done, n - done);
        }
    }

    private void operation(int keyAndKind, long valueCode) {
        if (operations.isFull()) {
            growOperations();
        }
        operations.add(keyAndKind, valueCode);
    }

    private void growOperations() {
        checkLimit(operations.growth());
        operations.grow();
    }

    /** Closes the open transaction. */
    public void end() {
        end(operations.size());
    }

    /** Closes the open transaction, whose operations are those that no earlier one has, up to the number {@code operationsSoFar}. */
    public void end(int operationsSoFar) {
        operationStarts[++transactions] = operationsSoFar;
        if ((transactions & 0xFFFF) == 0) {
            // Dictionaries grow without asking.
            checkLimit(0);
        }
    }

    /**
     * Takes what was collected, unsorted and unchecked, for another builder to {@link #add}; this one is used up. Files are
     * not part of it.
     *
     * @param lines how many lines were read; 0 where positions are no lines
     */
    public HistoryRows rows(long lines) {
        int n = transactions;
        sessionOf = Arrays.copyOf(sessionOf, n);
        indexes = Arrays.copyOf(indexes, n);
        sources = Arrays.copyOf(sources, n);
        long[] newValues = operations.values(null, operationStarts);
        int[] newKeys = operations.keys(null, operationStarts);
        return new HistoryRows(
                sessions.labels(),
                sessionOf,
                indexes,
                sources,
                Arrays.copyOf(statuses, n),
                starts == null ? null : Arrays.copyOf(starts, n),
                ends == null ? null : Arrays.copyOf(ends, n),
                Arrays.copyOf(operationStarts, n + 1),
                newKeys,
                newValues,
                keys.labels(),
                values.labels(),
                isInitialValueSet,
                initialValue,
                metadata,
                lists == null ? null : lists.reads(),
                lines);
    }

    /**
     * Adds keys, values and header of the next piece.
     *
     * @return null if it says another initial value than those before
     */
    public @Nullable Translation translate(HistoryRows rows) {
        ValueDictionary.Codes codes = values.addAll(rows.values());
        int[] ids = keys.addAll(rows.keys());
        ListReads reads = rows.lists();
        Translation translation =
                new Translation(ids, codes, reads == null ? new int[0] : lists().addAll(reads, ids, codes));
        if (rows.hasInitialValue()) {
            long initial = translation.value(rows.initialValue());
            if (isInitialValueSet && initial != initialValue) {
                return null;
            }
            initialValue(initial);
        }
        rows.metadata().forEach(this::metadata);
        checkLimit(0);
        return translation;
    }

    /**
     * Adds the transactions of the next piece, as its reader would have.
     *
     * @param translation what {@link #translate} said of it
     * @param before what to add to its positions
     */
    public void add(HistoryRows rows, Translation translation, long before) {
        int n = rows.transactions();
        int[] ids = new int[rows.sessionLabels().length];
        for (int s = 0; s < ids.length; s++) {
            ids[s] = sessions.id(rows.sessionLabels()[s]);
        }
        long[] from = rows.starts();
        long[] to = rows.ends();
        long file = HistoryTable.packSource(Math.max(0, files.size() - 1), 0);
        for (int i = 0; i < n; i++) {
            if (transactions == statuses.length) {
                growTransactions();
            }
            int t = transactions;
            sessionOf[t] = ids[rows.sessionOf()[i]];
            indexes[t] = rows.indexes()[i];
            statuses[t] = rows.statuses()[i];
            sources[t] = file | (rows.positions()[i] + before);
            if (from != null && to != null) {
                times(from[i], to[i]);
            }
            for (int o = rows.operationStarts()[i]; o < rows.operationStarts()[i + 1]; o++) {
                operation(translation.key(rows.operationKeys()[o]), translation.value(rows.operationValues()[o]));
            }
            end();
        }
    }

    /** The number of operations so far, those of the open transaction included. */
    public int operations() {
        return operations.size();
    }

    public int transactions() {
        return transactions;
    }

    /**
     * Sorts and checks.
     *
     * @throws HistoryException if two transactions share (session, index), or an element is appended twice: names both places
     */
    public HistoryTable build() throws HistoryException {
        int n = transactions;
        HistoryTable.Source source = new HistoryTable.Source(files, unit);
        SessionOrder sorted = new SessionOrder(sessionOf, indexes, n, sessions.labels());
        int[] order = sorted.order();
        if (order != null) {
            requireUnique(sorted.repeated(sessionOf, indexes), order, source);
            checkLimit((long) Long.BYTES * operations.size());
        }
        // Array by array, each freed before the next is moved; the largest first, while the heap is least fragmented.
        sessionOf = new int[0];
        long[] newValues = operations.values(order, operationStarts);
        int[] newKeys = operations.keys(order, operationStarts);
        byte[] newStatuses = sorted.moved(statuses);
        statuses = new byte[0];
        long[] newIndexes = sorted.moved(indexes);
        indexes = new long[0];
        long[] newSources = sorted.moved(sources);
        sources = new long[0];
        long[] newStarts = starts == null ? null : sorted.moved(starts);
        starts = null;
        long[] newEnds = ends == null ? null : sorted.moved(ends);
        ends = null;
        int[] newOperationStarts = order == null && operationStarts.length == n + 1
                ? operationStarts
                : Arrays.copyOf(operationStarts, n + 1);
        if (order != null) {
            for (int i = 0; i < n; i++) {
                int t = order[i];
                newOperationStarts[i + 1] = newOperationStarts[i] + operationStarts[t + 1] - operationStarts[t];
            }
        }
        operationStarts = new int[0];
        HistoryTable table = new HistoryTable(
                sorted.labels(),
                sorted.starts(),
                newStatuses,
                newIndexes,
                newSources,
                newStarts,
                newEnds,
                newOperationStarts,
                newKeys,
                newValues,
                keys,
                values,
                initialValue,
                source,
                metadata);
        return lists == null ? table : ListResolution.of(table, lists);
    }

    /** @param repeated a place in the order whose index is that of the place before; 0 if there is none */
    private void requireUnique(int repeated, int[] order, HistoryTable.Source source) throws HistoryException {
        if (repeated > 0) {
            int first = order[repeated - 1];
            int second = order[repeated];
            throw new HistoryException(
                    HistoryTable.describe(source, sources[second]),
                    "session " + sessions.label(sessionOf[second]) + " index " + indexes[second]
                            + " a second time (first at " + HistoryTable.describe(source, sources[first]) + ")",
                    "each (session, index) once",
                    "number the transactions of a session in the order it ran them");
        }
    }
}
