package org.polygraph.storage.generate;

import java.util.Arrays;
import org.polygraph.storage.table.Operations;

/**
 * The multi-version store, for one slice of the keys (those that are {@code slice} modulo {@code slices}). It finds
 * what each read returns, and under SI which writes lose. Operations come in ascending order of transactions. The
 * events, a snapshot and a commit for each transaction, are sorted by time in batches, because nothing happens before a
 * transaction's slot.
 *
 * <p>Rule: a read returns its transaction's own write of the key before it, else the last version committed before its
 * snapshot. If another version of a key was committed between the snapshot and the commit of a transaction, its writes
 * of that key lose and become reads: first committer wins, key by key, and nothing aborts. Thus keys are independent,
 * and of two writers of a key one's commit comes before the other's snapshot. Under SER both events are one instant,
 * and no write loses. Under PC and RC no write loses either, and under RC later operations see the store at the commit.
 *
 * <p>Memory: 8 bytes a key of the slice, 60 an operation of a batch (as many transactions as there are sessions, at
 * least {@value #LEAST_BATCH}). Time: one sort of two events a transaction and one look-up of the key's version an
 * operation.
 */
public final class SimulatedStore {
    /** Receives what was found, in any order. */
    @FunctionalInterface
    public interface Sink {
        /**
         * Receives an operation that is a read, either as planned or because its write lost; or a write that inserts or
         * deletes.
         *
         * @param write whose value it returns, see {@link TransactionPlan#write}; 0 for the initial one and for no row;
         *     {@link #INSERTED} or {@link #DELETED}
         */
        void read(long transaction, int operation, long write);
    }

    /** Stands for a write that inserts a row. */
    static final long INSERTED = -2;

    /** Stands for a write that deletes a row. */
    static final long DELETED = -3;

    private static final int LEAST_BATCH = 1 << 12;
    /** An event is (time since the batch's first slot) << 20 | pending transaction << 1 | commit. */
    private static final int PENDING_BITS = 20;

    private static final long LONGEST_BATCH = 1L << 42;

    private final TransactionPlan plan;
    private final int slices;
    private final Sink sink;
    /** By key of the slice: its last committed write, negative if that is a delete. */
    private final long[] versions;

    private final int batch;
    private int pending;
    private final long[] transactions;
    private final long[] commits;
    private final boolean[] snapped;
    private final int[] starts;

    private int operations;
    private int[] numbers = new int[1 << 12];
    /** By operation: {@code (key of the slice << 1) | write}. */
    private int[] keys = new int[1 << 12];

    private long[] seen = new long[1 << 12];
    /** By operation of the committing transaction, if there are rows: the version that it leaves, or 0 for a read. */
    private long[] left = new long[0];

    private long[] events = new long[1 << 12];

    /** @param slice from 0 to slices - 1 */
    public SimulatedStore(TransactionPlan plan, int slices, int slice, Sink sink) {
        this.plan = plan;
        this.slices = slices;
        this.sink = sink;
        int all = plan.workload().keys();
        versions = new long[slice < all ? (all - 1 - slice) / slices + 1 : 0];
        // Transactions that are still open are kept for the next batch: at most one a session.
        batch = Math.max(LEAST_BATCH, 4 * plan.sessions());
        transactions = new long[batch];
        commits = new long[batch];
        snapped = new boolean[batch];
        starts = new int[batch + 1];
    }

    /** Returns the bytes that a store of the given number of keys holds beside its batch. */
    public static long bytes(long keys) {
        return Long.BYTES * keys;
    }

    /**
     * Adds the next operation that is not scripted.
     *
     * @param transaction not below the one before
     * @param operation above the one before within the transaction
     */
    public void add(long transaction, int operation, int key, boolean write) {
        if (pending == 0 || transactions[pending - 1] != transaction) {
            open(transaction);
        }
        if (operations == numbers.length) {
            int capacity = operations * 2;
            numbers = Arrays.copyOf(numbers, capacity);
            keys = Arrays.copyOf(keys, capacity);
            seen = Arrays.copyOf(seen, capacity);
        }
        numbers[operations] = operation;
        keys[operations] = key / slices << 1 | (write ? 1 : 0);
        starts[pending] = ++operations;
    }

    private void open(long transaction) {
        long now = plan.slotStart(transaction);
        if (pending == batch || (pending > 0 && now - plan.slotStart(transactions[0]) > LONGEST_BATCH)) {
            advance(now);
        }
        transactions[pending] = transaction;
        commits[pending] = plan.commit(transaction);
        snapped[pending] = false;
        starts[++pending] = operations;
    }

    /** Is called after the last operation. */
    public void finish() {
        advance(Long.MAX_VALUE);
    }

    /** Processes all events before an instant, and removes the transactions that have ended. */
    private void advance(long until) {
        if (pending == 0) {
            return;
        }
        long zero = plan.slotStart(transactions[0]);
        int count = 0;
        if (events.length < 2 * pending) {
            events = new long[2 * batch];
        }
        for (int p = 0; p < pending; p++) {
            if (!snapped[p]) {
                long snapshot = plan.snapshot(transactions[p], commits[p]);
                if (snapshot < until) {
                    events[count++] = (snapshot - zero) << PENDING_BITS | (long) p << 1;
                }
            }
            if (commits[p] < until) {
                events[count++] = (commits[p] - zero) << PENDING_BITS | (long) p << 1 | 1;
            }
        }
        Arrays.sort(events, 0, count);
        for (int e = 0; e < count; e++) {
            int p = (int) (events[e] & ((1 << PENDING_BITS) - 1)) >> 1;
            if ((events[e] & 1) == 0) {
                snapshot(p);
            } else {
                commit(p);
            }
        }
        keepOpen(until);
    }

