package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.ints.Int2LongMap;
import it.unimi.dsi.fastutil.ints.Int2LongOpenHashMap;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.longs.Long2ObjectMap;
import it.unimi.dsi.fastutil.longs.Long2ObjectOpenHashMap;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.dictionary.KeyDictionary;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.lists.ListCodes;
import org.polygraph.storage.lists.ListTree;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.model.WholeHistoryException;

/**
 * Collects transactions in any order; {@link #build} sorts them by (session, index). A reader calls {@link #begin},
 * {@link #times}, {@link #read} and {@link #write} for one transaction after another, in the order of the file, and
 * {@link #end} after each. Not thread-safe; used once.
 *
 * <p>Memory while building: 12 bytes an operation in blocks, which are not copied to grow, and a transaction's bytes
 * with up to 50 % of slack. {@link #build} copies one array after another and releases each, which takes 8 bytes an
 * operation more. The builder stops before it exceeds its {@link #limit}.
 */
public final class HistoryTableBuilder {
    private static final int MOST_ERRORS = 10_000;
    private static final int MAX_ARRAY = Integer.MAX_VALUE - 8;

    private final KeyDictionary keys = new KeyDictionary();
    private final ValueDictionary values = new ValueDictionary();
    private final SessionDictionary sessions = new SessionDictionary();

    private final List<String> files = new ArrayList<>();
    private final SourceFiles.Unit unit;
    private long limit = Long.MAX_VALUE;
    private long reserved;
    private final Map<String, String> metadata = new LinkedHashMap<>();
    private @Nullable Long initialValue;
    private @Nullable Int2LongMap initialState;
    private @Nullable ListTree lists;
    private @Nullable Predicates predicates;
    private final Long2ObjectMap<String> errors = new Long2ObjectOpenHashMap<>();
    private boolean isOfPiece;
    private boolean ignoresVersions;
    private boolean hasSavepoints;

    private final TransactionList transactions = new TransactionList();
    private final OperationList operations = new OperationList();

    // The open transaction.
    private long session;
    private long index;
    private long source;
    private TransactionStatus status = TransactionStatus.COMMITTED;
    private boolean hasTimes;
    private long start;
    private long end;

    /** A builder whose source positions are lines. */
    public HistoryTableBuilder() {
        this(SourceFiles.Unit.LINE);
    }

    /** @param unit what source positions count */
    public HistoryTableBuilder(SourceFiles.Unit unit) {
        this.unit = unit;
    }

    /**
     * Sets the bytes of heap that arrays and dictionaries may take together, before the first transaction; calls that
     * would exceed them throw {@link BudgetException}.
     */
    public void limit(long bytes) {
        limit = bytes;
    }

    /** Makes it the builder of a piece, whose first predicate causes a {@link WholeHistoryException}. */
    public void ofPiece() {
        isOfPiece = true;
    }

    /**
     * Allocates arrays of the expected size before the first transaction. If the input has exactly that size and is in
     * order, the table uses these arrays; otherwise they grow and are copied.
     *
     * @param moreOperations each takes 12 bytes, so callers must check that the file is large enough to have them
     */
    public void expect(int moreTransactions, int moreOperations) {
        long bytes = (long) HistoryTable.BYTES_PER_OPERATION * moreOperations
                + (long) HistoryTable.BYTES_PER_TIMED_TRANSACTION * moreTransactions;
        if (transactions.size() > 0 || operations.size() > 0 || heldBytes() + bytes > limit) {
            return;
        }
        transactions.reserve(Math.min(moreTransactions, MAX_ARRAY));
        operations.expect(moreOperations);
    }

    /**
     * Counts memory that a reader holds beside the builder against the limit.
     *
     * @param bytes that it takes; negative for bytes that it releases
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

    /** Sets the file that the following transactions come from. */
    public void file(String name) {
        files.add(name);
    }

    /** Adds the error that the open transaction ended with. Those of the first {@value #MOST_ERRORS} transactions are kept. */
    public void error(String text) {
        if (errors.size() < MOST_ERRORS) {
            errors.put(source, text);
        }
    }

    /** Adds a header field, its value as JSON. */
    public void metadata(String name, String json) {
        metadata.put(name, json);
    }

    /** Sets the code of the value that every key has before the first transaction; it is null unless set. */
    public void initialValue(long code) {
        initialValue = code;
    }

    /** Sets the code of the value that one key has before the first transaction. */
    public void initialValue(int key, long code) {
        Int2LongMap made = initialState;
        if (made == null) {
            made = new Int2LongOpenHashMap();
            initialState = made;
        }
        made.put(key, code);
    }

