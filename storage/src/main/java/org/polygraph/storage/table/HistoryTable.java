package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.ints.Int2LongMap;
import java.util.Arrays;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.dictionary.KeyDictionary;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.lists.ListCodes;
import org.polygraph.storage.lists.ListTree;
import org.polygraph.storage.model.TransactionStatus;

/**
 * An immutable history: dense ids and one array for each property.
 *
 * <p>Transactions are numbered by (session, index). A session is therefore a range of transactions, and the order of
 * transactions within it is session order. Operations are numbered in the order of transactions. Methods that return
 * arrays return the table's own: callers must not write to them.
 *
 * <p>Memory: {@value #BYTES_PER_OPERATION} bytes an operation; {@value #BYTES_PER_TRANSACTION} bytes a transaction,
 * {@value #BYTES_PER_TIMED_TRANSACTION} with timestamps; plus the key dictionary (12 to 20 bytes a small integer key).
 */
public final class HistoryTable {
    /** Key and kind in an int, the code of the value in a long. */
    public static final int BYTES_PER_OPERATION = 12;
    /** Status 1, index 8, source 8, first operation 4. */
    public static final int BYTES_PER_TRANSACTION = 21;
    /** The same with start and end. */
    public static final int BYTES_PER_TIMED_TRANSACTION = BYTES_PER_TRANSACTION + 16;
    /** {@link #starts} or {@link #ends} of a transaction that has no such time. */
    public static final long NO_TIME = Long.MIN_VALUE;
    /** The metadata that is {@code true} if each operation of the input was made a session of its own. */
    public static final String OWN_SESSIONS = "own_sessions";

    private final Header header;
    private final KeyDictionary keys;
    private final ValueDictionary values;
    private final Sessions sessions;
    private final Transactions transactions;
    /** The lists that operations read; null if no operations on lists were recorded, or others stand for them. */
    private final @Nullable ListTree lists;
    /** What operations were made from that stand for those on lists; null if there are none. */
    private final @Nullable ListReduced reduced;

    private final Operations operations;
    private final int[] operationStarts;
    private final int[] operationKeys;
    private final long[] operationValues;
    private final byte @Nullable [] operationKinds;
    /** The versions of {@link #lists}; null until they are found. */
    private volatile @Nullable ListVersions versions;
    /** See {@link #statements}; null until they are found. */
    private volatile int @Nullable [] statements;
    /** The number of writes; negative until it is computed. */
    private int writes = -1;

    private final boolean hasAdditions;
    private final boolean hasRows;

    HistoryTable(
            Header header,
            KeyDictionary keys,
            ValueDictionary values,
            Sessions sessions,
            Transactions transactions,
            Operations operations) {
        this(header, keys, values, sessions, transactions, operations, null, null);
    }

    private HistoryTable(
            Header header,
            KeyDictionary keys,
            ValueDictionary values,
            Sessions sessions,
            Transactions transactions,
            Operations operations,
            @Nullable ListTree lists,
            @Nullable ListReduced reduced) {
        this.lists = lists;
        this.reduced = reduced;
        this.header = header;
        this.keys = keys;
        this.values = values;
        this.sessions = sessions;
        this.transactions = transactions;
        this.operations = operations;
        this.operationStarts = operations.starts();
        this.operationKeys = operations.keys();
        this.operationValues = operations.values();
        this.operationKinds = operations.kinds();
        this.hasAdditions = operations.has(Operations.ADD);
        this.hasRows = operations.has(Operations.INSERT) || operations.has(Operations.DELETE);
    }

    public int sessions() {
        return sessions.labels().length;
    }

