package org.polygraph.solver;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.solver.proof.EdgeLists;
import org.polygraph.solver.proof.KeyLists;
import org.polygraph.solver.proof.ProofProblem;
import org.polygraph.solver.proof.ProofShape;

/**
 * The question: is there a total order of events that extends the known edges and explains every read?
 *
 * <p>All arrays are shared by reference and must not change while a solver uses them. Layout, with n transactions and E
 * events a transaction:
 *
 * <ul>
 *   <li><b>events</b> E = 1: event t is transaction t, its snapshot and its commit. E = 2: snapshot b(t) = 2t, commit
 *       c(t) = 2t + 1.
 *   <li><b>position</b> by event, a permutation of 0..nE-1 that extends the known edges: the order to start from.
 *   <li><b>known edges</b> CSR by event: successors of e are {@code successor[successorStart[e]..successorStart[e+1])};
 *       predecessors likewise. Sessions, decided reads and forced edges; for E = 2 also b(t) -> c(t). Either direction
 *       may be left out: the solver then builds it.
 *   <li><b>writers</b> CSR by key: {@code writerTxn[w]}, one entry per (key, transaction) with a visible write;
 *       {@code writerClass[w]}: the index of the key's first writer of an equal value, or {@link #INITIAL} when the
 *       value equals the key's initial one.
 *   <li><b>readers</b> CSR by key: {@code readerTxn[r]}, one entry per (key, transaction) with an external read;
 *       {@code readerClass[r]}: class of the value read.
 *   <li><b>kinds</b> by key, or null if all are {@link Kind#PLAIN}: what the order of a key's writers must obey with E = 2.
 *       With E = 1 kinds change nothing.
 *   <li><b>optional</b> by transaction, or null for none: its commit is a choice. Without its commit its writes do not exist
 *       and its reads are not constrained; it must have no known edges that hold only if it committed.
 *   <li><b>dirtyKeys</b> keys that {@code position} may violate with no optional transaction committed; null = all.
 * </ul>
 *
 * <p>An order explains read r of key x when the last counted writer c(W) of x before b(r), its own transaction aside,
 * has r's class, or, if there is none, r's class is {@link #INITIAL}. With E = 2 also c(W) before b(W') or c(W') before
 * b(W) for any two counted writers of a plain key. Counted: committed, or not optional.
 *
 * <p>A row that is inserted and deleted has two keys of the same writers, see {@link Kind}: one for its values, and one for
 * whether the row exists. Only this one orders its writers with E = 2: if the last counted writer c(W) before c(W') left
 * a row, then c(W) is before b(W').
 */
public final class Polygraph {
    /** What the reads and writers of a key mean with E = 2. */
    public enum Kind {
        /** Reads at snapshots; no two writers overlap. */
        PLAIN,
        /** The values of a row: reads at snapshots; writers may overlap. */
        ROW_VALUES,
        /** Whether a row exists, which at first it does not: reads at commits; class INITIAL is no row. */
        ROW_UNBORN,
        /** Whether a row exists, which at first it does: reads at commits; class INITIAL is a row. */
        ROW_BORN
    }

    /** The class of the initial value of every key. */
    public static final int INITIAL = -1;

    final int transactions;
    final int eventsPerTransaction;
    final int[] position;
    final int @Nullable [] successorStart;
    final int @Nullable [] successor;
    final int @Nullable [] predecessorStart;
    final int @Nullable [] predecessor;
    final int[] writerStart;
    final int[] writerTxn;
    final int[] writerClass;
    final int[] readerStart;
    final int[] readerTxn;
    final int[] readerClass;
    private final Kind @Nullable [] kinds;
    final boolean @Nullable [] optional;
    final @Nullable Reachability reachability;
    final int @Nullable [] dirtyKeys;

    private Polygraph(Builder b) {
        transactions = b.transactions;
        eventsPerTransaction = b.eventsPerTransaction;
        position = b.position;
        successorStart = b.successorStart;
        successor = b.successor;
        predecessorStart = b.predecessorStart;
        predecessor = b.predecessor;
        writerStart = b.writerStart;
        writerTxn = b.writerTxn;
        writerClass = b.writerClass;
        readerStart = b.readerStart;
        readerTxn = b.readerTxn;
        readerClass = b.readerClass;
        kinds = eventsPerTransaction == 1 ? null : b.kinds;
        optional = b.optional;
        reachability = b.reachability;
        dirtyKeys = b.dirtyKeys;
    }

    /**
     * Starts a polygraph.
     *
     * @param transactions n
     * @param eventsPerTransaction E, 1 or 2
     */
    public static Builder builder(int transactions, int eventsPerTransaction) {
        return new Builder(transactions, eventsPerTransaction);
    }

    /** Number of transactions. */
    public int transactions() {
        return transactions;
    }

    /** Number of events: transactions times events a transaction. */
    public int events() {
        return transactions * eventsPerTransaction;
    }

