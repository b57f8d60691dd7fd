package org.polygraph.solver.sat;

/** A stack of ints that grows within a budget. */
public final class IntStack {
    private final SearchBudget budget;
    private int[] array = new int[0];
    private int size;

    public IntStack(SearchBudget budget) {
        this.budget = budget;
    }

    public void push(int value) {
        if (size == array.length) {
            array = budget.grow(array, size + 1L);
        }
        array[size++] = value;
    }

    public int pop() {
        return array[--size];
    }

    public int get(int index) {
        return array[index];
    }

    public void set(int index, int value) {
        array[index] = value;
    }

    public int size() {
        return size;
    }

    public boolean isEmpty() {
        return size == 0;
    }

    /** Keeps the first {@code newSize} entries. */
    public void truncate(int newSize) {
        size = newSize;
    }

    public void clear() {
        size = 0;
    }

    /** The backing array, valid until the next push; entries from {@link #size()} on are undefined. */
    public int[] array() {
        return array;
    }

    /** Gives the memory back. */
    public void free() {
        budget.reserve(-4L * array.length);
        array = new int[0];
        size = 0;
    }
}
