package org.polygraph.partitioner.index;

import it.unimi.dsi.fastutil.ints.IntList;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.polygraph.storage.model.StoppedException;

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
 * <p>Linear time. Memory: 12 bytes an operation and 17 a transaction while it works; it keeps a byte a transaction.
 */
final class FoundedTransactions {
    private static final int CHECK_EVERY = 1 << 14;
    private static final int CHECK_KEYS = 1 << 8;
    private static final int NONE = -1;

    private final VersionIndex versions;
    /** The keys that were recorded; no existence of a row is looked at. */
    private final int keys;

    private final byte[] states;
    private final int[] sessionOf;
    private final boolean[] founded;

    /** The writes of transaction t are [writeStarts[t], writeStarts[t + 1]). */
    private final int[] writeStarts;
    /** By write: the slot of its writer, and that of the first writer of its class; NONE for the initial value. */
    private final int[] slots;

    private final int[] heads;
    /** By slot of the first writer of a class: the last read found so far with several candidates; or NONE. */
    private final int[] waitingReads;
    /** By such a read: the one before. */
    private final int[] nextReads;
    /** By transaction: how many reads and session predecessors still lack a founded one. */
    private final int[] lacks;

    private final int[] queue;
    private int queued;

    private FoundedTransactions(VersionIndex versions, byte[] states, int[] sessionOf) {
        this.versions = versions;
        this.keys = versions.rows() == null
                ? versions.keys()
                : Objects.requireNonNull(versions.rows()).keys();
        this.states = states;
        this.sessionOf = sessionOf;
        int writes = versions.writerStarts()[keys];
        writeStarts = new int[states.length + 2];
        slots = new int[writes];
        heads = new int[writes];
        waitingReads = new int[versions.slotStarts().length];
        nextReads = new int[versions.readers()];
        lacks = new int[states.length];
        queue = new int[states.length];
        founded = new boolean[states.length];
        Arrays.fill(waitingReads, NONE);
    }

    /**
     * Finds them.
     *
     * @param versions in which each read of a counted transaction has a candidate
     * @param states {@link CommitStatus} states by transaction; dropped ones are never founded
     * @param uncommitted transactions of unknown outcome with a read that has no candidate
     * @return by transaction, whether it is founded
     * @throws StoppedException if it is to stop
     */
    static boolean[] of(
            VersionIndex versions, byte[] states, int[] sessionOf, IntList uncommitted, BooleanSupplier stop) {
        FoundedTransactions all = new FoundedTransactions(versions, states, sessionOf);
        for (int i = 0; i < uncommitted.size(); i++) {
            all.lacks[uncommitted.getInt(i)]++;
        }
        all.fileWrites();
        all.fileReads(stop);
        all.begin();
        all.run(stop);
        return all.founded;
    }

    private void fileWrites() {
        int[] transactions = versions.writerTransactions();
        int[] classes = versions.writerClasses();
        for (int w = 0; w < slots.length; w++) {
            writeStarts[transactions[w] + 2]++;
        }
        for (int t = 2; t < writeStarts.length; t++) {
            writeStarts[t] += writeStarts[t - 1];
        }
        for (int key = 0; key < keys; key++) {
            int firstSlot = versions.slot(key) + 1 - versions.writerStarts()[key];
            for (int w = versions.writerStarts()[key]; w < versions.writerStarts()[key + 1]; w++) {
                int at = writeStarts[transactions[w] + 1]++;
                slots[at] = firstSlot + w;
                heads[at] = classes[w] == VersionIndex.INITIAL ? NONE : firstSlot + classes[w];
            }
        }
    }

    private void fileReads(BooleanSupplier stop) {
        int[] starts = versions.slotStarts();
        int[] transactions = versions.readerTransactions();
        int[] classes = versions.readerClasses();
        for (int key = 0; key < keys; key++) {
            if (key % CHECK_KEYS == 0) {
                StoppedException.check(stop);
            }
            int firstSlot = versions.slot(key) + 1 - versions.writerStarts()[key];
            int open = versions.ambiguousSlot(key);
            for (int r = starts[versions.slot(key) + 1]; r < starts[open]; r++) {
                lacks[transactions[r]]++;
            }
            for (int r = starts[open]; r < starts[open + 1]; r++) {
                if (classes[r] != VersionIndex.INITIAL) {
                    lacks[transactions[r]]++;
                    nextReads[r] = waitingReads[firstSlot + classes[r]];
                    waitingReads[firstSlot + classes[r]] = r;
                }
            }
        }
    }

    /** Queues the transactions that lack nothing. */
    private void begin() {
        int previous = NONE;
        for (int t = 0; t < states.length; t++) {
            if (previous != NONE && sessionOf[previous] != sessionOf[t]) {
                previous = NONE;
            }
            if (states[t] == CommitStatus.DROPPED) {
                continue;
            }
            lacks[t] += previous == NONE ? 0 : 1;
            if (lacks[t] == 0) {
                queue[queued++] = t;
            }
            previous = states[t] == CommitStatus.COUNTED ? t : previous;
        }
    }

    private void run(BooleanSupplier stop) {
        int[] starts = versions.slotStarts();
        int[] transactions = versions.readerTransactions();
        for (int i = 0; i < queued; i++) {
            if ((i & CHECK_EVERY - 1) == 0) {
                StoppedException.check(stop);
            }
            int t = queue[i];
            founded[t] = true;
            for (int at = writeStarts[t]; at < writeStarts[t + 1]; at++) {
                for (int r = starts[slots[at]]; r < starts[slots[at] + 1]; r++) {
                    isMet(transactions[r]);
                }
                if (heads[at] != NONE) {
                    for (int r = waitingReads[heads[at]]; r != NONE; r = nextReads[r]) {
                        isMet(transactions[r]);
                    }
                    waitingReads[heads[at]] = NONE;
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
}
