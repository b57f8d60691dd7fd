package org.polygraph.solver.sat;

import org.jspecify.annotations.Nullable;

/**
 * Deletes the half of the learnt clauses whose literals span the most levels (lbd), then compacts the arena. Reasons,
 * clauses of two literals and clauses with lbd up to 2 stay. Given clauses always stay, because the theory relies on
 * each.
 */
final class ClauseReduction {
    private final Trail trail;
    private final ClauseArena arena;
    private final Watches watches;
    private final SearchBudget budget;
    private final @Nullable ProofSink proof;

    ClauseReduction(Trail trail, ClauseArena arena, Watches watches, SearchBudget budget, @Nullable ProofSink proof) {
        this.trail = trail;
        this.arena = arena;
        this.watches = watches;
        this.budget = budget;
        this.proof = proof;
    }

    /**
     * Requires nothing pending. Every ref changes.
     *
     * @param learnts refs of the learnt clauses; deleted ones are removed
     * @param units refs of clauses of one literal, changed in place
     */
    void reduce(IntStack learnts, IntStack units) {
        budget.reserve(8L * learnts.size());
        long[] order = new long[learnts.size()];
        for (int i = 0; i < order.length; i++) {
            // Of equal clauses the older one is deleted first.
            order[i] = (long) (Integer.MAX_VALUE - arena.lbd(learnts.get(i))) << 32 | i;
        }
        java.util.Arrays.sort(order);
        int dropped = 0;
        for (int i = 0; i < order.length && dropped < order.length / 2; i++) {
            int ref = learnts.get((int) order[i]);
            if (arena.lbd(ref) > 2 && arena.size(ref) > 2 && !isReason(ref)) {
                if (proof != null) {
                    proof.deleted(arena.id(ref));
                }
                arena.delete(ref);
                dropped++;
            }
        }
        IntStack oldRefs = new IntStack(budget);
        IntStack newRefs = new IntStack(budget);
        int kept = 0;
        for (int i = 0; i < learnts.size(); i++) {
            if (!arena.isDeleted(learnts.get(i))) {
                learnts.set(kept++, learnts.get(i));
            }
        }
        learnts.truncate(kept);
        arena.compact(oldRefs, newRefs);
        for (int i = 0; i < learnts.size(); i++) {
            learnts.set(i, moved(learnts.get(i), oldRefs, newRefs));
        }
        for (int i = 0; i < units.size(); i++) {
            units.set(i, moved(units.get(i), oldRefs, newRefs));
        }
        for (int i = 0; i < trail.size(); i++) {
            int variable = trail.literal(i) >> 1;
            if (trail.reason(variable) != ClauseArena.NO_CLAUSE) {
                trail.setReason(variable, moved(trail.reason(variable), oldRefs, newRefs));
            }
        }
        watches.clear();
        for (int ref = 0; ref < arena.end(); ref = arena.after(ref)) {
            if (arena.size(ref) >= 2) {
                watches.watch(arena.literal(ref, 0), ref, arena.literal(ref, 1));
                watches.watch(arena.literal(ref, 1), ref, arena.literal(ref, 0));
            }
        }
        oldRefs.free();
        newRefs.free();
        budget.reserve(-8L * order.length);
    }

    private boolean isReason(int ref) {
        for (int i = 0; i < arena.size(ref); i++) {
            int literal = arena.literal(ref, i);
            if (trail.value(literal) == Trail.TRUE && trail.reason(literal >> 1) == ref) {
                return true;
            }
        }
        return false;
    }

    private static int moved(int ref, IntStack oldRefs, IntStack newRefs) {
        return newRefs.get(java.util.Arrays.binarySearch(oldRefs.array(), 0, oldRefs.size(), ref));
    }
}