    private int key(int o) {
        return Operations.key(keys[o]);
    }

    private boolean isWrite(int o) {
        return Operations.isWrite(keys[o]);
    }

    private void snapshot(int p) {
        snapped[p] = true;
        for (int o = starts[p]; o < starts[p + 1]; o++) {
            seen[o] = versions[key(o)];
        }
    }

    private void commit(int p) {
        for (int o = starts[p]; o < starts[p + 1]; o++) {
            if (plan.seesCommit(transactions[p], numbers[o])) {
                seen[o] = versions[key(o)];
            }
        }
        if (plan.hasRows()) {
            commitRows(p);
            return;
        }
        long transaction = transactions[p];
        boolean effect = plan.takesEffect(transaction);
        for (int o = starts[p]; o < starts[p + 1]; o++) {
            if (!isWrite(o) || loses(o, effect)) {
                sink.read(transaction, numbers[o], version(p, o, effect));
            }
        }
        if (effect) {
            for (int o = starts[p]; o < starts[p + 1]; o++) {
                if (isWrite(o)) {
                    // The writes of a key win or lose together, and those before this one have changed its version.
                    int own = own(p, o);
                    long expected = own < 0 ? seen[o] : plan.write(transaction, numbers[own]);
                    if (versions[key(o)] == expected || plan.mayOverlap()) {
                        versions[key(o)] = plan.write(transaction, numbers[o]);
                    }
                }
            }
        }
    }

    /** Commits if there are inserts and deletes: the effect of a write depends on whether the row exists. */
    private void commitRows(int p) {
        long transaction = transactions[p];
        boolean effect = plan.takesEffect(transaction);
        if (left.length < operations) {
            left = new long[numbers.length];
        }
        for (int o = starts[p]; o < starts[p + 1]; o++) {
            boolean loses = loses(o, effect);
            int own = ownLeft(p, o);
            long before = own < 0 || loses ? seen[o] : left[own];
            left[o] = !isWrite(o) || loses ? 0 : changed(transaction, numbers[o], before);
            if (left[o] == 0) {
                sink.read(transaction, numbers[o], Math.max(0, before));
            } else if (left[o] < 0 || plan.inserts(transaction, numbers[o])) {
                sink.read(transaction, numbers[o], left[o] < 0 ? DELETED : INSERTED);
            }
        }
        for (int o = starts[p]; effect && o < starts[p + 1]; o++) {
            if (left[o] != 0) {
                versions[key(o)] = left[o];
            }
        }
    }

    /** Returns the version that a write leaves. It is 0 if a delete finds no row, or an insert finds one. */
    private long changed(long transaction, int operation, long before) {
        long write = plan.write(transaction, operation);
        boolean exists = before > 0;
        return plan.deletes(transaction, operation)
                ? exists ? -write : 0
                : plan.inserts(transaction, operation) && exists ? 0 : write;
    }

    /** Returns the last operation before o in its transaction that has changed the key, or -1. */
    private int ownLeft(int p, int o) {
        for (int before = o - 1; before >= starts[p]; before--) {
            if (key(before) == key(o) && left[before] != 0) {
                return before;
            }
        }
        return -1;
    }

    /**
     * Whether another transaction has committed the key since this transaction's snapshot, before anything is applied.
     */
    private boolean loses(int o, boolean effect) {
        return effect && !plan.mayOverlap() && versions[key(o)] != seen[o];
    }

    /** Returns the write that operation o reads. */
    private long version(int p, int o, boolean effect) {
        int own = own(p, o);
        return own < 0 || loses(o, effect) ? seen[o] : plan.write(transactions[p], numbers[own]);
    }

    /** Returns the last write of the same key before o in its transaction, or -1. */
    private int own(int p, int o) {
        int write = keys[o] | 1;
        for (int before = o - 1; before >= starts[p]; before--) {
            if (keys[before] == write) {
                return before;
            }
        }
        return -1;
    }

    private void keepOpen(long until) {
        int kept = 0;
        int keptOperations = 0;
        for (int p = 0; p < pending; p++) {
            if (commits[p] < until) {
                continue;
            }
            int from = starts[p];
            int count = starts[p + 1] - from;
            transactions[kept] = transactions[p];
            commits[kept] = commits[p];
            snapped[kept] = snapped[p];
            System.arraycopy(numbers, from, numbers, keptOperations, count);
            System.arraycopy(keys, from, keys, keptOperations, count);
            System.arraycopy(seen, from, seen, keptOperations, count);
            keptOperations += count;
            starts[++kept] = keptOperations;
        }
        // A move never overwrites what is still to be moved: starts[kept] <= starts[p + 1] was read before.
        pending = kept;
        operations = keptOperations;
    }
}