    /** The code of the initial value as set so far. */
    public long initialValue() {
        return initialValue == null ? ValueDictionary.NULL : initialValue;
    }

    /**
     * Begins a transaction. Its operations may be added before or after this call; {@link #end} closes it.
     *
     * @param index orders the session's transactions; gaps are allowed, {@link #build} rejects duplicates
     * @param position line, byte or row within the current file, below 2^44
     */
    public void begin(long session, long index, TransactionStatus status, long position) {
        this.session = session;
        this.index = index;
        this.status = status;
        source = SourceFiles.pack(file(), position);
    }

    /** The number of the current file. */
    private int file() {
        return Math.max(0, files.size() - 1);
    }

    /** Sets the times of the open transaction in ns; {@link HistoryTable#NO_TIME} where unknown. */
    public void times(long start, long end) {
        hasTimes = true;
        this.start = start;
        this.end = end;
    }

    /**
     * Replaces all times of the transactions so far by one value, for formats whose times turn out to mean something
     * else; {@link HistoryTable#NO_TIME} removes them.
     */
    public void replaceTimes(long value) {
        transactions.replaceTimes(value);
    }

    /** Replaces the status of the open transaction, for formats in which it comes last. */
    public void status(TransactionStatus status) {
        this.status = status;
    }

    public void read(int key, long valueCode) {
        operation(Operations.pack(key, false), valueCode);
    }

    public void write(int key, long valueCode) {
        operation(Operations.pack(key, true), valueCode);
    }

    /**
     * The code of a value with the version that the database gave; that of the value if versions are ignored.
     *
     * @param version by which the writes of a key ascend
     */
    public long given(long valueCode, long version) {
        if (ignoresVersions) {
            return valueCode;
        }
        if (isOfPiece) {
            throw new WholeHistoryException("versions that the database gave");
        }
        lists();
        return values.given(valueCode, version);
    }

    /** Whether the versions that the database gave are left out. */
    public boolean ignoresVersions() {
        return ignoresVersions;
    }

    /** Leaves out the versions that the database gave, before the first transaction. */
    public void ignoreVersions() {
        ignoresVersions = true;
    }

    /** Adds a write that inserts a row. */
    public void insert(int key, long valueCode) {
        write(key, valueCode);
        kind(operations.size() - 1, Operations.INSERT);
    }

    /** Adds a write that deletes a row. */
    public void delete(int key) {
        write(key, ValueDictionary.NULL);
        kind(operations.size() - 1, Operations.DELETE);
    }

    /** Adds an addition to the key, of which it is not known what it left. */
    public void add(int key, long amount) {
        if (isOfPiece) {
            throw new WholeHistoryException("additions without \"result\"");
        }
        write(key, amount);
        kind(operations.size() - 1, Operations.ADD);
    }

    /** Adds a read of one more row with a key that the same result has already. */
    public void repeatedRow(int key, long valueCode) {
        if (isOfPiece) {
            throw new WholeHistoryException("results with two rows of one key");
        }
        read(key, valueCode);
        kind(operations.size() - 1, Operations.REPEATED_ROW);
    }

    /**
     * Gives an operation its kind.
     *
     * @param operation its number in the order of addition
     * @param kind of {@link Operations#kinds}
     */
    public void kind(int operation, byte kind) {
        hasSavepoints |= kind >= Operations.SAVEPOINT;
        operations.kind(operation, kind);
    }

    /** States that some transactions of the history may set savepoints. */
    public void withSavepoints() {
        hasSavepoints = true;
    }

    /** Sets or releases a savepoint, or rolls back to one. @param name the code of its name */
    public void savepoint(byte kind, long name) {
        operation(0, name);
        kind(operations.size() - 1, kind);
    }

    /** Adds an append of an element to the key's list. */
    public void append(int key, long element) {
        lists();
        write(key, element);
        kind(operations.size() - 1, Operations.APPEND);
    }

    /** Adds a read of a whole list. */
    public void readList(int key, LongArrayList elements) {
        operation(Operations.pack(key, false), list(key, elements));
    }

    /**
     * Adds a predicate.
     *
     * @param matched the keys of the rows that matched
     * @param read whether reads of the values of these rows, in this order, come just before it
     */
    public void predicate(Condition condition, IntArrayList matched, boolean read) {
        // The code stands for reads of many keys, so the key has no meaning.
        operation(0, ofWhole("predicates").add(condition, matched, read));
    }

