package org.polygraph.solver.sat;

/**
 * The clauses from which each clause follows, as far as memory allows: the tag of a given clause, or the parents of a
 * derived one. A parent is a clause id, or {@code ~variable} for a literal fixed at level 0.
 */
final class Derivations {
    /** The tag of clauses without one of their own: definitions, theory lemmas and derived clauses. */
    static final int UNTAGGED = -1;

    private final IntStack starts;
    private final IntStack tags;
    private final IntStack pool;
    private final int maxInts;
    private boolean complete = true;
    private int clauses;

    Derivations(SearchBudget budget, int maxInts) {
        this.maxInts = maxInts;
        starts = new IntStack(budget);
        tags = new IntStack(budget);
        pool = new IntStack(budget);
    }

    /** The id of a clause that was given. */
    int given(int tag) {
        if (complete) {
            starts.push(pool.size());
            tags.push(tag);
            limit();
        }
        return clauses++;
    }

    /** The id of a clause that follows from {@code parents}. */
    int derived(IntStack parents) {
        if (complete) {
            starts.push(pool.size());
            tags.push(UNTAGGED);
            for (int i = 0; i < parents.size(); i++) {
                pool.push(parents.get(i));
            }
            limit();
        }
        return clauses++;
    }

    private void limit() {
        if ((long) pool.size() + 2L * starts.size() > maxInts) {
            complete = false;
            starts.free();
            tags.free();
            pool.free();
        }
    }

    /** Whether all derivations are recorded. */
    boolean isComplete() {
        return complete;
    }

    /** Pushes the distinct tags of given clauses from which {@code parents} follow. Call when complete. */
    void collectTags(IntStack parents, Trail trail, ClauseArena arena, IntStack out) {
        boolean[] clauseSeen = new boolean[clauses];
        boolean[] variableSeen = new boolean[trail.variables()];
        IntStack work = parents;
        while (!work.isEmpty()) {
            int parent = work.pop();
            if (parent < 0) {
                int variable = ~parent;
                int reason = trail.reason(variable);
                if (variableSeen[variable] || reason == ClauseArena.NO_CLAUSE) {
                    continue;
                }
                variableSeen[variable] = true;
                work.push(arena.id(reason));
                for (int i = 0; i < arena.size(reason); i++) {
                    work.push(~Literals.variable(arena.literal(reason, i)));
                }
            } else if (!clauseSeen[parent]) {
                clauseSeen[parent] = true;
                if (tags.get(parent) != UNTAGGED) {
                    out.push(tags.get(parent));
                }
                int end = parent + 1 < starts.size() ? starts.get(parent + 1) : pool.size();
                for (int i = starts.get(parent); i < end; i++) {
                    work.push(pool.get(i));
                }
            }
        }
    }
}
