package org.polygraph.solver.sat;

/**
 * First unique implication point: resolves a false clause with the reasons of its literals, newest first, until a
 * single literal of the current level is left (Zhang, Madigan, Moskewicz, Malik, ICCAD 2001).
 */
final class ConflictAnalysis {
    private final SearchBudget budget;
    private final Trail trail;
    private final ClauseArena arena;
    private byte[] seen = new byte[0];
    private final IntStack touched;
    private final IntStack learnt;
    private int[] levelStamps = new int[0];
    private int stamp;
    private int open;

    ConflictAnalysis(SearchBudget budget, Trail trail, ClauseArena arena) {
        this.budget = budget;
        this.trail = trail;
        this.arena = arena;
        touched = new IntStack(budget);
        learnt = new IntStack(budget);
    }

    /**
     * Requires: every literal of {@code conflict} is false, none above the current level, two or more at it. Ensures:
     * {@code conflict} holds a clause that follows, all false, its first literal the only one of the current level.
     *
     * @param parents where the ids of the clauses it follows from are pushed, besides {@code conflict} itself, and
     *     {@code ~variable} for each literal fixed at level 0
     */
    void firstUip(IntStack conflict, IntStack parents) {
        seen = budget.grow(seen, trail.variables());
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
            conflict.push(learnt.get(i));
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
        if (trail.level(variable) == 0) {
            parents.push(~variable);
        } else if (trail.level(variable) == level) {
            open++;
        } else {
            learnt.push(literal);
        }
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
