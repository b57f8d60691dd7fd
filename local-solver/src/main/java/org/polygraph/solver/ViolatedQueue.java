package org.polygraph.solver;

import org.polygraph.solver.sat.Budget;

/** A binary heap of items of keys, least rank first; among equals, any but always the same. */
final class ViolatedQueue {
    private static final int STRIDE = 3;

    private final Budget budget;
    private int[] heap = new int[0];
    private int size;

    ViolatedQueue(Budget budget) {
        this.budget = budget;
    }

    boolean isEmpty() {
        return size == 0;
    }

    int size() {
        return size;
    }

    int firstRank() {
        return heap[0];
    }

    int firstKey() {
        return heap[1];
    }

    int firstItem() {
        return heap[2];
    }

    void add(int rank, int key, int item) {
        heap = budget.grow(heap, STRIDE * (size + 1L));
        int at = size++;
        while (at > 0) {
            int parent = (at - 1) >>> 1;
            if (heap[STRIDE * parent] <= rank) {
                break;
            }
            copy(parent, at);
            at = parent;
        }
        put(at, rank, key, item);
    }

    void removeFirst() {
        size--;
        int rank = heap[STRIDE * size];
        int key = heap[STRIDE * size + 1];
        int item = heap[STRIDE * size + 2];
        int at = 0;
        while (2 * at + 1 < size) {
            int child = 2 * at + 1;
            if (child + 1 < size && heap[STRIDE * (child + 1)] < heap[STRIDE * child]) {
                child++;
            }
            if (heap[STRIDE * child] >= rank) {
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
