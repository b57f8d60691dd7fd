package org.polygraph.solver;

import org.jspecify.annotations.Nullable;
import org.polygraph.solver.sat.Search;
import org.polygraph.solver.theory.PairTable;

/**
 * Takes, once conflicts are many, the violated item whose clause was in most of them lately instead of the earliest: a
 * search that has to refute stays where the contradiction is.
 *
 * <p>Not before each item that waits is worth a conflict, and never more work than the search itself: a large core has
 * thousands of items that have nothing to do with each other, and is done soonest from the beginning to the end. Not where
 * clauses have many literals, either, as with few values: a conflict says little of an item with many ways out (measured: up
 * to three times the conflicts).
 */
final class HottestItem implements ReadCheck.Score {
    private static final int LEAST_CONFLICTS = 100;
    /** On average, of the clauses made so far. */
    private static final double MOST_LITERALS = 2.5;
    /** Literals looked at here, some nanoseconds each, for one propagated, some hundred. */
    private static final int LOOKS_A_PROPAGATION = 4;

    private final ReadCheck check;
    private final ClauseMaker clauses;
    private @Nullable Search search;
    private long looks;

    HottestItem(ReadCheck check, ClauseMaker clauses) {
        this.check = check;
        this.clauses = clauses;
    }

    /** Requires an item in {@code check}'s hand; may take another one. */
    void take(Search running) {
        if (running.conflicts() >= LEAST_CONFLICTS
                && check.waiting() <= running.conflicts()
                && clauses.literals() <= MOST_LITERALS * clauses.size()
                && looks <= LOOKS_A_PROPAGATION * running.propagations()) {
            search = running;
            check.next(this);
        }
    }

    /** Sum of the activities of the literals left open; 0 for an item without a clause. */
    @Override
    public float ofItemInHand() {
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
