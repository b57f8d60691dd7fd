package org.polygraph.partitioner.index;

import java.util.Arrays;
import java.util.function.BooleanSupplier;
import org.polygraph.storage.model.StoppedException;
import org.polygraph.storage.table.HistorySelection;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.Operations;

/**
 * The transactions that are <em>founded</em>: those whose session predecessors are founded, and each of whose external
 * reads has the initial version or a founded transaction as a candidate writer. That is the least fixpoint.
 *
 * <p>At every level of transactions the writer that a read is given and the counted predecessors in its session precede
 * a transaction in one order. The first counted transaction of that order that is not founded would have a session
 * predecessor or a writer that is not founded and precedes it. So a counted transaction that is not founded violates
 * every such level, and a transaction of unknown outcome that is not founded cannot have committed. If every read has
 * one candidate, the transactions that are not founded are those on a cycle of reads and sessions, or behind one.
 *
 * <p>Linear time. Memory: 24 bytes an operation and 16 a transaction while it works; it keeps a byte a transaction.
 */
final class FoundedTransactions {
    private static final int CHECK_EVERY = 1 << 14;
    private static final int NONE = -1;

    private final HistoryTable table;
    private final int[] starts;
    private final int[] keys;
    private final long[] values;
    private final byte[] roles;
    private final byte[] states;
    private final int[] sessionOf;
    private final boolean[] founded;

    // A hash table of key and value: the slot of one has the first operation that writes it.
    private final int mask;
    private final int[] slotWriters;
    /** By slot: the last operation found so far that reads the value and waits for a founded writer; or NONE. */
    private final int[] waitingReads;
    /** By such an operation: the one before. */
    private final int[] nextReads;
    /** By transaction: how many reads and session predecessors still lack a founded one. */
    private final int[] lacks;

    private final int[] queue;
    private int queued;

    private FoundedTransactions(HistoryTable table, byte[] roles, byte[] states) {
        this.table = table;
        this.starts = table.operationStarts();
        this.keys = table.operationKeys();
        this.values = table.operationValues();
        this.roles = roles;
        this.states = states;
        this.sessionOf = IndexedHistory.sessionOf(table);
        int writes = 0;
        for (int t = 0; t < states.length; t++) {
            for (int o = starts[t]; states[t] != CommitStatus.DROPPED && o < starts[t + 1]; o++) {
                writes += roles[o] == TransactionScan.VISIBLE_WRITE ? 1 : 0;
            }
        }
        int capacity = (int) Math.min(1L << 30, 2L * Integer.highestOneBit(Math.max(8, writes)));
        mask = capacity - 1;
        slotWriters = new int[capacity];
        waitingReads = new int[capacity];
        nextReads = new int[starts[states.length]];
        lacks = new int[states.length];
        queue = new int[states.length];
        founded = new boolean[states.length];
        Arrays.fill(slotWriters, NONE);
        Arrays.fill(waitingReads, NONE);
    }

    /**
     * Finds them.
     *
     * @param roles of each operation, see {@link TransactionScan}
     * @param states {@link CommitStatus} states by transaction; dropped ones are never founded
     * @return by transaction, whether it is founded
     * @throws StoppedException if it is to stop
     */
    static boolean[] of(HistoryTable table, byte[] roles, byte[] states, BooleanSupplier stop) {
        FoundedTransactions all = new FoundedTransactions(table, roles, states);
        all.fileWrites();
        all.fileReads(stop);
        all.run(stop);
        return all.founded;
    }

    private void fileWrites() {
        for (int t = 0; t < states.length; t++) {
            for (int o = starts[t]; states[t] != CommitStatus.DROPPED && o < starts[t + 1]; o++) {
                if (roles[o] == TransactionScan.VISIBLE_WRITE) {
                    int slot = slot(o);
                    slotWriters[slot] = slotWriters[slot] == NONE ? o : slotWriters[slot];
                }
            }
        }
    }

    private void fileReads(BooleanSupplier stop) {
        int previous = NONE;
        for (int t = 0; t < states.length; t++) {
            if ((t & CHECK_EVERY - 1) == 0) {
                StoppedException.check(stop);
            }
            if (previous != NONE && sessionOf[previous] != sessionOf[t]) {
                previous = NONE;
            }
            if (states[t] == CommitStatus.DROPPED) {
                continue;
            }
            lacks[t] = previous == NONE ? 0 : 1;
            for (int o = starts[t]; o < starts[t + 1]; o++) {
                if (roles[o] == TransactionScan.EXTERNAL_READ
                        && values[o] != table.initialValue(Operations.key(keys[o]))) {
                    int slot = slot(o);
                    lacks[t]++;
                    if (slotWriters[slot] != NONE) {
                        nextReads[o] = waitingReads[slot];
                        waitingReads[slot] = o;
                    }
                }
            }
            if (lacks[t] == 0) {
                queue[queued++] = t;
            }
            previous = states[t] == CommitStatus.COUNTED ? t : previous;
        }
    }

    private void run(BooleanSupplier stop) {
        for (int i = 0; i < queued; i++) {
            if ((i & CHECK_EVERY - 1) == 0) {
                StoppedException.check(stop);
            }
            int t = queue[i];
            founded[t] = true;
            for (int o = starts[t]; o < starts[t + 1]; o++) {
                if (roles[o] == TransactionScan.VISIBLE_WRITE) {
                    int slot = slot(o);
                    for (int r = waitingReads[slot]; r != NONE; r = nextReads[r]) {
                        isMet(transactionOf(r));
                    }
                    waitingReads[slot] = NONE;
                }
            }
            boolean isNext = states[t] == CommitStatus.COUNTED;
            for (int u = t + 1; isNext && u < states.length && sessionOf[u] == sessionOf[t]; u++) {
                if (states[u] != CommitStatus.DROPPED) {
                    isMet(u);
                }
                isNext = states[u] != CommitStatus.COUNTED;
            }
        }
    }

    private void isMet(int transaction) {
        if (--lacks[transaction] == 0) {
            queue[queued++] = transaction;
        }
    }

    private int transactionOf(int operation) {
        return HistorySelection.transactionOf(table, operation);
    }

    /** The slot of the key and value of an operation, or the empty one where they belong. */
    private int slot(int operation) {
        int key = Operations.key(keys[operation]);
        long value = values[operation];
        long hash = (value + key * 0x9E3779B97F4A7C15L) * 0xBF58476D1CE4E5B9L;
        int slot = (int) (hash >>> 32) & mask;
        while (slotWriters[slot] != NONE
                && (Operations.key(keys[slotWriters[slot]]) != key || values[slotWriters[slot]] != value)) {
            slot = slot + 1 & mask;
        }
        return slot;
    }
}
