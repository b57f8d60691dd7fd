package org.polygraph.solver;

import org.jspecify.annotations.Nullable;
import org.polygraph.solver.sat.Search;
import org.polygraph.solver.theory.PairTable;

/**
 * Once there are many conflicts, selects the violated item whose clause has the most activity of recent conflicts
 * instead of the earliest item, so that a refutation stays near the contradiction.
 *
 * <p>It starts when there were as many conflicts as items wait, and never takes more work than the search itself: a
 * large core has thousands of unrelated items and is solved fastest from beginning to end. It is also off if clauses
 * have many literals, which is the case with few values: a conflict then shows little about an item (measured: up to
 * three times the conflicts).
 */
final class HottestItem implements ReadCheck.Score {
    private static final int LEAST_CONFLICTS = 100;
    /** The most literals a clause, on average over all clauses so far. */
    private static final double MOST_LITERALS = 2.5;
    /**
     * How many literals may be read here for each propagated literal: reading takes nanoseconds, propagating about a
     * hundred.
     */
    private static final int LOOKS_A_PROPAGATION = 4;

    private final ReadCheck check;
    private final ClauseMaker clauses;
    private @Nullable Search search;
    private long looks;

    HottestItem(ReadCheck check, ClauseMaker clauses) {
        this.check = check;
        this.clauses = clauses;
    }

    /** May replace {@code check}'s current item, which must exist, by another one. */
    void take(Search running) {
        if (running.conflicts() >= LEAST_CONFLICTS
                && check.waiting() <= running.conflicts()
                && clauses.literals() <= MOST_LITERALS * clauses.size()
                && looks <= LOOKS_A_PROPAGATION * running.propagations()) {
            search = running;
            check.next(this);
        }
    }

    /** The sum of the activities of the unassigned literals; 0 for an item without a clause. */
    @Override
    public float ofCurrentItem() {
        Search running = search;
        int id = clauses.find();
        looks++;
        if (id == PairTable.ABSENT || running == null) {
            return 0;
        }
        float sum = 0;
        int end = clauses.end(id);
        for (int i = clauses.start(id); i < end; i++) {
            int literal = clauses.literal(i);
            if (running.value(literal) == 0) {
                sum += running.activity(literal >> 1);
            }
        }
        looks += end - clauses.start(id);
        return sum;
    }
}
