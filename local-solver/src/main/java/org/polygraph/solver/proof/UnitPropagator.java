package org.polygraph.solver.proof;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Clauses, and whether another follows from them by unit propagation (reverse unit propagation: Goldberg and Novikov,
 * DATE 2003; deletion of clauses as in DRUP: Heule, Hunt, Wetzler, FMCAD 2013). Two watched literals a clause.
 *
 * <p>Between calls only the literals forced by the clauses alone are assigned. They stay assigned when a clause that
 * forced them is deleted, because they follow from clauses that were accepted.
 *
 * <p>For {@link Lrat} each clause has a number, and each literal that the clauses alone force is derived as a clause of
 * its own; so a derivation names the clauses that forced its own literals, and these units.
 */
final class UnitPropagator {
    /** A clause in the arena: size (negated when deleted), next clause of its chain, number, literals. */
    private static final int HEADER = 3;

    private static final int NUMBER = 2;

    private static final int NONE = -1;

    /** In place of a clause: the lemma. */
    private static final int LEMMA = -2;

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
    private int lemmaNumber;

    private final @Nullable Lrat lrat;
    /** By variable: the clause that forced it, or NONE. */
    private int[] reasons = new int[0];
    /** By variable that the clauses alone force: the number of the unit clause. */
    private int[] units = new int[0];
    /** By variable: whether it is needed for the derivation of now. */
    private boolean[] needed = new boolean[0];

    private int conflict = NONE;
    private int[] hints = new int[16];
    private int hintCount;
    private int[] steps = new int[16];
    private int[] touched = new int[16];
    private int touchedCount;

    /** @param lrat receives the clauses, if they are to be written */
    UnitPropagator(@Nullable Lrat lrat) {
        this.lrat = lrat;
        Arrays.fill(chains, NONE);
    }

    void addVariable() {
        int literals = 2 * ++variables;
        if (literals > values.length) {
            int length = (int) Math.min(Integer.MAX_VALUE - 16L, Math.max(32, 2L * literals));
            values = Arrays.copyOf(values, length);
            watches = Arrays.copyOf(watches, length);
            watchSizes = Arrays.copyOf(watchSizes, length);
            reasons = Arrays.copyOf(reasons, length / 2);
            units = Arrays.copyOf(units, length / 2);
            needed = Arrays.copyOf(needed, length / 2);
        }
        trail = grow(trail, variables);
    }

    /** Adds a clause of the problem. */
    void axiom(int[] literals, int from, int to) {
        int size = normalize(literals, from, to);
        int number = number(size, literals, from, to);
        if (lrat != null && size == 0 && !refuted) {
            lrat.derived(sorted, 0, new int[] {number}, 1);
        }
        add(size, number);
    }

    /** Returns the number of a clause of the problem; a clause that no order can violate is written as it is. */
    private int number(int size, int[] literals, int from, int to) {
        if (lrat == null) {
            return 0;
        }
        return size == NONE ? lrat.axiom(Arrays.copyOfRange(literals, from, to), to - from) : lrat.axiom(sorted, size);
    }

    /** Adds the clause of {@link #sorted}. */
    private void add(int size, int number) {
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
        arena[ref + NUMBER] = number;
        System.arraycopy(sorted, 0, arena, ref + HEADER, size);
        arenaEnd = (int) newEnd;
        link(ref);
        attach(ref);
    }

    /** Holds one clause of the problem for the next {@link #derive}. */
    void lemma(int[] literals, int from, int to) {
        int size = normalize(literals, from, to);
        lemmaNumber = number(size, literals, from, to);
        lemma = grow(lemma, size);
        lemmaSize = size;
        if (size != NONE) {
            System.arraycopy(sorted, 0, lemma, 0, size);
        }
    }

    /** Adds a clause if it follows by unit propagation from those added and the lemma, which it forgets. */
    boolean derive(int[] literals, int to) {
        if (!isImplied(literals, to)) {
            return false;
        }
        lemmaSize = NONE;
        int size = normalize(literals, 0, to);
        if (!refuted) {
            add(size, lrat == null || size == NONE ? 0 : lrat.derived(sorted, size, hints, hintCount));
        }
        return true;
    }

