package org.polygraph.solver.proof;

import java.util.Arrays;

/**
 * Clauses, and whether another follows from them by unit propagation (reverse unit propagation: Goldberg and Novikov,
 * DATE 2003; deletion of clauses as in DRUP: Heule, Hunt, Wetzler, FMCAD 2013). Two watched literals a clause.
 *
 * <p>Between calls only the literals forced by the clauses alone are assigned. They stay assigned when a clause that
 * forced them is deleted, because they follow from clauses that were accepted.
 */
final class UnitPropagator {
    /** A clause in the arena: size (negated when deleted), next clause of its chain, literals. */
    private static final int HEADER = 2;

    private static final int NONE = -1;
    private static final int COMPACT_FROM = 1 << 16;

    private int variables;
    private byte[] values = new byte[0];
    private int[] trail = new int[0];
    private int trailSize;
    private int head;
    private boolean refuted;

    private int[] arena = new int[64];
    private int arenaEnd;
    private int dead;
    private int clauses;
    /** By hash of a clause's literals: the first clause with that hash. */
    private int[] chains = new int[64];

    private int[][] watches = new int[0][];
    private int[] watchSizes = new int[0];

    private int[] sorted = new int[16];
    private int[] lemma = new int[16];
    private int lemmaSize = NONE;

    UnitPropagator() {
        Arrays.fill(chains, NONE);
    }

    void addVariable() {
        int literals = 2 * ++variables;
        if (literals > values.length) {
            int length = (int) Math.min(Integer.MAX_VALUE - 16L, Math.max(32, 2L * literals));
            values = Arrays.copyOf(values, length);
            watches = Arrays.copyOf(watches, length);
            watchSizes = Arrays.copyOf(watchSizes, length);
        }
        trail = grow(trail, variables);
    }

    /** Adds a clause without checking it. */
    void add(int[] literals, int from, int to) {
        int size = normalize(literals, from, to);
        if (size == NONE) {
            return;
        }
        if (++clauses > chains.length) {
            rebuild(2 * chains.length);
        }
        long newEnd = (long) arenaEnd + HEADER + size;
        arena = grow(arena, newEnd);
        int ref = arenaEnd;
        arena[ref] = size;
        System.arraycopy(sorted, 0, arena, ref + HEADER, size);
        arenaEnd = (int) newEnd;
        link(ref);
        attach(ref);
    }

    /** Holds one clause for the next {@link #isImplied}, or until {@link #forgetLemma}. */
    void lemma(int[] literals, int from, int to) {
        lemma = grow(lemma, to - from);
        System.arraycopy(literals, from, lemma, 0, to - from);
        lemmaSize = to - from;
    }

    void forgetLemma() {
        lemmaSize = NONE;
    }

    /** Whether a clause follows by unit propagation from those added and the lemma. */
    boolean isImplied(int[] literals, int from, int to) {
        if (refuted) {
            return true;
        }
        int base = trailSize;
        boolean implied = false;
        for (int i = from; i < to && !implied; i++) {
            if (values[literals[i]] == 0) {
                assign(literals[i] ^ 1);
            } else {
                implied = values[literals[i]] > 0;
            }
        }
        while (!implied) {
            if (!propagate()) {
                implied = true;
            } else if (lemmaSize == NONE) {
                break;
            } else {
                int last = NONE;
                int open = 0;
                for (int i = 0; i < lemmaSize && open < 2; i++) {
                    if (values[lemma[i]] >= 0 && lemma[i] != last) {
                        // A true literal satisfies the clause.
                        open += values[lemma[i]] == 0 ? 1 : 2;
                        last = lemma[i];
                    }
                }
                if (open > 1) {
                    break;
                }
                if (open == 0) {
                    implied = true;
                } else {
                    assign(last);
                }
            }
        }
        while (trailSize > base) {
            int literal = trail[--trailSize];
            values[literal] = 0;
            values[literal ^ 1] = 0;
        }
        head = base;
        return implied;
    }

    /** Deletes one clause of these literals; false when there is none. */
    boolean delete(int[] literals, int from, int to) {
        int size = normalize(literals, from, to);
        if (size == NONE) {
            return true;
        }
        int chain = hash(sorted, 0, size) & (chains.length - 1);
        int before = NONE;
        for (int ref = chains[chain]; ref != NONE; ref = arena[ref + 1]) {
            if (arena[ref] == size && isSorted(ref, size)) {
                if (before == NONE) {
                    chains[chain] = arena[ref + 1];
                } else {
                    arena[before + 1] = arena[ref + 1];
                }
                arena[ref] = -size;
                clauses--;
                dead += HEADER + size;
                if (dead > COMPACT_FROM && dead > arenaEnd / 2) {
                    rebuild(chains.length);
                }
                return true;
            }
            before = ref;
        }
        return false;
    }

