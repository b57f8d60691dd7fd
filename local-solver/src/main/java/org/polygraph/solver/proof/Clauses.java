package org.polygraph.solver.proof;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The clauses that a check has admitted, numbered from 0, and whether another follows from some of them: if its literals
 * are false, each clause named forces one more literal, in turn, until one of them is false. This is the check of LRAT
 * (Cruz-Filipe, Heule, Hunt, Kaufmann, Schneider-Kamp, CADE 2017), linear in the sizes of the clauses named.
 */
final class Clauses {
    private static final int DELETED = -1;
    private static final int COMPACT_FROM = 1 << 16;

    private final @Nullable Lrat lrat;
    /** By literal: 1 true, -1 false, 0 open; all open between calls. */
    private byte[] values = new byte[32];

    private int variables;
    private int[] assigned = new int[16];
    private int assignedCount;

    /** By clause: where its size and its literals are, or {@link #DELETED}. */
    private int[] starts = new int[64];

    private int clauses;
    private int[] arena = new int[256];
    private int arenaEnd;
    private int dead;

    /** @param lrat receives the clauses, if they are to be written */
    Clauses(@Nullable Lrat lrat) {
        this.lrat = lrat;
    }

    void addVariable() {
        variables++;
        if (2 * variables > values.length) {
            values = Arrays.copyOf(values, (int) Math.min(Integer.MAX_VALUE - 16L, 4L * variables));
        }
    }

    /** Adds a clause that every order makes true. */
    void axiom(int[] literals, int from, int to) {
        if (lrat != null) {
            lrat.axiom(literals, from, to);
        }
        add(literals, from, to);
    }

    /** Adds a clause, {@code step[from..to)}, if it follows from the clauses {@code step[to..end)}. */
    boolean derive(int[] step, int from, int to, int end) {
        boolean follows = follows(step, from, to, end);
        while (assignedCount > 0) {
            int literal = assigned[--assignedCount];
            values[literal] = 0;
            values[literal ^ 1] = 0;
        }
        if (follows) {
            if (lrat != null) {
                lrat.derived(step, from, to, end);
            }
            add(step, from, to);
        }
        return follows;
    }

    private boolean follows(int[] step, int from, int to, int end) {
        for (int i = from; i < to; i++) {
            if (values[step[i]] > 0) {
                return false;
            }
            assign(step[i] ^ 1);
        }
        for (int i = to; i < end; i++) {
            if (step[i] < 0 || step[i] >= clauses || starts[step[i]] == DELETED) {
                return false;
            }
            int start = starts[step[i]];
            int open = DELETED;
            for (int at = start + 1; at <= start + arena[start]; at++) {
                int literal = arena[at];
                if (values[literal] > 0 || (values[literal] == 0 && open != DELETED && open != literal)) {
                    return false;
                }
                open = values[literal] == 0 ? literal : open;
            }
            if (open == DELETED) {
                return true;
            }
            assign(open);
        }
        return false;
    }

    private void assign(int literal) {
        if (values[literal] == 0) {
            values[literal] = 1;
            values[literal ^ 1] = -1;
            assigned = grow(assigned, assignedCount + 1L);
            assigned[assignedCount++] = literal;
        }
    }

    private void add(int[] literals, int from, int to) {
        starts = grow(starts, clauses + 1L);
        arena = grow(arena, arenaEnd + 1L + to - from);
        starts[clauses++] = arenaEnd;
        arena[arenaEnd] = to - from;
        System.arraycopy(literals, from, arena, arenaEnd + 1, to - from);
        arenaEnd += 1 + to - from;
    }

    /** Deletes a clause; false if there is none of this number. */
    boolean delete(int clause) {
        if (clause < 0 || clause >= clauses || starts[clause] == DELETED) {
            return false;
        }
        if (lrat != null) {
            lrat.deleted(clause);
        }
        dead += 1 + arena[starts[clause]];
        starts[clause] = DELETED;
        if (dead > COMPACT_FROM && dead > arenaEnd / 2) {
            compact();
        }
        return true;
    }

    /** Closes the gaps that deleted clauses left. Clauses are in the order of their numbers. */
    private void compact() {
        arenaEnd = 0;
        for (int clause = 0; clause < clauses; clause++) {
            if (starts[clause] != DELETED) {
                int length = 1 + arena[starts[clause]];
                System.arraycopy(arena, starts[clause], arena, arenaEnd, length);
                starts[clause] = arenaEnd;
                arenaEnd += length;
            }
        }
        dead = 0;
    }

    private static int[] grow(int[] array, long needed) {
        if (needed <= array.length) {
            return array;
        }
        if (needed > Integer.MAX_VALUE - 16) {
            throw new OutOfMemoryError("a proof check needs more than 2^31 entries");
        }
        return Arrays.copyOf(array, (int) Math.min(Integer.MAX_VALUE - 16L, Math.max(needed, 2L * array.length)));
    }
}