    private boolean isImplied(int[] literals, int to) {
        if (refuted) {
            return true;
        }
        int base = trailSize;
        hintCount = 0;
        boolean implied = false;
        for (int i = 0; i < to && !implied; i++) {
            if (values[literals[i]] == 0) {
                assign(literals[i] ^ 1, NONE);
            } else if (values[literals[i]] > 0) {
                implied = true;
                hint(units[literals[i] >> 1]);
            }
        }
        while (!implied) {
            if (!propagate()) {
                implied = true;
                explain(literals, to, base);
            } else if (lemmaSize == NONE) {
                break;
            } else {
                int last = NONE;
                int open = 0;
                for (int i = 0; i < lemmaSize && open < 2; i++) {
                    if (values[lemma[i]] >= 0) {
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
                    conflict = LEMMA;
                    explain(literals, to, base);
                } else {
                    assign(last, LEMMA);
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

    // ---------------------------------------------------------------- the clauses that a derivation names

    /** Lists the clauses that lead from the negated literals to the conflict, in the order of propagation. */
    private void explain(int[] literals, int to, int base) {
        if (lrat == null) {
            return;
        }
        touchedCount = 0;
        // The negated literals need no clause, also if the clauses alone force them.
        for (int i = 0; i < to; i++) {
            touch(literals[i] >> 1);
        }
        need(conflict);
        int count = 0;
        for (int i = trailSize - 1; i >= base; i--) {
            int variable = trail[i] >> 1;
            if (needed[variable] && reasons[variable] != NONE) {
                need(reasons[variable]);
                steps = grow(steps, count + 1);
                steps[count++] = numberOf(reasons[variable]);
            }
        }
        while (count > 0) {
            hint(steps[--count]);
        }
        hint(numberOf(conflict));
        for (int i = 0; i < touchedCount; i++) {
            needed[touched[i]] = false;
        }
    }

    /** Needs the other literals of a clause to be false: by its unit clause, which is a hint, or by the trail. */
    private void need(int ref) {
        int[] clause = ref == LEMMA ? lemma : arena;
        int from = ref == LEMMA ? 0 : ref + HEADER;
        int to = from + (ref == LEMMA ? lemmaSize : arena[ref]);
        for (int i = from; i < to; i++) {
            int variable = clause[i] >> 1;
            if (!needed[variable]) {
                touch(variable);
                if (units[variable] != 0) {
                    hint(units[variable]);
                }
            }
        }
    }

    private void touch(int variable) {
        needed[variable] = true;
        touched = grow(touched, touchedCount + 1);
        touched[touchedCount++] = variable;
    }

    private int numberOf(int ref) {
        return ref == LEMMA ? lemmaNumber : arena[ref + NUMBER];
    }

    private void hint(int number) {
        hints = grow(hints, hintCount + 1);
        hints[hintCount++] = number;
    }

    /** Derives a clause of at most one literal from a clause and the units that make its other literals false. */
    private int deriveAlone(int literal, int ref, Lrat to) {
        hintCount = 0;
        for (int i = ref + HEADER; i < ref + HEADER + arena[ref]; i++) {
            if (arena[i] != literal) {
                hint(units[arena[i] >> 1]);
            }
        }
        hint(arena[ref + NUMBER]);
        return to.derived(new int[] {literal}, literal == NONE ? 0 : 1, hints, hintCount);
    }

    /** Deletes one clause of these literals; false when there is none. */
    boolean delete(int[] literals, int to) {
        int size = normalize(literals, 0, to);
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
                if (lrat != null && size > 1 && !refuted) {
                    lrat.deleted(arena[ref + NUMBER]);
                }
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
        int from = trailSize;
        if (values[first] < 0) {
            conflict = ref;
            refuted = true;
        } else if (values[first] == 0 && (size == 1 || values[arena[ref + HEADER + 1]] < 0)) {
            assign(first, ref);
            refuted = !propagate();
        }
        if (lrat != null) {
            for (int i = from; i < trailSize; i++) {
                int reason = reasons[trail[i] >> 1];
                units[trail[i] >> 1] =
                        arena[reason] == 1 ? arena[reason + NUMBER] : deriveAlone(trail[i], reason, lrat);
            }
            if (refuted) {
                deriveAlone(NONE, conflict, lrat);
            }
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

    private void assign(int literal, int reason) {
        values[literal] = 1;
        values[literal ^ 1] = -1;
        reasons[literal >> 1] = reason;
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
                conflict = ref;
                System.arraycopy(list, from + 1, list, to, size - from - 1);
                watchSizes[falsified] = to + size - from - 1;
                return false;
            }
            if (values[other] == 0) {
                assign(other, ref);
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