    /** Whether a clause has exactly the literals of {@link #sorted}, in any order. */
    private boolean isSorted(int ref, int size) {
        int[] copy = Arrays.copyOfRange(arena, ref + HEADER, ref + HEADER + size);
        Arrays.sort(copy);
        return Arrays.equals(copy, 0, size, sorted, 0, size);
    }

    /** Sorts into {@link #sorted}, each literal once; the number, or NONE when both signs of a variable occur. */
    private int normalize(int[] literals, int from, int to) {
        int size = to - from;
        sorted = grow(sorted, size);
        System.arraycopy(literals, from, sorted, 0, size);
        Arrays.sort(sorted, 0, size);
        int kept = 0;
        for (int i = 0; i < size; i++) {
            if (kept > 0 && sorted[kept - 1] == (sorted[i] ^ 1)) {
                return NONE;
            }
            if (kept == 0 || sorted[kept - 1] != sorted[i]) {
                sorted[kept++] = sorted[i];
            }
        }
        return kept;
    }

    /** Does not depend on the order of the literals. */
    private static int hash(int[] literals, int from, int to) {
        long sum = 0;
        for (int i = from; i < to; i++) {
            long mixed = (literals[i] + 1L) * 0x9E3779B97F4A7C15L;
            sum += mixed ^ mixed >>> 29;
        }
        return (int) ((sum * 0xBF58476D1CE4E5B9L) >>> 32);
    }

    private void link(int ref) {
        int chain = hash(arena, ref + HEADER, ref + HEADER + arena[ref]) & (chains.length - 1);
        arena[ref + 1] = chains[chain];
        chains[chain] = ref;
    }

    /** Drops deleted clauses; links and watches the others again. */
    private void rebuild(int newChains) {
        chains = new int[newChains];
        Arrays.fill(chains, NONE);
        Arrays.fill(watchSizes, 0);
        int to = 0;
        int next;
        int end = arenaEnd;
        for (int ref = 0; ref < end; ref = next) {
            next = ref + HEADER + Math.abs(arena[ref]);
            if (arena[ref] >= 0) {
                System.arraycopy(arena, ref, arena, to, next - ref);
                link(to);
                if (arena[to] >= 2) {
                    watch(to);
                }
                to += next - ref;
            }
        }
        arenaEnd = to;
        dead = 0;
    }

    /** Watches two literals, false ones only if no others are left, and assigns the literal that the clause forces. */
    private void attach(int ref) {
        int size = arena[ref];
        if (refuted || size == 0) {
            refuted = true;
            return;
        }
        watch(ref);
        int first = arena[ref + HEADER];
        if (values[first] < 0) {
            refuted = true;
        } else if (values[first] == 0 && (size == 1 || values[arena[ref + HEADER + 1]] < 0)) {
            assign(first);
            refuted = !propagate();
        }
    }

    private void watch(int ref) {
        int size = arena[ref];
        int first = ref + HEADER;
        for (int slot = 0; slot < Math.min(2, size); slot++) {
            for (int i = slot; i < size; i++) {
                int literal = arena[first + i];
                if (values[literal] >= 0) {
                    arena[first + i] = arena[first + slot];
                    arena[first + slot] = literal;
                    break;
                }
            }
        }
        if (size >= 2) {
            watch(arena[first], ref);
            watch(arena[first + 1], ref);
        }
    }

    private void watch(int literal, int ref) {
        int size = watchSizes[literal]++;
        int[] list = watches[literal];
        if (list == null) {
            list = new int[4];
            watches[literal] = list;
        } else if (size == list.length) {
            list = Arrays.copyOf(list, 2 * size);
            watches[literal] = list;
        }
        list[size] = ref;
    }

    private void assign(int literal) {
        values[literal] = 1;
        values[literal ^ 1] = -1;
        trail[trailSize++] = literal;
    }

    private boolean propagate() {
        while (head < trailSize) {
            if (!visit(trail[head++] ^ 1)) {
                return false;
            }
        }
        return true;
    }

    private boolean visit(int falsified) {
        int[] list = watches[falsified];
        int size = watchSizes[falsified];
        int to = 0;
        for (int from = 0; from < size; from++) {
            int ref = list[from];
            if (arena[ref] < 0) {
                continue;
            }
            int first = ref + HEADER;
            if (arena[first] == falsified) {
                arena[first] = arena[first + 1];
                arena[first + 1] = falsified;
            }
            int other = arena[first];
            int end = first + arena[ref];
            int k = first + 2;
            while (values[other] <= 0 && k < end && values[arena[k]] < 0) {
                k++;
            }
            if (values[other] <= 0 && k < end) {
                int literal = arena[k];
                arena[k] = falsified;
                arena[first + 1] = literal;
                watch(literal, ref);
                continue;
            }
            list[to++] = ref;
            if (values[other] < 0) {
                System.arraycopy(list, from + 1, list, to, size - from - 1);
                watchSizes[falsified] = to + size - from - 1;
                return false;
            }
            if (values[other] == 0) {
                assign(other);
            }
        }
        watchSizes[falsified] = to;
        return true;
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
