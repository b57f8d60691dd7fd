package org.polygraph.solver.sat;

import org.jspecify.annotations.Nullable;

/**
 * Conflict-driven clause learning (as in MiniSat: Een and Sorensson, SAT 2003) under a {@link Theory}.
 *
 * <p>States: <i>open</i> (clauses and variables may be added, {@link #solve} called), <i>refuted</i> ({@link
 * #isRefuted}: nothing changes any more). {@link #addClause} is legal in every open state, including inside {@link
 * Theory#next} with decisions present and propagation pending. A call that throws {@link BudgetExhausted} leaves the
 * search unusable.
 *
 * <p>Invariants. (1) Levels never descend along the trail. (2) With nothing pending no clause is false: when both
 * watched literals of a clause are false, one of them still waits in the queue. A clause may be unit without being
 * propagated (its last literal watched, the other watch false at a lower level), which costs a later conflict but no
 * answer.
 */
public final class Search {
    private final SearchBudget budget;
    private final Theory theory;
    private final @Nullable ProofSink proof;
    private final Settings settings;
    private final Trail trail;
    private final ClauseArena arena;
    private final Watches watches;
    private final ConflictAnalysis analysis;
    private final Derivations derivations;

    /** Trail indexes up to which clauses and theory have seen the literals. */
    private int propagated;

    private int assignedInTheory;
    private boolean refuted;
    private boolean lastConflictFromTheory;

    /** The current conflict, all literals false; its clause (or {@code NO_CLAUSE}); the clauses it was derived from. */
    private final IntStack conflict;

    private final ConflictLevels conflictLevels;

    private int conflictRef = ClauseArena.NO_CLAUSE;
    private final IntStack parents;
    /** By variable that is fixed at level 0: one more than the id of a clause of its literal alone; 0: not derived. */
    private int[] fixedBy = new int[0];

    private final IntStack fixed;
    private final IntStack fixing;
    private final IntStack fixingParents;
    private final IntStack explanation;
    private final IntStack kept;
    /** Clauses of one literal whose literal is not yet fixed at level 0. */
    private final IntStack units;

    private final IntStack learnts;
    private int reduceAt;

    private long decisions;
    private long conflicts;

    /**
     * The parameters of a search.
     *
     * @param longJump backjumps over more levels than this keep the levels and assign late instead
     * @param maxLate with this many late literals, no backjump keeps levels
     * @param reduceInterval learnt clauses before the first reduction; 0 keeps all
     */
    public record Settings(int longJump, int maxLate, int reduceInterval) {}

    /** A search without variables and clauses, which reports every derivation to {@code proof} unless it is null. */
    public Search(Theory theory, SearchBudget budget, Settings settings, @Nullable ProofSink proof) {
        this.theory = theory;
        this.proof = proof;
        this.budget = budget;
        this.settings = settings;
        trail = new Trail(budget);
        arena = new ClauseArena(budget);
        watches = new Watches(budget);
        analysis = new ConflictAnalysis(budget, trail, arena);
        derivations = new Derivations(budget);
        conflict = new IntStack(budget);
        conflictLevels = new ConflictLevels(conflict, trail);
        parents = new IntStack(budget);
        fixed = new IntStack(budget);
        fixing = new IntStack(budget);
        fixingParents = new IntStack(budget);
        explanation = new IntStack(budget);
        kept = new IntStack(budget);
        units = new IntStack(budget);
        learnts = new IntStack(budget);
        reduceAt = settings.reduceInterval() == 0 ? Integer.MAX_VALUE : settings.reduceInterval();
    }

    /** A new unassigned variable; variables count up from 0. */
    public int addVariable() {
        watches.addVariable();
        return trail.addVariable();
    }

    public int variables() {
        return trail.variables();
    }

    /** Positive when the literal is true, negative when false, 0 when unassigned. */
    public int value(int literal) {
        return trail.value(literal);
    }

    /** The number of present decisions. */
    public int level() {
        return trail.level();
    }

    /** Whether the clauses have no model; final. */
    public boolean isRefuted() {
        return refuted;
    }

    /** Whether a true literal is not yet propagated. */
    public boolean isPending() {
        return refuted || propagated < trail.size() || assignedInTheory < trail.size();
    }

