package org.polygraph.solver.sat;

/** The clauses from which each clause follows: the tag of a given clause, or the parents of a derived one. */
final class Derivations {
    /** The tag of clauses without one of their own: definitions, theory lemmas and derived clauses. */
    static final int UNTAGGED = -1;

    private final IntStack starts;
    private final IntStack tags;
    private final IntStack pool;

    Derivations(SearchBudget budget) {
        starts = new IntStack(budget);
        tags = new IntStack(budget);
        pool = new IntStack(budget);
    }

    /** The id of a clause that was given. */
    int given(int tag) {
        starts.push(pool.size());
        tags.push(tag);
        return starts.size() - 1;
    }

    /** The id of a clause that follows from {@code parents}. */
    int derived(IntStack parents) {
        int id = given(UNTAGGED);
        for (int i = 0; i < parents.size(); i++) {
            pool.push(parents.get(i));
        }
        return id;
    }

    /** Pushes the distinct tags of given clauses from which {@code parents} follow. */
    void collectTags(IntStack parents, IntStack out) {
        boolean[] seen = new boolean[starts.size()];
        IntStack work = parents;
        while (!work.isEmpty()) {
            int parent = work.pop();
            if (!seen[parent]) {
                seen[parent] = true;
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
