package org.polygraph.solver.proof;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The problem that a trace refutes: the arrays of {@code Polygraph}, in the same layout and shared by reference, without
 * the arrays that only help a search (positions, reachability, dirty keys).
 */
public final class ProofProblem {
    /** The class of the value that every key has at first. */
    static final int INITIAL = -1;

    final int transactions;
    final int eventsPerTransaction;
    final int[] successorStart;
    final int[] successor;
    final int[] writerStart;
    final int[] writerTxn;
    final int[] writerClass;
    final int[] readerStart;
    final int[] readerTxn;
    final int[] readerClass;
    final boolean @Nullable [] optional;

    /**
     * Checks every index, in O(input); the checker finds cycles of known edges.
     *
     * @param transactions n
     * @param eventsPerTransaction E, 1 or 2
     * @param successorStart by event, nE + 1: where its known successors start
     * @param successor known successors
     * @param writerStart by key, one more than keys
     * @param writerTxn transaction by writer, at most one entry per (key, transaction)
     * @param writerClass by writer: the key's first writer of an equal value, or -1 for the initial value
     * @param readerStart by key, as long as {@code writerStart}
     * @param readerTxn transaction by reader
     * @param readerClass class of the value read
     * @param optional by transaction, or null: whether its commit is a choice
     * @throws IllegalArgumentException naming the array and index that is wrong
     */
    public ProofProblem(
            int transactions,
            int eventsPerTransaction,
            int[] successorStart,
            int[] successor,
            int[] writerStart,
            int[] writerTxn,
            int[] writerClass,
            int[] readerStart,
            int[] readerTxn,
            int[] readerClass,
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
        this.successorStart = successorStart;
        this.successor = successor;
        this.writerStart = writerStart;
        this.writerTxn = writerTxn;
        this.writerClass = writerClass;
        this.readerStart = readerStart;
        this.readerTxn = readerTxn;
        this.readerClass = readerClass;
        this.optional = optional;
        int events = events();
        require(successorStart.length > events, "successors' length", 0, successorStart.length);
        validateStarts("successorStart", successorStart, events, successor.length);
        for (int i = successorStart[0]; i < successorStart[events]; i++) {
            require(successor[i] >= 0 && successor[i] < events, "successor", i, successor[i]);
        }
        require(writerStart.length >= 1, "writerStart's length", 0, 0);
        require(readerStart.length == writerStart.length, "readerStart's length", 0, readerStart.length);
        validateStarts("writerStart", writerStart, keys(), Math.min(writerTxn.length, writerClass.length));
        validateStarts("readerStart", readerStart, keys(), Math.min(readerTxn.length, readerClass.length));
        validateKeys();
        require(optional == null || optional.length >= transactions, "optional's length", 0, 0);
    }

    private void validateKeys() {
        int[] lastKey = new int[transactions];
        for (int k = 0; k < keys(); k++) {
            for (int w = writerStart[k]; w < writerStart[k + 1]; w++) {
                require(writerTxn[w] >= 0 && writerTxn[w] < transactions, "writerTxn", w, writerTxn[w]);
                require(lastKey[writerTxn[w]] != k + 1, "writerTxn (twice at a key)", w, writerTxn[w]);
                lastKey[writerTxn[w]] = k + 1;
                require(isClass(k, writerClass[w]), "writerClass", w, writerClass[w]);
            }
            for (int r = readerStart[k]; r < readerStart[k + 1]; r++) {
                require(readerTxn[r] >= 0 && readerTxn[r] < transactions, "readerTxn", r, readerTxn[r]);
                require(isClass(k, readerClass[r]), "readerClass", r, readerClass[r]);
            }
        }
    }

    private boolean isClass(int key, int c) {
        return c == INITIAL || (c >= writerStart[key] && c < writerStart[key + 1] && writerClass[c] == c);
    }

    private static void validateStarts(String name, int[] start, int count, int end) {
        require(start[0] >= 0, name, 0, start[0]);
        for (int i = 1; i <= count; i++) {
            require(start[i] >= start[i - 1] && start[i] <= end, name, i, start[i]);
        }
    }

    private static void require(boolean holds, String array, int index, int value) {
        if (!holds) {
            throw new IllegalArgumentException(array + "[" + index + "] = " + value + " is not allowed");
        }
    }

    /** Whether both have the same known edges, in the same order. */
    public boolean hasSameEdges(ProofProblem other) {
        return hasSameLists(events(), successorStart, successor, other.successorStart, other.successor);
    }

    /** Whether both are equal except for known edges. */
    public boolean isOfSameHistory(ProofProblem other) {
        return transactions == other.transactions
                && eventsPerTransaction == other.eventsPerTransaction
                && keys() == other.keys()
                && hasSameLists(keys(), writerStart, writerTxn, other.writerStart, other.writerTxn)
                && hasSameLists(keys(), writerStart, writerClass, other.writerStart, other.writerClass)
                && hasSameLists(keys(), readerStart, readerTxn, other.readerStart, other.readerTxn)
                && hasSameLists(keys(), readerStart, readerClass, other.readerStart, other.readerClass)
                && IntStream.range(0, transactions).allMatch(t -> isOptional(t) == other.isOptional(t));
    }

    private static boolean hasSameLists(int owners, int[] start, int[] list, int[] otherStart, int[] otherList) {
        return Arrays.equals(start, 0, owners + 1, otherStart, 0, owners + 1)
                && Arrays.equals(list, start[0], start[owners], otherList, otherStart[0], otherStart[owners]);
    }

    int events() {
        return transactions * eventsPerTransaction;
    }

    int keys() {
        return writerStart.length - 1;
    }

    int snapshot(int txn) {
        return eventsPerTransaction * txn;
    }

    int commit(int txn) {
        return eventsPerTransaction * txn + eventsPerTransaction - 1;
    }

    boolean isOptional(int txn) {
        return optional != null && optional[txn];
    }

    /** The key whose range in {@code start} holds {@code index}, or -1. O(log keys). */
    int keyOf(int[] start, int index) {
        if (index < start[0] || index >= start[keys()]) {
            return -1;
        }
        int low = 0;
        int high = keys() - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (start[middle] <= index) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }

    /**
     * The same edges in the other direction: starts (one longer than the events) and sources, ascending by target.
     *
     * @throws IllegalArgumentException when a start or target is out of range
     */
    public static int[][] reversed(int events, int[] start, int[] target) {
        require(start.length > events, "starts' length", 0, start.length);
        validateStarts("start", start, events, target.length);
        int[] back = new int[events + 1];
        for (int i = start[0]; i < start[events]; i++) {
            require(target[i] >= 0 && target[i] < events, "target", i, target[i]);
            back[target[i]]++;
        }
        int sum = 0;
        for (int e = 0; e <= events; e++) {
            sum += back[e];
            back[e] = sum;
        }
        int[] source = new int[sum];
        // From the last to the first, so that each list ends up ascending and each start where it belongs.
        for (int e = events - 1; e >= 0; e--) {
            for (int i = start[e]; i < start[e + 1]; i++) {
                source[--back[target[i]]] = e;
            }
        }
        return new int[][] {back, source};
    }
}