    /**
     * Adds a clause that holds in every model, or defines a fresh variable. Propagates nothing yet, but if the clause
     * is false resolves that conflict at once (backjumping), and if it is unit makes its literal true.
     *
     * @param literals of distinct existing variables; unchanged
     * @param tag not negative: returned by {@link #core} when the refutation uses this clause; or -1
     */
    public void addClause(IntStack literals, int tag) {
        if (!refuted) {
            insert(literals, derivations.given(tag));
        }
    }

    /** Searches: true if there is a model, which the theory found complete; false if the clauses are refuted. */
    public boolean solve() {
        while (!refuted) {
            budget.tick();
            if (!propagate()) {
                resolve();
                continue;
            }
            if (learnts.size() >= reduceAt) {
                new ClauseReduction(trail, arena, watches, budget, proof).reduce(learnts, units);
                reduceAt = (int) Math.min(Integer.MAX_VALUE, learnts.size() + (long) settings.reduceInterval());
            }
            int literal = theory.next(this);
            if (literal == Theory.COMPLETE) {
                if (isPending()) {
                    throw new IllegalStateException("the theory called a state complete that awaits propagation");
                }
                return true;
            }
            if (literal != Theory.AGAIN) {
                if (trail.value(literal) != Trail.UNASSIGNED || isPending()) {
                    throw new IllegalStateException("decision on an assigned literal or a pending state: " + literal);
                }
                decisions++;
                trail.openLevel();
                trail.assign(literal, ClauseArena.NO_CLAUSE, trail.level());
            }
        }
        return false;
    }

    /** Pushes the tags of the clauses from which the refutation follows, each once. */
    public void core(IntStack out) {
        if (!refuted) {
            throw new IllegalStateException("core() before the search was refuted");
        }
        derivations.collectTags(parents, out);
    }

    /** Whether the conflict that refuted was the theory's. */
    public boolean lastConflictFromTheory() {
        return lastConflictFromTheory;
    }

    // ---------------------------------------------------------------- propagation

    private boolean propagate() {
        while (true) {
            while (propagated < trail.size()) {
                if (!visit(trail.literal(propagated) ^ 1)) {
                    return false;
                }
                propagated++;
                budget.tick();
            }
            if (assignedInTheory == trail.size()) {
                return true;
            }
            int literal = trail.literal(assignedInTheory);
            explanation.clear();
            if (!theory.assign(literal, explanation)) {
                conflict.clear();
                conflict.push(literal ^ 1);
                for (int i = 0; i < explanation.size(); i++) {
                    conflict.push(explanation.get(i) ^ 1);
                }
                parents.clear();
                parents.push(derivations.given(Derivations.UNTAGGED));
                conflictRef = ClauseArena.NO_CLAUSE;
                lastConflictFromTheory = true;
                return false;
            }
            assignedInTheory++;
        }
    }

    /** Visits the clauses that watch {@code falsified}; false when one of them is false (it becomes the conflict). */
    private boolean visit(int falsified) {
        int[] list = watches.list(falsified);
        int size = watches.size(falsified);
        byte[] values = trail.values();
        int[] data = arena.data();
        int to = 0;
        int from = 0;
        while (from < size) {
            int ref = list[from];
            int blocker = list[from + 1];
            from += 2;
            if (values[blocker] == Trail.TRUE) {
                list[to++] = ref;
                list[to++] = blocker;
                continue;
            }
            int first = ClauseArena.first(ref);
            if (data[first] == falsified) {
                data[first] = data[first + 1];
                data[first + 1] = falsified;
            }
            int other = data[first];
            if (values[other] != Trail.TRUE) {
                int end = first + arena.size(ref);
                int k = first + 2;
                while (k < end && values[data[k]] == Trail.FALSE) {
                    k++;
                }
                if (k < end) {
                    int literal = data[k];
                    data[k] = falsified;
                    data[first + 1] = literal;
                    watches.watch(literal, ref, other);
                    continue;
                }
                list[to++] = ref;
                list[to++] = other;
                if (values[other] == Trail.FALSE) {
                    System.arraycopy(list, from, list, to, size - from);
                    watches.truncate(falsified, to + size - from);
                    conflictWith(ref);
                    return false;
                }
                trail.assign(other, ref, trail.level());
            } else {
                list[to++] = ref;
                list[to++] = other;
            }
        }
        watches.truncate(falsified, to);
        return true;
    }