    /**
     * Returns the code of a predicate that returned rows, for an operation of key 0 just after the reads of these rows.
     *
     * @param matched the keys of the rows that matched
     */
    public long predicate(Condition condition, IntArrayList matched) {
        return ofWhole("predicates").add(condition, matched, true);
    }

    /**
     * Adds a write by a condition whose rows are not known, or that found none.
     *
     * @param value that it leaves in each of them
     * @param row the columns that it leaves; negative for none
     * @param count of the rows; negative if it is not known
     */
    public void writeOfUnknownRows(Condition condition, long value, int row, long count) {
        operation(0, ofWhole("predicates").add(condition, new Predicates.Unknown(false, value, row, count)));
    }

    /**
     * Adds a delete by a condition whose rows are not known, or that found none.
     *
     * @param count of the rows; negative if it is not known
     */
    public void deleteOfUnknownRows(Condition condition, long count) {
        operation(
                0, ofWhole("predicates").add(condition, new Predicates.Unknown(true, ValueDictionary.NULL, -1, count)));
    }

    /** Returns the number of a column of rows, for conditions and {@link #columnOfRow}. */
    public int column(String name) {
        return predicates().rows().column(name);
    }

    /** Adds a column to the row that {@link #endOfRow} ends. */
    public void columnOfRow(int column, long valueCode) {
        ofWhole("columns of rows").rows().add(column, valueCode);
    }

    /** @return the number of the row */
    public int endOfRow() {
        return ofWhole("columns of rows").rows().end();
    }

    /** Sets the columns that the next operation, a write, leaves. */
    public void row(int row) {
        operation(0, Predicates.row(row));
    }

    /** @param what pieces of the input leave to the whole history */
    private Predicates ofWhole(String what) {
        if (isOfPiece) {
            throw new WholeHistoryException(what);
        }
        return predicates();
    }

    private Predicates predicates() {
        Predicates made = predicates;
        if (made == null) {
            made = new Predicates();
            predicates = made;
        }
        return made;
    }

    /** Returns the code of a key's list, for a read of it. */
    public long list(int key, LongArrayList elements) {
        ListTree all = lists();
        long bytes = all.bytes();
        long code = ListCodes.read(all.of(key, elements));
        if (all.bytes() > bytes) {
            checkLimit(0);
        }
        return code;
    }

    /** States that some operations append to lists, by their kinds. */
    public void withLists() {
        lists();
    }

    ListTree lists() {
        ListTree made = lists;
        if (made == null) {
            made = new ListTree();
            lists = made;
        }
        return made;
    }

    /**
     * Adds {@code n} operations, packed as by {@link Operations#pack}, with the codes of their values, starting at a
     * place in each array. They may belong to several transactions, the open one and later ones, see
     * {@link #end(int)}.
     */
    public void operations(int[] keysAndKinds, int from, long[] valueCodes, int at, int n) {
        for (int done = 0; done < n; ) {
            if (operations.isFull()) {
                growOperations();
            }
            done += operations.add(keysAndKinds, from + done, valueCodes, at + done, n - done);
        }
    }