    public int transactions() {
        return transactions.size();
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

    /** The session's number in the file; without session order several sessions may have one. */
    public long sessionLabel(int session) {
        return sessions.labels()[session];
    }

    /** Length sessions() + 1: session s has the transactions [sessionStarts[s], sessionStarts[s + 1]). */
    public int[] sessionStarts() {
        return sessions.starts();
    }

    /** The session's first transaction. The others follow, up to {@link #transactionsEnd}. */
    public int firstTransaction(int session) {
        return sessions.starts()[session];
    }

    /** The transaction after the session's last one. */
    public int transactionsEnd(int session) {
        return sessions.starts()[session + 1];
    }

    /** The session of a transaction, by binary search. */
    public int sessionOf(int transaction) {
        int at = Arrays.binarySearch(sessions.starts(), transaction);
        // No session is empty, so the starts differ.
        return at >= 0 ? at : -at - 2;
    }

    public TransactionStatus status(int transaction) {
        return TransactionStatus.ofCode(transactions.statuses()[transaction]);
    }

    /** {@link TransactionStatus#code()} of each transaction. */
    public byte[] statuses() {
        return transactions.statuses();
    }

    /** The transaction of a session with an index; -1 if there is none. */
    public int transaction(long sessionLabel, long index) {
        for (int s = 0; s < sessions(); s++) {
            if (sessionLabel(s) == sessionLabel) {
                int at = Arrays.binarySearch(transactions.indexes(), firstTransaction(s), transactionsEnd(s), index);
                return at < 0 ? -1 : at;
            }
        }
        return -1;
    }

    /** The transaction's index within its session, as given in the file. */
    public long index(int transaction) {
        return transactions.indexes()[transaction];
    }

    /** {@code s<session>#<index>}: the name of a transaction in evidence. */
    public String name(int transaction) {
        return "s" + sessionLabel(sessionOf(transaction)) + "#" + index(transaction);
    }

    /** Start times in ns, or null if the history has no times; {@link #NO_TIME} where one is missing. */
    public long @Nullable [] starts() {
        return transactions.starts();
    }

    /** End times in ns, or null if the history has no times; {@link #NO_TIME} where one is missing. */
    public long @Nullable [] ends() {
        return transactions.ends();
    }

    /** The transaction's first operation. The others follow, up to {@link #operationsEnd}. */
    public int firstOperation(int transaction) {
        return operationStarts[transaction];
    }

    /** The operation after the transaction's last one. */
    public int operationsEnd(int transaction) {
        return operationStarts[transaction + 1];
    }

    /** The key of an operation, see {@link KeyDictionary}. */
    public int key(int operation) {
        return Operations.key(operationKeys[operation]);
    }

    /** Whether an operation is a write rather than a read. */
    public boolean isWrite(int operation) {
        return Operations.isWrite(operationKeys[operation]);
    }

    public boolean isReadOf(int operation, int key) {
        return operationKeys[operation] == Operations.pack(key, false);
    }

    public boolean isWriteOf(int operation, int key) {
        return operationKeys[operation] == Operations.pack(key, true);
    }

    /** The transaction's first read of a key, or -1. */
    public int firstRead(int transaction, int key) {
        for (int o = firstOperation(transaction); o < operationsEnd(transaction); o++) {
            if (isReadOf(o, key)) {
                return o;
            }
        }
        return -1;
    }

    /** The transaction's last write of a key, or -1. */
    public int lastWrite(int transaction, int key) {
        return lastWrite(transaction, key, operationsEnd(transaction));
    }

    /** The transaction's last write of a key before an operation, or -1. */
    public int lastWrite(int transaction, int key, int before) {
        for (int o = before - 1; o >= firstOperation(transaction); o--) {
            if (isWriteOf(o, key)) {
                return o;
            }
        }
        return -1;
    }

    /** Whether some write is an insert or a delete. */
    public boolean hasRows() {
        return hasRows;
    }

    /** Whether an operation adds to a key, and its sum is not known. */
    public boolean isAddition(int operation) {
        return operationKinds != null && operationKinds[operation] == Operations.ADD;
    }

    /** Whether some operation is one. */
    public boolean hasAdditions() {
        return hasAdditions;
    }

    /**
     * Whether all operations are reads and writes of values: there are no inserts, deletes, repeated rows, additions, lists,
     * predicates, versions that the database gave, or reads that name the transaction that they read from.
     */
    public boolean isPlain() {
        return operationKinds == null
                && !values.hasLists()
                && !values.hasPredicates()
                && !values.hasVersions()
                && !values.hasGiven();
    }

    /** Whether an operation inserts a row. */
    public boolean isInsert(int operation) {
        return operationKinds != null && operationKinds[operation] == Operations.INSERT;
    }

    /** Whether an operation deletes a row. */
    public boolean isDelete(int operation) {
        return operationKinds != null && operationKinds[operation] == Operations.DELETE;
    }

    /**
     * Whether an operation reads one more row with a key that the same result has already, see
     * {@link Operations#REPEATED_ROW}.
     */
    public boolean isRepeatedRow(int operation) {
        return operationKinds != null && operationKinds[operation] == Operations.REPEATED_ROW;
    }

    /** Whether some operation is a repeated row. */
    public boolean hasRepeatedRows() {
        return operations.has(Operations.REPEATED_ROW);
    }

    /** The first repeated row of a transaction, or -1. */
    public int firstRepeatedRow(int transaction) {
        for (int o = firstOperation(transaction); operationKinds != null && o < operationsEnd(transaction); o++) {
            if (isRepeatedRow(o)) {
                return o;
            }
        }
        return -1;
    }

    /** The row before a repeated row in the same result: the last operation on its key before it. */
    public int rowBefore(int repeated) {
        int o = repeated - 1;
        while (key(o) != key(repeated)) {
            o--;
        }
        return o;
    }

    /**
     * Whether an operation is implied. No transaction did such an operation: it expresses the place of an append in the
     * lists that were read.
     */
    public boolean isImplied(int operation) {
        return operationKinds != null && operationKinds[operation] == Operations.IMPLIED;
    }

    /**
     * Returns the append or the read of a list that an implied operation belongs to. Returns the operation itself if it
     * is not implied, or if the table does not have that append or read. Implied reads come before the append or read,
     * and implied writes, with the reads before them, come after the append.
     */
    public int implying(int operation) {
        return operations.implying(operation);
    }

    /** Whether an operation appends to a list. */
    public boolean isAppend(int operation) {
        return operations.isAppend(operation);
    }

    /** Returns the label of a value of a key; that of an empty list is {@code []}. */
    public String label(int key, long code) {
        boolean mayBeEmpty = values.hasLists() && code == initialValue();
        ListVersions versions = listVersions();
        if (mayBeEmpty && versions != null) {
            return key < versions.recorded().keys().size() && versions.isList(key) ? "[]" : values.label(code);
        }
        if (ListCodes.isRead(code)) {
            int list = ListCodes.list(code);
            return lists == null || list == ListTree.EMPTY ? "[]" : "[.. " + values.label(lists.last(list)) + "]";
        }
        for (int o = 0; mayBeEmpty && o < operations(); o++) {
            if (isAppend(o) && key(o) == key) {
                return "[]";
            }
        }
        return values.label(code);
    }

    /** Whether the transaction itself read the key before it wrote it. */
    public boolean readsItself(int transaction, int key) {
        int o = firstOperation(transaction);
        while (o < operationsEnd(transaction) && key(o) != key) {
            o++;
        }
        return o < operationsEnd(transaction) && !isWrite(o) && !isImplied(o);
    }

    /** Returns the kind of an operation, see {@link Operations#kinds}. */
    public byte kind(int operation) {
        return operationKinds == null ? 0 : operationKinds[operation];
    }

    /** The code of an operation's value, see {@link ValueDictionary}. */
    public long value(int operation) {
        return operationValues[operation];
    }

    /** Length transactions() + 1: transaction t has the operations [operationStarts[t], operationStarts[t + 1]). */
    public int[] operationStarts() {
        return operationStarts;
    }

    /** Each operation's key and kind, packed as by {@link Operations#pack}. */
    public int[] operationKeys() {
        return operationKeys;
    }

    /** Each operation's value code, see {@link ValueDictionary}. */
    public long[] operationValues() {
        return operationValues;
    }

    /** Each operation's kind, see {@link Operations#kinds}; null if all are 0. */
    public byte @Nullable [] operationKinds() {
        return operationKinds;
    }

    public KeyDictionary keys() {
        return keys;
    }

    public ValueDictionary values() {
        return values;
    }

    /**
     * The code of the value that a key has before the first transaction, unless {@link #initialState} has another one.
     */
    public long initialValue() {
        return header.initialValue();
    }

    /** The code of the value that a key has before the first transaction. */
    public long initialValue(int key) {
        return header.initialValue(key);
    }

    /** Whether a key has a row before the first transaction. */
    public boolean existsAtFirst(int key) {
        return header.existsAtFirst(key);
    }

    /** By key: the code of its initial value. */
    public long[] initialValues() {
        return header.initialValues(keys.size());
    }

    /** By key: the codes of initial values that are not {@link #initialValue()}; null for none. */
    public @Nullable Int2LongMap initialState() {
        return header.state();
    }

    /** The history with other initial values of some keys; shares all arrays. */
    public HistoryTable withInitialState(Int2LongMap state) {
        return with(header.with(state));
    }

    /**
     * The predicates of the history; null if there are none. Reads of keys express them, perhaps only in part.
     */
    public @Nullable PredicateReads predicates() {
        return header.predicates();
    }

    /**
     * The writes by a condition whose rows are not known; null if there are none. If there are some, this table alone
     * does not represent the history; see {@link UnknownRows}.
     */
    public @Nullable UnknownRows unknownRows() {
        return header.unknownRows();
    }

    HistoryTable with(UnknownRows unknown) {
        return with(header.with(unknown));
    }

    HistoryTable with(PredicateReads predicates) {
        return with(header.with(predicates));
    }

    HistoryTable with(Recorded recorded) {
        return with(header.with(recorded));
    }

    /** The predicates and columns that codes in {@link #asRead} represent; null if there are none. */
    public @Nullable Predicates recordedPredicates() {
        Recorded recorded = header.recorded();
        return recorded == null ? null : recorded.predicates();
    }

    @Nullable
    Recorded recorded() {
        return header.recorded();
    }

    /**
     * The history without the operations that express predicates, with the rows that predicates returned and wrote. The
     * same table if there are no predicates, or if some of these rows were not recorded.
     */
    public HistoryTable withoutPredicates() {
        Recorded recorded = header.recorded();
        return recorded == null || recorded.predicates().hasUnknown()
                ? this
                : with(recorded.keys(), recorded.operations().without(Predicates::isStandIn));
    }

    /** Returns the history with another field in its header. @param json its value */
    public HistoryTable with(String field, String json) {
        return with(header.with(field, json));
    }

    private HistoryTable with(Header other) {
        return new HistoryTable(other, keys, values, sessions, transactions, operations, lists, reduced);
    }

    /** Header fields other than the initial value, as JSON texts. */
    public Map<String, String> metadata() {
        return header.metadata();
    }

    /** Returns the source of the transactions: the files and the unit of positions in them. */
    public SourceFiles source() {
        return header.source();
    }

    /** {@code file:line}, {@code file:byte N} or {@code file:row N} of a transaction. */
    public String whereIs(int transaction) {
        return header.source().describe(transactions.sources()[transaction]);
    }

    /** The error that a transaction ended with, as its client recorded it; null if none is known. */
    public @Nullable String errorOf(int transaction) {
        return header.source().errors().get(transactions.sources()[transaction]);
    }

    /** The file and the position of a transaction in one number, which ascends in the order of the input. */
    public long sourceOf(int transaction) {
        return transactions.sources()[transaction];
    }

    /** The number of the file that a transaction comes from, in {@link SourceFiles#files}. */
    public int fileOf(int transaction) {
        return SourceFiles.file(transactions.sources()[transaction]);
    }

    /** The line, byte or row of a transaction within its file. */
    public long sourcePosition(int transaction) {
        return SourceFiles.position(transactions.sources()[transaction]);
    }

    /**
     * Returns the history without refused compare-and-sets. These read any value but one, and matter only for
     * linearizability. The same table if there are none. Linear time.
     */
    public HistoryTable withoutRefusals() {
        if (!values.hasOthers()) {
            return this;
        }
        Operations plain = operations.without(values::isOther);
        if (plain.size() == operations()) {
            return this;
        }
        ListReduced lower = reduced;
        return lower == null
                ? with(plain)
                : lower.of(lower.versions().recorded().withoutRefusals());
    }

    /**
     * The history in which each transaction is a session of its own, with the label of the session that ran it. Transactions keep their
     * numbers and their order by (label, index). The same table if no session has several; shares all other arrays.
     */
    public HistoryTable withoutSessionOrder() {
        int n = transactions();
        if (sessions() == n) {
            return this;
        }
        long[] labels = new long[n];
        int[] starts = new int[n + 1];
        for (int s = 0; s < sessions(); s++) {
            Arrays.fill(labels, firstTransaction(s), transactionsEnd(s), sessionLabel(s));
        }
        Arrays.setAll(starts, t -> t);
        return new HistoryTable(
                header, keys, values, new Sessions(labels, starts), transactions, operations, lists, reduced);
    }

    /** Whether it is made from the same transactions and operations; sessions may differ. */
    public boolean hasOperationsOf(HistoryTable other) {
        return operations == other.operations && transactions == other.transactions;
    }

    /**
     * The history with plain writes in place of inserts and deletes, a delete as a write of null. The same table if
     * there are none; shares all other arrays.
     */
    public HistoryTable withoutRows() {
        return hasRows() ? with(operations.only(Operations.REPEATED_ROW)) : this;
    }

    /** The history with plain writes, which may find a row, in place of inserts. */
    public HistoryTable withoutInserts() {
        return with(operations.only(Operations.DELETE, Operations.REPEATED_ROW));
    }

    /** The same history with another status for some transactions. Shares all other arrays. */
    public HistoryTable withStatus(int[] some, TransactionStatus status) {
        Transactions changed = transactions.withStatus(some, status);
        ListReduced lower = reduced;
        return new HistoryTable(
                header,
                keys,
                values,
                sessions,
                changed,
                operations,
                lists,
                lower == null ? null : lower.with(lower.versions().recorded().withStatus(some, status)));
    }

    /** The order of the versions of the lists that operations stand for; null if they stand for none. */
    public @Nullable ListVersions listVersions() {
        return reduced == null ? null : reduced.versions();
    }

    /**
     * The recorded key that a key is about. It is another one for keys that stand for the order of the versions that the
     * database gave. Linear time for these.
     */
    public int recordedKey(int key) {
        ListReduced from = reduced;
        if (from == null
                || from.isOfCommits()
                || key < from.versions().recorded().keys().size()) {
            return key;
        }
        int o = 0;
        while (key(o) != key) {
            o++;
        }
        return from.versions().recorded().key(from.origin()[o]);
    }

    /** Whether the database gave versions to writes of a recorded key. */
    public boolean hasGivenVersions(int key) {
        ListVersions order = listVersions();
        return order != null && order.given().has(key);
    }

    /** Whether operations on lists were recorded; false if others stand for them. */
    public boolean hasLists() {
        return lists != null;
    }

    /** The same operations without what relates them to lists. */
    public HistoryTable withoutLists() {
        return lists == null && reduced == null ? this : with(keys, operations);
    }

    /** The history with lists as they were recorded; the same table if no operations stand for them. */
    public HistoryTable withRecordedLists() {
        return reduced == null ? this : reduced.versions().recorded();
    }

    /** The versions of the lists that were recorded; found once. */
    ListVersions recordedVersions() {
        ListVersions found = versions;
        if (found == null) {
            found = ListVersions.of(this);
            versions = found;
        }
        return found;
    }

    @Nullable
    ListTree lists() {
        return lists;
    }

    @Nullable
    ListReduced reduced() {
        return reduced;
    }

    /**
     * Returns the history as it was read, for writing it: with appends and lists, or with predicates and columns of
     * rows. The same table if it has none of these.
     */
    public HistoryTable asRead() {
        Recorded recorded = header.recorded();
        if (recorded != null) {
            HistoryTable read = with(recorded.keys(), recorded.operations());
            UnknownRows unknown = header.unknownRows();
            return unknown == null ? read : unknown.withUnknownOutcomes(read);
        }
        return withRecordedLists();
    }

    /** The history with other operations, which it was read with. */
    HistoryTable withUndone(Operations undone, Operations judged) {
        return new HistoryTable(header.withUndone(undone), keys, values, sessions, transactions, judged);
    }

    /** Whether transactions set savepoints, so that {@link #withUndone} is another history. */
    public boolean hasSavepoints() {
        return header.undone() != null;
    }

    /**
     * Returns the history as its file has it: with savepoints and what was undone by rollbacks to them. That of
     * {@link #asRead} if there are none.
     */
    public HistoryTable withUndone() {
        Operations undone = header.undone();
        HistoryTable read = asRead();
        return undone == null ? read : read.with(undone);
    }

    /**
     * Returns the transaction that wrote a value of a key and undid the write by a rollback to a savepoint, if no write
     * that was not undone has left it; -1 if there is none. Linear in the history.
     */
    public int undoneWriter(int key, long value) {
        HistoryTable read = hasSavepoints() ? withUndone() : null;
        for (int t = 0; read != null && t < transactions(); t++) {
            for (int o = read.firstOperation(t); o < read.operationsEnd(t); o++) {
                if (read.isWriteOf(o, key) && read.value(o) == value) {
                    return t;
                }
            }
        }
        return -1;
    }

    /** Whether an operation of {@link #withUndone} sets or releases a savepoint, or is a rollback to one. */
    public boolean isOfSavepoint(int operation) {
        return kind(operation) >= Operations.SAVEPOINT;
    }

    /** Returns the number of keys that were recorded, which have the first ids. The others express predicates. */
    public int recordedKeys() {
        Recorded recorded = header.recorded();
        return recorded == null ? keys.size() : recorded.keyCount();
    }

    /**
     * Returns the codes of the elements that a read of {@link #asRead} returned; null if it is not a read of a list.
     */
    public long @Nullable [] elements(int operation) {
        long code = operationValues[operation];
        return lists == null || !ListCodes.isRead(code) ? null : elementsOf(code);
    }

    /** Returns the codes of the elements of a list that was read. */
    public long[] elementsOf(long code) {
        return lists == null ? new long[0] : lists.elements(ListCodes.list(code));
    }

    /** The same history with the lists that its operations name. */
    HistoryTable with(ListTree tree) {
        return new HistoryTable(header, keys, values, sessions, transactions, operations, tree, null);
    }

    /** The same transactions with operations in place of those on lists. */
    HistoryTable with(KeyDictionary all, Operations others, ListReduced from) {
        return new HistoryTable(header, all, values, sessions, transactions, others, null, from);
    }

    Header header() {
        return header;
    }

    Transactions allTransactions() {
        return transactions;
    }

    public Operations allOperations() {
        return operations;
    }

    /**
     * By operation: the number of its statement in its transaction, by which operations ascend; null if no statement has
     * several rows. Not a copy.
     */
    public int @Nullable [] statements() {
        int[] known = statements;
        PredicateReads predicates = predicates();
        if (known == null) {
            known = operations.statements() == null && predicates != null
                    ? predicates.statements(this)
                    : operations.statements();
            statements = known;
        }
        return known;
    }

    /** The first operation of the statement of an operation. */
    public int statementStart(int operation) {
        int[] known = statements();
        int first = known == null ? operation : firstOperation(HistorySelection.transactionOf(this, operation));
        int start = operation;
        while (known != null && start > first && known[start - 1] == known[operation]) {
            start--;
        }
        return start;
    }

    /** The same history with other values of its operations. */
    public HistoryTable withValues(long[] codes) {
        Operations others =
                new Operations(operationStarts, operationKeys, codes, operationKinds, operations.statements());
        return new HistoryTable(header, keys, values, sessions, transactions, others, lists, reduced);
    }

    /** The same transactions with other operations on keys of another dictionary. */
    public HistoryTable with(KeyDictionary others, Operations operations) {
        return new HistoryTable(header, others, values, sessions, transactions, operations);
    }

    /** The same transactions with other operations. */
    HistoryTable with(Operations operations) {
        return new HistoryTable(header, keys, values, sessions, transactions, operations, lists, null);
    }

    /** Bytes of heap held by the arrays, without dictionaries and object headers. */
    public long arrayBytes() {
        return (long) (operationKinds == null ? BYTES_PER_OPERATION : BYTES_PER_OPERATION + 1) * operations()
                + (long) (starts() == null ? BYTES_PER_TRANSACTION : BYTES_PER_TIMED_TRANSACTION) * transactions()
                + 12L * sessions()
                + 8;
    }
}
