package org.polygraph.solver.sat;

/**
 * All clauses in one int array; a clause is the index (ref) of its header. Layout: size, 2 * lbd + learnt, id,
 * literals; the first two literals are watched. A ref changes only in {@link #compact}.
 */
final class ClauseArena {
    static final int NO_CLAUSE = -1;
    private static final int HEADER = 3;
    /** Flag value of a clause that {@link #compact} drops. */
    private static final int DELETED = -1;

    private final SearchBudget budget;
    private int[] data = new int[0];
    private int end;

    ClauseArena(SearchBudget budget) {
        this.budget = budget;
    }

    int add(IntStack literals, int lbd, boolean learnt, int id) {
        int size = literals.size();
        long newEnd = (long) end + HEADER + size;
        data = budget.grow(data, newEnd);
        int ref = end;
        data[ref] = size;
        data[ref + 1] = lbd << 1 | (learnt ? 1 : 0);
        data[ref + 2] = id;
        System.arraycopy(literals.array(), 0, data, ref + HEADER, size);
        end = (int) newEnd;
        return ref;
    }

    /** The backing array, valid until the next {@link #add}; literals of ref start at {@link #first}. */
    int[] data() {
        return data;
    }

    static int first(int ref) {
        return ref + HEADER;
    }

    int size(int ref) {
        return data[ref];
    }

    int literal(int ref, int index) {
        return data[ref + HEADER + index];
    }

    void swap(int ref, int i, int j) {
        int a = data[ref + HEADER + i];
        data[ref + HEADER + i] = data[ref + HEADER + j];
        data[ref + HEADER + j] = a;
    }

    int id(int ref) {
        return data[ref + 2];
    }

    int lbd(int ref) {
        return data[ref + 1] >> 1;
    }

    void delete(int ref) {
        data[ref + 1] = DELETED;
    }

    boolean isDeleted(int ref) {
        return data[ref + 1] == DELETED;
    }

    int end() {
        return end;
    }

    /** The ref after {@code ref} in arena order; {@link #end()} after the last. */
    int after(int ref) {
        return ref + HEADER + data[ref];
    }

    /** Drops deleted clauses; pushes each survivor's old ref and new ref, both ascending. */
    void compact(IntStack oldRefs, IntStack newRefs) {
        int to = 0;
        int ref = 0;
        while (ref < end) {
            int next = after(ref);
            if (!isDeleted(ref)) {
                oldRefs.push(ref);
                newRefs.push(to);
                System.arraycopy(data, ref, data, to, next - ref);
                to += next - ref;
            }
            ref = next;
        }
        end = to;
    }
}