    void operation(int keyAndKind, long valueCode) {
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

    /**
     * Closes the open transaction. Its operations are those that no earlier one has, up to the number {@code
     * operationsSoFar}.
     */
    public void end(int operationsSoFar) {
        int n = transactions.size();
        if (n == MAX_ARRAY) {
            throw new BudgetException("more than " + n + " transactions do not fit one table; split the history");
        }
        if (n == transactions.capacity()) {
            checkLimit(transactions.bytes(n + ((long) n >> 1)));
        } else if ((n & 0xFFFF) == 0xFFFF) {
            // Dictionaries grow without checking the limit.
            checkLimit(0);
        }
        transactions.add(sessions.id(session), index, source, status, operationsSoFar);
        if (hasTimes) {
            transactions.times(start, end);
            hasTimes = false;
        }
    }

    /** The number of operations so far, including those of the open transaction. */
    public int operations() {
        return operations.size();
    }

    public int transactions() {
        return transactions.size();
    }

    private long heldBytes() {
        return reserved
                + transactions.bytes()
                + operations.bytes()
                + keys.bytes()
                + values.bytes()
                + (lists == null ? 0 : lists.bytes())
                + (predicates == null ? 0 : predicates.bytes())
                + sessions.bytes();
    }

    /** Throws {@link BudgetException} if this many more bytes would exceed the limit. */
    void checkLimit(long more) {
        if (limit != Long.MAX_VALUE && heldBytes() + more > limit) {
            throw new BudgetException("reading stopped at " + transactions.size() + " transactions and "
                    + operations.size() + " operations: the next step needs " + size(heldBytes() + more) + " of "
                    + size(limit) + " of memory; " + BudgetException.MORE_MEMORY);
        }
    }

    private static String size(long bytes) {
        return bytes < 1 << 10 ? bytes + " bytes" : bytes < 1 << 20 ? (bytes >> 10) + " KiB" : (bytes >> 20) + " MiB";
    }

    private Operations judged(Operations recorded, IntFunction<String> places, IntFunction<String> names)
            throws HistoryException {
        return new Savepoints(recorded, keys, values, lists, places).judged(names);
    }

    /**
     * The collected transactions as those of a piece of the input, unsorted and unchecked. They name no files. Called
     * once, because it releases the operations.
     *
     * @param lines how many lines were read; 0 where positions are not lines
     */
    public HistoryRows rows(long lines) {
        Operations recorded = new Operations(
                transactions.operationStarts(),
                operations.keys(null, new int[0]),
                operations.values(null, new int[0]),
                operations.kinds(null, new int[0]));
        long[] labels = sessions.labels();
        int[] sessionOf = transactions.sessions();
        Transactions copy = transactions.copy();
        Operations all = recorded;
        try {
            all = hasSavepoints
                    ? judged(recorded, t -> "", t -> "s" + labels[sessionOf[t]] + "#" + copy.indexes()[t])
                    : all;
        } catch (HistoryException e) {
            throw new WholeHistoryException("a rollback to a savepoint that is not set");
        }
        return new HistoryRows(
                labels,
                sessionOf,
                copy,
                all,
                keys,
                values,
                initialValue,
                initialState,
                lists == null ? null : lists.reads(),
                hasSavepoints ? recorded : null,
                lines);
    }

    /**
     * Sorts and checks.
     *
     * @throws HistoryException if two transactions share (session, index), or an element is appended twice: names both
     *     places
     */
    public HistoryTable build() throws HistoryException {
        Header header = new Header(new SourceFiles(files, unit, errors), initialValue(), initialState, metadata);
        SessionOrder sorted = transactions.order(sessions.labels());
        int[] order = sorted.order();
        if (order != null) {
            transactions.requireUnique(order, sessions.labels(), header.source());
            checkLimit((long) Long.BYTES * operations.size());
        }
        // The arrays are copied one after the other, and each is released before the next is copied. The largest comes
        // first, while the heap is least fragmented.
        int[] starts = transactions.operationStarts();
        long[] valueCodes = operations.values(order, starts);
        int[] keysAndKinds = operations.keys(order, starts);
        HistoryTable read = new HistoryTable(
                header,
                keys,
                values,
                new Sessions(sorted.labels(), sorted.starts()),
                transactions.moved(sorted),
                new Operations(
                        order == null ? starts : Operations.moved(starts, order),
                        keysAndKinds,
                        valueCodes,
                        operations.kinds(order, starts)));
        if (lists != null && predicates != null && predicates.size() > 0) {
            throw new HistoryException(
                    files.get(0),
                    values.hasGiven() ? "versions that the database gave, and predicates" : "lists and predicates",
                    "one of them",
                    values.hasGiven() ? "give --versions ignore" : "check them as two histories");
        }
        HistoryTable table = read;
        boolean hasPredicates = predicates != null && predicates.size() > 0;
        if (read.hasAdditions()) {
            AdditionCheck.check(read, lists != null || hasPredicates || hasSavepoints);
        }
        if (hasSavepoints && (values.hasGiven() || hasPredicates)) {
            throw new HistoryException(
                    files.get(0),
                    (hasPredicates ? "predicates" : "versions that the database gave") + ", and savepoints",
                    "one of them",
                    hasPredicates ? "check them as two histories" : "give --versions ignore");
        }
        if (hasSavepoints) {
            checkLimit((long) HistoryTable.BYTES_PER_OPERATION * read.operations());
            Operations recorded = read.allOperations();
            table = read.withUndone(recorded, judged(recorded, read::whereIs, read::name));
        }
        HistoryTable resolved = predicates == null ? table : PredicateReads.of(table, predicates);
        if (lists == null) {
            return resolved;
        }
        HistoryTable recorded = resolved.with(lists);
        ListCheck.check(recorded);
        return recorded;
    }
}
