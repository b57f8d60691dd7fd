package org.polygraph.solver.proof;

import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The problem that a trace refutes: the arrays of {@code Polygraph}, in the same layout and shared by reference,
 * without the arrays that only help a search (positions, reachability, dirty keys).
 */
public final class ProofProblem {
    /** The class of the value that every key has at first. */
    static final int INITIAL = -1;

    final int transactions;
    final int eventsPerTransaction;
    /** The known edges. */
    final EdgeLists successors;

    final KeyLists writers;
    final KeyLists readers;
    final KeyKind @Nullable [] kinds;
    final boolean @Nullable [] optional;

    /**
     * Checks every index, in O(input); the checker finds cycles of known edges.
     *
     * @param transactions n
     * @param eventsPerTransaction E, 1 or 2
     * @param successors the known edges of nE events
     * @param writers at most one entry per (key, transaction); the class of a value is the key's first writer of an
     *     equal value, or -1 for the initial value
     * @param readers as many keys; the class is that of the value read
     * @param kinds by key, or null if all are {@link KeyKind#PLAIN}
     * @param optional by transaction, or null: whether its commit is a choice
     * @throws IllegalArgumentException naming the array and index that is wrong
     */
    public ProofProblem(
            int transactions,
            int eventsPerTransaction,
            EdgeLists successors,
            KeyLists writers,
            KeyLists readers,
            KeyKind @Nullable [] kinds,
            boolean @Nullable [] optional) {
        require(
                eventsPerTransaction == 1 || eventsPerTransaction == 2,
                "eventsPerTransaction",
                0,
                eventsPerTransaction);
        require(
                transactions >= 0 && transactions <= (Integer.MAX_VALUE - 16) / eventsPerTransaction,
                "transactions",
                0,
                transactions);
        this.transactions = transactions;
        this.eventsPerTransaction = eventsPerTransaction;
        this.successors = successors;
        this.writers = writers;
        this.readers = readers;
        this.kinds = kinds;
        this.optional = optional;
        successors.validate(events());
        writers.validate("writer");
        readers.validate("reader");
        require(readers.keys() == keys(), "readerStart's length", 0, readers.start.length);
        validateKeys();
        require(kinds == null || kinds.length >= keys(), "kinds' length", 0, 0);
        require(optional == null || optional.length >= transactions, "optional's length", 0, 0);
    }

    private void validateKeys() {
        int[] lastKey = new int[transactions];
        for (int k = 0; k < keys(); k++) {
            for (int w = writers.start[k]; w < writers.start[k + 1]; w++) {
                int txn = writers.txn[w];
                require(txn >= 0 && txn < transactions, "writerTxn", w, txn);
                require(lastKey[txn] != k + 1, "writerTxn (twice at a key)", w, txn);
                lastKey[txn] = k + 1;
                require(isClass(k, writers.valueClass[w]), "writerClass", w, writers.valueClass[w]);
            }
            for (int r = readers.start[k]; r < readers.start[k + 1]; r++) {
                require(readers.txn[r] >= 0 && readers.txn[r] < transactions, "readerTxn", r, readers.txn[r]);
                require(isClass(k, readers.valueClass[r]), "readerClass", r, readers.valueClass[r]);
            }
        }
    }

    private boolean isClass(int key, int c) {
        return c == INITIAL || (c >= writers.start[key] && c < writers.start[key + 1] && writers.valueClass[c] == c);
    }

    static void validateStarts(String name, int[] start, int count, int end) {
        require(start.length > count && start[0] >= 0, name, 0, start.length);
        for (int i = 1; i <= count; i++) {
            require(start[i] >= start[i - 1] && start[i] <= end, name, i, start[i]);
        }
    }

    static void require(boolean holds, String array, int index, int value) {
        if (!holds) {
            throw new IllegalArgumentException(array + "[" + index + "] = " + value + " is not allowed");
        }
    }

    /** The size of this problem. */
    ProofShape shape() {
        return new ProofShape(transactions, eventsPerTransaction, keys(), readers.start[keys()], writers.start[keys()]);
    }

    /** Whether both have the same known edges, in the same order. */
    public boolean hasSameEdges(ProofProblem other) {
        return successors.isSame(other.successors, events());
    }

    /** Whether both are equal except for known edges. */
    public boolean isOfSameHistory(ProofProblem other) {
        return transactions == other.transactions
                && eventsPerTransaction == other.eventsPerTransaction
                && writers.isSame(other.writers)
                && readers.isSame(other.readers)
                && IntStream.range(0, keys()).allMatch(k -> kind(k) == other.kind(k))
                && IntStream.range(0, transactions).allMatch(t -> isOptional(t) == other.isOptional(t));
    }

    int events() {
        return transactions * eventsPerTransaction;
    }

    int keys() {
        return writers.keys();
    }

    int snapshot(int txn) {
        return eventsPerTransaction * txn;
    }

    int commit(int txn) {
        return eventsPerTransaction * txn + eventsPerTransaction - 1;
    }

    KeyKind kind(int key) {
        return kinds == null ? KeyKind.PLAIN : kinds[key];
    }

    /** The event at which a transaction reads a key. */
    int readAt(int key, int txn) {
        return kind(key).readsAtCommit() ? commit(txn) : snapshot(txn);
    }

    /** The event of a writer of a key that must come after the commit of another writer to be a later version. */
    int overwrites(int key, int txn) {
        return kind(key) == KeyKind.PLAIN ? snapshot(txn) : commit(txn);
    }

    /** Whether this writer must have committed before the next one of its key takes its snapshot. */
    boolean bindsNext(int key, int writer) {
        return eventsPerTransaction == 2 && kind(key).bindsNext(writers.valueClass[writer] == INITIAL);
    }

    boolean isOptional(int txn) {
        return optional != null && optional[txn];
    }
}
