package org.polygraph.solver.sat;

/** Per literal the clauses that watch it, each with a blocker: another literal of the clause, often true already. */
final class Watches {
    private static final int[] EMPTY = new int[0];
    /** The bytes of the header of an int[]. */
    private static final int HEADER = 16;
    /** The bytes of a slot of the table, while the heap is below 32 GB. */
    private static final int REFERENCE = 4;

    private final SearchBudget budget;
    private int[][] lists = new int[0][];
    private int[] sizes = new int[0];
    private int literals;

    Watches(SearchBudget budget) {
        this.budget = budget;
    }

    void addVariable() {
        literals += 2;
        if (literals > lists.length) {
            int length = (int) Math.min(Integer.MAX_VALUE - 16, Math.max(64, 2L * lists.length));
            budget.reserve((long) REFERENCE * (length - lists.length));
            int old = lists.length;
            lists = java.util.Arrays.copyOf(lists, length);
            java.util.Arrays.fill(lists, old, length, EMPTY);
            sizes = budget.grow(sizes, length);
        }
    }

    /** Pairs (clause, blocker) of {@code literal}; valid until it gets another watch. */
    int[] list(int literal) {
        return lists[literal];
    }

    /** Ints in use of {@link #list}. */
    int size(int literal) {
        return sizes[literal];
    }

    void truncate(int literal, int size) {
        sizes[literal] = size;
    }

    void watch(int literal, int ref, int blocker) {
        int size = sizes[literal];
        int[] list = lists[literal];
        if (size + 2 > list.length) {
            int length = Math.max(4, 2 * list.length);
            budget.reserve(4L * (length - list.length) + (list.length == 0 ? HEADER : 0));
            list = java.util.Arrays.copyOf(list, length);
            lists[literal] = list;
        }
        list[size] = ref;
        list[size + 1] = blocker;
        sizes[literal] = size + 2;
    }

    void clear() {
        java.util.Arrays.fill(sizes, 0, literals, 0);
    }
}
