package org.polygraph.solver.sat;

/**
 * First unique implication point: resolves a false clause with the reasons of its literals, newest first, until a
 * single literal of the current level is left (Zhang, Madigan, Moskewicz, Malik, ICCAD 2001); then drops literals
 * that the others imply through their own reason (local minimization, Beame, Kautz, Sabharwal 2004).
 */
final class ConflictAnalysis {
    private final SearchBudget budget;
    private final Trail trail;
    private final ClauseArena arena;
    private final Activity activity;
    private byte[] seen = new byte[0];
    private final IntStack touched;
    private final IntStack learnt;
    private int[] levelStamps = new int[0];
    private int stamp;
    private int open;

    ConflictAnalysis(SearchBudget budget, Trail trail, ClauseArena arena, Activity activity) {
        this.budget = budget;
        this.trail = trail;
        this.arena = arena;
        this.activity = activity;
        touched = new IntStack(budget);
        learnt = new IntStack(budget);
    }

    /**
     * Requires: every literal of {@code conflict} is false, none above the current level, two or more at it. Ensures:
     * {@code conflict} holds a clause that follows, all false, its first literal the only one of the current level.
     *
     * @param parents where the clauses it follows from are pushed, besides {@code conflict} itself
     */
    void firstUip(IntStack conflict, IntStack parents) {
        seen = budget.grow(seen, trail.variables());
        activity.decay(trail.variables());
        learnt.clear();
        learnt.push(Literals.NONE);
        open = 0;
        int level = trail.level();
        for (int i = 0; i < conflict.size(); i++) {
            resolveOn(conflict.get(i), level, parents);
        }
        int index = trail.size();
        while (true) {
            budget.tick();
            int literal;
            do {
                literal = trail.literal(--index);
            } while (seen[literal >> 1] == 0);
            if (--open == 0) {
                learnt.set(0, literal ^ 1);
                break;
            }
            int variable = literal >> 1;
            int reason = trail.reason(variable);
            parents.push(arena.id(reason));
            for (int i = 0; i < arena.size(reason); i++) {
                int other = arena.literal(reason, i);
                if (other >> 1 != variable) {
                    resolveOn(other, level, parents);
                }
            }
        }
        conflict.clear();
        conflict.push(learnt.get(0));
        for (int i = 1; i < learnt.size(); i++) {
            if (!implied(learnt.get(i) >> 1, parents)) {
                conflict.push(learnt.get(i));
            }
        }
        for (int i = 0; i < touched.size(); i++) {
            seen[touched.get(i)] = 0;
        }
        touched.clear();
    }

    private void resolveOn(int literal, int level, IntStack parents) {
        int variable = literal >> 1;
        if (seen[variable] != 0) {
            return;
        }
        seen[variable] = 1;
        touched.push(variable);
        activity.bump(variable);
        if (trail.level(variable) == 0) {
            parents.push(~variable);
        } else if (trail.level(variable) == level) {
            open++;
        } else {
            learnt.push(literal);
        }
    }

    /** Whether all other literals of the variable's reason are in the clause already (or false at level 0). */
    private boolean implied(int variable, IntStack parents) {
        int reason = trail.reason(variable);
        if (reason == ClauseArena.NO_CLAUSE) {
            return false;
        }
        int level = trail.level();
        int size = arena.size(reason);
        for (int i = 0; i < size; i++) {
            int other = arena.literal(reason, i) >> 1;
            if (other == variable) {
                continue;
            }
            // Variables of level 0 are false whether seen or not. A seen one of the current level does not count: it
            // was resolved away, or is the first UIP, which is in no reason of a lower literal.
            if (trail.level(other) != 0 && (seen[other] == 0 || trail.level(other) == level)) {
                return false;
            }
        }
        parents.push(arena.id(reason));
        for (int i = 0; i < size; i++) {
            int other = arena.literal(reason, i) >> 1;
            if (trail.level(other) == 0) {
                parents.push(~other);
            }
        }
        return true;
    }

    /** Number of distinct levels among the literals (Audemard and Simon, IJCAI 2009). */
    int lbd(IntStack literals) {
        levelStamps = budget.grow(levelStamps, trail.level() + 1L);
        stamp++;
        int distinct = 0;
        for (int i = 0; i < literals.size(); i++) {
            int level = trail.level(literals.get(i) >> 1);
            if (levelStamps[level] != stamp) {
                levelStamps[level] = stamp;
                distinct++;
            }
        }
        return distinct;
    }
}