    /** Number of keys. */
    public int keys() {
        return writerStart.length - 1;
    }

    /** The event at which a transaction reads. */
    public int snapshot(int txn) {
        return eventsPerTransaction * txn;
    }

    /** The event at which a transaction's writes appear. */
    public int commit(int txn) {
        return eventsPerTransaction * txn + eventsPerTransaction - 1;
    }

    /** The event at which a transaction reads a key. */
    int readAt(int key, int txn) {
        return readsAtCommit(key) ? commit(txn) : snapshot(txn);
    }

    /** Whether the reads of a key happen at commits. */
    boolean readsAtCommit(int key) {
        return kinds != null && kinds[key].compareTo(Kind.ROW_UNBORN) >= 0;
    }

    /** The event of writer T of a key that must come after c(W) for T to be a later version than W. */
    int overwrites(int key, int txn) {
        return kinds == null || kinds[key] == Kind.PLAIN ? snapshot(txn) : commit(txn);
    }

    /** Whether a writer of this class must have committed before the snapshot of the writer that overwrites it. */
    boolean bindsNext(int key, int valueClass) {
        if (eventsPerTransaction == 1 || kinds == null || kinds[key] == Kind.PLAIN) {
            return eventsPerTransaction == 2;
        }
        return kinds[key] != Kind.ROW_VALUES && (valueClass == INITIAL) == (kinds[key] == Kind.ROW_BORN);
    }

    /** Whether some key has a kind that matters. */
    public boolean hasRows() {
        return kinds != null;
    }

    int transaction(int event) {
        return event / eventsPerTransaction;
    }

    /**
     * The same problem as {@code proof}'s checker reads it; arrays are shared, successors are built from predecessors if
     * there are none. O(input).
     *
     * @throws IllegalArgumentException naming the array and index that is wrong
     */
    public ProofProblem proofProblem() {
        return new ProofProblem(
                transactions,
                eventsPerTransaction,
                successors(),
                new KeyLists(writerStart, writerTxn, writerClass),
                new KeyLists(readerStart, readerTxn, readerClass),
                optional);
    }

    /** The size of the problem. */
    ProofShape shape() {
        return new ProofShape(transactions, eventsPerTransaction, keys(), readerStart[keys()], writerStart[keys()]);
    }

    /** The known edges by source; reversed from the predecessors if successors were left out. */
    EdgeLists successors() {
        return lists(successorStart, successor, predecessorStart, predecessor);
    }

    /** The known edges by target; reversed from the successors if predecessors were left out. */
    EdgeLists predecessors() {
        return lists(predecessorStart, predecessor, successorStart, successor);
    }

    /** Bytes of the direction of the known edges that was left out; 0 if both were given. */
    long missingEdgeBytes() {
        int[] start = successorStart == null ? predecessorStart : successorStart;
        boolean both = successorStart != null && predecessorStart != null;
        return both || start == null ? 0 : 4L * (events() + 1 + start[events()] - start[0]);
    }

    private EdgeLists lists(
            int @Nullable [] start, int @Nullable [] target, int @Nullable [] backStart, int @Nullable [] back) {
        if (start != null && target != null) {
            return new EdgeLists(start, target);
        }
        if (backStart == null || back == null) {
            throw new IllegalArgumentException("a polygraph needs successors or predecessors; it has neither");
        }
        return new EdgeLists(backStart, back).reversed(events());
    }

    boolean isOptional(int txn) {
        return optional != null && optional[txn];
    }

    /** Whether every order has {@code from} before {@code to}, as far as is known. */
    boolean certain(int from, int to) {
        if (eventsPerTransaction == 2 && from + 1 == to && (from & 1) == 0) {
            return true;
        }
        return reachability != null && reachability.reaches(from, to);
    }

    /**
     * Checks everything this class asks for except that the known edges hold in every order. O(input).
     *
     * @throws IllegalArgumentException naming the array and index that is wrong
     */
    public void validate() {
        int events = events();
        boolean[] taken = new boolean[events];
        for (int e = 0; e < events; e++) {
            require(position[e] >= 0 && position[e] < events && !taken[position[e]], "position", e, position[e]);
            taken[position[e]] = true;
        }
        validateEdges("successor", successorStart, successor, 1);
        validateEdges("predecessor", predecessorStart, predecessor, -1);
        if (eventsPerTransaction == 2) {
            for (int t = 0; t < transactions; t++) {
                require(position[2 * t] < position[2 * t + 1], "position of snapshot", t, position[2 * t]);
            }
        }
        validateKeys("writer", writerStart, writerTxn, writerClass);
        validateKeys("reader", readerStart, readerTxn, readerClass);
    }

