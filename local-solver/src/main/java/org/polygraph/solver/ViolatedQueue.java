package org.polygraph.solver;

import org.polygraph.solver.sat.SearchBudget;

/** A binary heap of items by rank. Equal ranks come in a deterministic order. */
final class ViolatedQueue {
    /** Rank, key, item. */
    private static final int STRIDE = 3;

    private final SearchBudget budget;
    private int[] heap = new int[0];
    private int size;

    ViolatedQueue(SearchBudget budget) {
        this.budget = budget;
    }

    boolean isEmpty() {
        return size == 0;
    }

    int size() {
        return size;
    }

    int firstRank() {
        return rank(0);
    }

    int firstKey() {
        return key(0);
    }

    int firstItem() {
        return item(0);
    }

    private int rank(int at) {
        return heap[STRIDE * at];
    }

    private int key(int at) {
        return heap[STRIDE * at + 1];
    }

    private int item(int at) {
        return heap[STRIDE * at + 2];
    }

    void add(int rank, int key, int item) {
        heap = budget.grow(heap, STRIDE * (size + 1L));
        int at = size++;
        while (at > 0) {
            int parent = (at - 1) >>> 1;
            if (rank >= rank(parent)) {
                break;
            }
            copy(parent, at);
            at = parent;
        }
        put(at, rank, key, item);
    }

    void removeFirst() {
        size--;
        sink(0, rank(size), key(size), item(size));
    }

    private void sink(int start, int rank, int key, int item) {
        int at = start;
        while (2 * at + 1 < size) {
            int child = 2 * at + 1;
            if (child + 1 < size && rank(child + 1) < rank(child)) {
                child++;
            }
            if (rank(child) >= rank) {
                break;
            }
            copy(child, at);
            at = child;
        }
        put(at, rank, key, item);
    }

    private void copy(int from, int to) {
        System.arraycopy(heap, STRIDE * from, heap, STRIDE * to, STRIDE);
    }

    private void put(int at, int rank, int key, int item) {
        heap[STRIDE * at] = rank;
        heap[STRIDE * at + 1] = key;
        heap[STRIDE * at + 2] = item;
    }
}