    private void conflictWith(int ref) {
        conflict.clear();
        for (int i = 0; i < arena.size(ref); i++) {
            conflict.push(arena.literal(ref, i));
        }
        parents.clear();
        parents.push(arena.id(ref));
        conflictRef = ref;
        lastConflictFromTheory = false;
    }

    // ---------------------------------------------------------------- conflicts

    /**
     * Requires a current conflict. Ensures: refuted, or the conflict's consequence is true, with propagation pending.
     * Each turn of the loop lowers the conflict's highest level: if a late literal that is assigned again makes the
     * learnt clause false, the loop resolves that conflict too.
     */
    private void resolve() {
        conflicts++;
        while (true) {
            budget.tick();
            int highest = conflictLevels.highest();
            if (highest == 0) {
                for (int i = 0; i < conflict.size(); i++) {
                    parents.push(~(conflict.get(i) >> 1));
                }
                deriveFixed();
                refuted = true;
                if (proof != null) {
                    proof.refuted(parents.array(), parents.size());
                }
                return;
            }
            backtrack(highest);
            if (conflictLevels.countAt(highest) > 1) {
                analysis.firstUip(conflict, parents);
                deriveFixed();
                conflictRef = ClauseArena.NO_CLAUSE;
            } else {
                conflictLevels.moveToFront(highest);
            }
            int ref = conflictRef;
            int lbd = analysis.lbd(conflict);
            int unitLevel = conflictLevels.highestOfRest();
            backtrack(keepsLevels(highest, unitLevel) ? highest - 1 : unitLevel);
            if (ref == ClauseArena.NO_CLAUSE) {
                // A new clause: attached as any other, which also makes its literal true.
                ref = store(lbd);
            }
            int literal = conflict.get(0);
            if (trail.value(literal) != Trail.FALSE) {
                if (trail.value(literal) == Trail.UNASSIGNED) {
                    trail.assign(literal, ref, Math.min(unitLevel, trail.level()));
                }
                return;
            }
            conflictWith(ref);
        }
    }

    /** Late literals are assigned again at every conflict, so if there are many the search really jumps back. */
    private boolean keepsLevels(int highest, int unitLevel) {
        return highest - unitLevel > settings.longJump() && trail.late() < settings.maxLate();
    }

    /** Keeps the conflict as a clause: derived from its parents, or its only parent itself, a lemma of the theory. */
    private int store(int lbd) {
        int id = parents.get(0);
        if (parents.size() > 1) {
            id = derived(conflict, parents);
            if (proof != null && lastConflictFromTheory) {
                proof.deleted(parents.get(0));
            }
        }
        int ref = arena.add(conflict, lbd, true, id);
        attach(ref);
        learnts.push(ref);
        return ref;
    }

    private int derived(IntStack literals, IntStack from) {
        int id = derivations.derived(from);
        if (proof != null) {
            proof.learnt(literals.array(), literals.size(), from.array(), from.size());
        }
        return id;
    }

    /**
     * Replaces each {@code ~variable} among the parents by a clause that fixes the variable, derived if need be. These
     * are the last parents, because any of the others may need them.
     */
    private void deriveFixed() {
        fixedBy = budget.grow(fixedBy, trail.variables());
        fixed.clear();
        int others = 0;
        for (int i = 0; i < parents.size(); i++) {
            if (parents.get(i) < 0) {
                fixed.push(~parents.get(i));
            } else {
                parents.set(others++, parents.get(i));
            }
        }
        parents.truncate(others);
        for (int i = 0; i < fixed.size(); i++) {
            parents.push(fixedBy(fixed.get(i)));
        }
    }

