package org.polygraph.solver;

import org.polygraph.solver.sat.SearchBudget;

/** A binary heap of items, ordered by group, then rank. Equal items come in a deterministic order. */
final class ViolatedQueue {
    private static final int STRIDE = 4;

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
        return heap[1];
    }

    int firstKey() {
        return heap[2];
    }

    int firstItem() {
        return heap[3];
    }

    int key(int at) {
        return heap[STRIDE * at + 2];
    }

    int item(int at) {
        return heap[STRIDE * at + 3];
    }

    /** Whether one entry comes before another one. */
    boolean precedes(int at, int other) {
        return isBefore(heap[STRIDE * at], heap[STRIDE * at + 1], other);
    }

    /** Replaces an entry by the last one. The heap is invalid until {@link #restore}. */
    void drop(int at) {
        size--;
        copy(size, at);
    }

    /** Makes a heap of the entries. O(size). */
    void restore() {
        for (int at = size / 2 - 1; at >= 0; at--) {
            sink(at, heap[STRIDE * at], heap[STRIDE * at + 1], heap[STRIDE * at + 2], heap[STRIDE * at + 3]);
        }
    }

    void add(int group, int rank, int key, int item) {
        heap = budget.grow(heap, STRIDE * (size + 1L));
        int at = size++;
        while (at > 0) {
            int parent = (at - 1) >>> 1;
            if (!isBefore(group, rank, parent)) {
                break;
            }
            copy(parent, at);
            at = parent;
        }
        put(at, group, rank, key, item);
    }

    void removeFirst() {
        size--;
        int group = heap[STRIDE * size];
        int rank = heap[STRIDE * size + 1];
        int key = heap[STRIDE * size + 2];
        int item = heap[STRIDE * size + 3];
        sink(0, group, rank, key, item);
    }

    private void sink(int start, int group, int rank, int key, int item) {
        int at = start;
        while (2 * at + 1 < size) {
            int child = 2 * at + 1;
            if (child + 1 < size && isBefore(heap[STRIDE * (child + 1)], heap[STRIDE * (child + 1) + 1], child)) {
                child++;
            }
            if (!isBefore(heap[STRIDE * child], heap[STRIDE * child + 1], group, rank)) {
                break;
            }
            copy(child, at);
            at = child;
        }
        put(at, group, rank, key, item);
    }

    private boolean isBefore(int group, int rank, int at) {
        return isBefore(group, rank, heap[STRIDE * at], heap[STRIDE * at + 1]);
    }

    private static boolean isBefore(int group, int rank, int otherGroup, int otherRank) {
        return group != otherGroup ? group < otherGroup : rank < otherRank;
    }

    private void copy(int from, int to) {
        System.arraycopy(heap, STRIDE * from, heap, STRIDE * to, STRIDE);
    }

    private void put(int at, int group, int rank, int key, int item) {
        heap[STRIDE * at] = group;
        heap[STRIDE * at + 1] = rank;
        heap[STRIDE * at + 2] = key;
        heap[STRIDE * at + 3] = item;
    }
}