    private void validateEdges(String name, int @Nullable [] start, int @Nullable [] target, int direction) {
        if (start == null || target == null) {
            return;
        }
        for (int e = 0; e < events(); e++) {
            require(start[e] >= 0 && start[e] <= start[e + 1] && start[e + 1] <= target.length, name, e, start[e]);
            for (int i = start[e]; i < start[e + 1]; i++) {
                require(target[i] >= 0 && target[i] < events(), name, i, target[i]);
                require((position[target[i]] - position[e]) * direction > 0, name + " against position", i, target[i]);
            }
        }
    }

    private void validateKeys(String name, int[] start, int[] txn, int[] valueClass) {
        for (int k = 0; k < keys(); k++) {
            require(start[k] >= 0 && start[k] <= start[k + 1] && start[k + 1] <= txn.length, name, k, start[k]);
            for (int i = start[k]; i < start[k + 1]; i++) {
                require(txn[i] >= 0 && txn[i] < transactions, name + "Txn", i, txn[i]);
                int c = valueClass[i];
                require(
                        c == INITIAL || (c >= writerStart[k] && c < writerStart[k + 1] && writerClass[c] == c),
                        name + "Class",
                        i,
                        c);
            }
        }
    }

    private static void require(boolean holds, String array, int index, int value) {
        if (!holds) {
            throw new IllegalArgumentException(array + "[" + index + "] = " + value + " is not allowed");
        }
    }

    /** Collects the arrays; see {@link Polygraph} for their layout. */
    public static final class Builder {
        private static final int[] NO_KEYS = {0};

        private final int transactions;
        private final int eventsPerTransaction;
        private int[] position = new int[0];
        private int @Nullable [] successorStart;
        private int @Nullable [] successor;
        private int @Nullable [] predecessorStart;
        private int @Nullable [] predecessor;
        private int[] writerStart = NO_KEYS;
        private int[] writerTxn = new int[0];
        private int[] writerClass = new int[0];
        private int[] readerStart = NO_KEYS;
        private int[] readerTxn = new int[0];
        private int[] readerClass = new int[0];
        private Kind @Nullable [] kinds;
        private boolean @Nullable [] optional;
        private @Nullable Reachability reachability;
        private int @Nullable [] dirtyKeys;

        private Builder(int transactions, int eventsPerTransaction) {
            if (eventsPerTransaction != 1 && eventsPerTransaction != 2) {
                throw new IllegalArgumentException("eventsPerTransaction is 1 or 2, not " + eventsPerTransaction);
            }
            if (transactions < 0 || transactions > (Integer.MAX_VALUE - 16) / 2 / eventsPerTransaction) {
                throw new IllegalArgumentException("too many transactions for int positions: " + transactions);
            }
            this.transactions = transactions;
            this.eventsPerTransaction = eventsPerTransaction;
        }

        public Builder position(int[] eventToPosition) {
            position = eventToPosition;
            return this;
        }

        public Builder successors(int[] start, int[] target) {
            successorStart = start;
            successor = target;
            return this;
        }

        public Builder predecessors(int[] start, int[] source) {
            predecessorStart = start;
            predecessor = source;
            return this;
        }

        public Builder writers(int[] start, int[] txn, int[] valueClass) {
            writerStart = start;
            writerTxn = txn;
            writerClass = valueClass;
            return this;
        }

        public Builder readers(int[] start, int[] txn, int[] valueClass) {
            readerStart = start;
            readerTxn = txn;
            readerClass = valueClass;
            return this;
        }

        public Builder kinds(Kind @Nullable [] byKey) {
            kinds = byKey;
            return this;
        }

        public Builder optional(boolean @Nullable [] byTransaction) {
            optional = byTransaction;
            return this;
        }

        public Builder reachability(@Nullable Reachability known) {
            reachability = known;
            return this;
        }

        public Builder dirtyKeys(int @Nullable [] keys) {
            dirtyKeys = keys == null ? null : Arrays.copyOf(keys, keys.length);
            return this;
        }

        /** Checks the shapes, in O(1). */
        public Polygraph build() {
            int events = transactions * eventsPerTransaction;
            shape("position", position.length >= events);
            shape("successors", successorStart == null || successorStart.length > events);
            shape("predecessors", predecessorStart == null || predecessorStart.length > events);
            shape(
                    "writers",
                    writerStart.length >= 1
                            && writerTxn.length >= writerStart[writerStart.length - 1]
                            && writerClass.length >= writerStart[writerStart.length - 1]);
            shape(
                    "readers",
                    readerStart.length == writerStart.length
                            && readerTxn.length >= readerStart[readerStart.length - 1]
                            && readerClass.length >= readerStart[readerStart.length - 1]);
            Kind[] known = kinds;
            shape("kinds", known == null || known.length >= writerStart.length - 1);
            boolean[] choices = optional;
            shape("optional", choices == null || choices.length >= transactions);
            return new Polygraph(this);
        }

        private static void shape(String name, boolean holds) {
            if (!holds) {
                throw new IllegalArgumentException("the arrays of " + name + " are too short; see Polygraph's layout");
            }
        }
    }
}