    /** The id of a clause of one literal that fixes a variable, whose level is 0. */
    private int fixedBy(int variable) {
        fixing.clear();
        fixing.push(variable);
        while (!fixing.isEmpty()) {
            int v = fixing.get(fixing.size() - 1);
            int ref = trail.reason(v);
            int waiting = fixing.size();
            fixingParents.clear();
            fixingParents.push(arena.id(ref));
            for (int i = 0; fixedBy[v] == 0 && i < arena.size(ref); i++) {
                int other = arena.literal(ref, i) >> 1;
                if (other != v && fixedBy[other] == 0) {
                    fixing.push(other);
                } else if (other != v) {
                    fixingParents.push(fixedBy[other] - 1);
                }
            }
            if (fixing.size() > waiting) {
                continue;
            }
            fixing.pop();
            if (fixedBy[v] == 0 && fixingParents.size() == 1) {
                fixedBy[v] = 1 + arena.id(ref);
            } else if (fixedBy[v] == 0) {
                explanation.clear();
                explanation.push(trail.value(2 * v) > 0 ? 2 * v : 2 * v + 1);
                fixedBy[v] = 1 + derived(explanation, fixingParents);
            }
        }
        return fixedBy[variable] - 1;
    }

    private void backtrack(int level) {
        if (level >= trail.level()) {
            return;
        }
        int size = trail.sizeAt(level);
        while (assignedInTheory > size) {
            theory.undo(trail.literal(--assignedInTheory));
        }
        kept.clear();
        trail.backtrack(level, kept);
        propagated = Math.min(propagated, size);
        // Kept literals come first, so that a unit clause that contradicts one is recognized as false.
        for (int i = 0; i < kept.size(); i += 3) {
            if (trail.value(kept.get(i)) == Trail.UNASSIGNED) {
                trail.assign(kept.get(i), kept.get(i + 1), kept.get(i + 2));
            }
        }
        int stillOpen = 0;
        for (int i = 0; i < units.size(); i++) {
            int ref = units.get(i);
            int literal = arena.literal(ref, 0);
            if (trail.value(literal) == Trail.UNASSIGNED) {
                // It is now late with level 0, so later backjumps keep it.
                trail.assign(literal, ref, 0);
            } else if (trail.level(literal >> 1) > 0) {
                units.set(stillOpen++, ref);
            }
        }
        units.truncate(stillOpen);
    }

    // ---------------------------------------------------------------- clauses

    private void insert(IntStack literals, int id) {
        int ref = arena.add(literals, 0, false, id);
        attach(ref);
        int size = literals.size();
        if (size == 0) {
            conflictWith(ref);
            resolve();
            return;
        }
        int first = arena.literal(ref, 0);
        int value = trail.value(first);
        if (value == Trail.FALSE) {
            conflictWith(ref);
            resolve();
        } else if (value == Trail.UNASSIGNED) {
            if (size == 1) {
                trail.assign(first, ref, 0);
            } else if (trail.value(arena.literal(ref, 1)) == Trail.FALSE) {
                trail.assign(first, ref, trail.level(arena.literal(ref, 1) >> 1));
            }
        }
    }

    /** Watches the two best literals: true, then unassigned, then false at the highest level; best first. */
    private void attach(int ref) {
        int size = arena.size(ref);
        for (int slot = 0; slot < Math.min(2, size); slot++) {
            int best = slot;
            for (int i = slot + 1; i < size; i++) {
                if (rank(arena.literal(ref, i)) > rank(arena.literal(ref, best))) {
                    best = i;
                }
            }
            arena.swap(ref, slot, best);
        }
        if (size >= 2) {
            watches.watch(arena.literal(ref, 0), ref, arena.literal(ref, 1));
            watches.watch(arena.literal(ref, 1), ref, arena.literal(ref, 0));
        } else if (size == 1) {
            int literal = arena.literal(ref, 0);
            if (trail.value(literal) == Trail.UNASSIGNED || trail.level(literal >> 1) > 0) {
                units.push(ref);
            }
        }
    }

    private int rank(int literal) {
        int value = trail.value(literal);
        if (value == Trail.FALSE) {
            return trail.level(literal >> 1);
        }
        return value == Trail.TRUE ? Integer.MAX_VALUE : Integer.MAX_VALUE - 1;
    }

    // ---------------------------------------------------------------- statistics

    public long decisions() {
        return decisions;
    }

    public long conflicts() {
        return conflicts;
    }
}
