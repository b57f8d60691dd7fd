package org.polygraph.solver;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.solver.proof.EdgeLists;
import org.polygraph.solver.proof.KeyKind;
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
 *   <li><b>known edges</b> CSR by event: predecessors of e are
 *       {@code predecessor[predecessorStart[e]..predecessorStart[e+1])}. Sessions, decided reads and forced edges; for
 *       E = 2 also b(t) -> c(t).
 *   <li><b>writers</b> CSR by key: {@code writerTxn[w]}, one entry per (key, transaction) with a visible write;
 *       {@code writerClass[w]}: the index of the key's first writer of an equal value, or {@link #INITIAL} when the
 *       value equals the key's initial one.
 *   <li><b>readers</b> CSR by key: {@code readerTxn[r]}, one entry per (key, transaction) with an external read;
 *       {@code readerClass[r]}: class of the value read.
 *   <li><b>kinds</b> by key, or null if all are {@link KeyKind#PLAIN}: what the order of a key's writers must obey with E
 *       = 2. With E = 1 kinds change nothing.
 *   <li><b>optional</b> by transaction, or null for none: its commit is a choice. Without its commit its writes do not
 *       exist and its reads are not constrained; it must have no known edges that hold only if it committed.
 *   <li><b>chains</b> by transaction, or null if they are not known: transactions of one chain are neighbours, each
 *       before the next in every order; later transactions than these are in no chain. The writers of a key ascend.
 *   <li><b>dirtyKeys</b> keys that {@code position} may violate with no optional transaction committed; null = all.
 * </ul>
 *
 * <p>An order explains a read r of key x if the last counted writer c(W) of x before the read, other than r's own
 * transaction, has r's class, or, if there is none, r's class is {@link #INITIAL}. The read happens at b(r), or at c(r)
 * if it reads whether a row exists (ROW_UNBORN, ROW_BORN). With E = 2 also c(W) before b(W') or c(W') before b(W) for
 * any two counted writers of a plain key. A transaction counts if it committed or is not optional.
 *
 * <p>A row that is inserted and deleted has two keys of the same writers, see {@link KeyKind}: one for its values, and one
 * for whether the row exists. Only this one orders its writers with E = 2: if the last counted writer c(W) before c(W')
 * left a row, then c(W) is before b(W').
 */
public final class Polygraph {
    /** The class of the initial value of every key. */
    public static final int INITIAL = -1;

    final int transactions;
    final int eventsPerTransaction;
    final int[] position;
    final int[] predecessorStart;
    final int[] predecessor;
    final int[] writerStart;
    final int[] writerTxn;
    final int[] writerClass;
    final int[] readerStart;
    final int[] readerTxn;
    final int[] readerClass;
    private final KeyKind @Nullable [] kinds;
    final boolean @Nullable [] optional;
    final @Nullable Reachability reachability;
    final int @Nullable [] chains;
    final int @Nullable [] dirtyKeys;
    final @Nullable SumItems sums;

    private Polygraph(Builder b) {
        transactions = b.transactions;
        eventsPerTransaction = b.eventsPerTransaction;
        position = b.position;
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
        chains = b.chains;
        dirtyKeys = b.dirtyKeys;
        sums = b.sums;
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
        return kinds != null && kinds[key].readsAtCommit();
    }

    /** The event of writer T of a key that must come after c(W) for T to be a later version than W. */
    int overwrites(int key, int txn) {
        return kinds == null || kinds[key] == KeyKind.PLAIN ? snapshot(txn) : commit(txn);
    }

    /** Whether a writer of this class must have committed before the snapshot of the writer that overwrites it. */
    boolean bindsNext(int key, int valueClass) {
        return eventsPerTransaction == 2 && (kinds == null || kinds[key].bindsNext(valueClass == INITIAL));
    }

    int transaction(int event) {
        return event / eventsPerTransaction;
    }

    /**
     * The same problem as {@code proof}'s checker reads it; all arrays but those of the edges are shared. O(input).
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
                kinds,
                optional);
    }

    /** The size of the problem. */
    ProofShape shape() {
        return new ProofShape(transactions, eventsPerTransaction, keys(), readerStart[keys()], writerStart[keys()]);
    }

    /** The known edges by source. O(input). */
    EdgeLists successors() {
        return new EdgeLists(predecessorStart, predecessor).reversed(events());
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

    /** Collects the arrays; see {@link Polygraph} for their layout. */
    public static final class Builder {
        private static final int[] NO_KEYS = {0};

        private final int transactions;
        private final int eventsPerTransaction;
        private int[] position = new int[0];
        private int[] predecessorStart = new int[0];
        private int[] predecessor = new int[0];
        private int[] writerStart = NO_KEYS;
        private int[] writerTxn = new int[0];
        private int[] writerClass = new int[0];
        private int[] readerStart = NO_KEYS;
        private int[] readerTxn = new int[0];
        private int[] readerClass = new int[0];
        private KeyKind @Nullable [] kinds;
        private boolean @Nullable [] optional;
        private @Nullable Reachability reachability;
        private int @Nullable [] chains;
        private int @Nullable [] dirtyKeys;
        private @Nullable SumItems sums;

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

        public Builder kinds(KeyKind @Nullable [] byKey) {
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

        public Builder chains(int @Nullable [] byTransaction) {
            chains = byTransaction;
            return this;
        }

        /** Keys whose values are sums. A refutation then has no proof. */
        public Builder sums(@Nullable SumItems items) {
            sums = items;
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
            shape("predecessors", predecessorStart.length > events && predecessor.length >= predecessorStart[events]);
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
            KeyKind[] known = kinds;
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
