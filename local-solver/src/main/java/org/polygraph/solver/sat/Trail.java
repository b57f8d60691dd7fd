package org.polygraph.solver.sat;

/**
 * The assignment: the values of literals, and the order in which they were assigned, in levels.
 *
 * <p>Levels never descend along the trail. A literal may be <i>late</i>: assigned at a level above the one at which its
 * reason was already unit, because its clause was added or learnt when the search stood higher. On backtracking to a
 * level that does not undo the reason, a late literal is assigned again ({@link #backtrack} returns it). A clause
 * that becomes unit at a low level therefore does not undo the decisions above it (compare: Nadel and Ryvchin,
 * "Chronological backtracking", SAT 2018; there the trail's levels interleave, which complicates every other part).
 */
final class Trail {
    static final int UNASSIGNED = 0;
    static final int TRUE = 1;
    static final int FALSE = -1;

    private final SearchBudget budget;
    /** The value of each literal. */
    private byte[] values = new byte[0];

    private int[] levels = new int[0];
    private int[] reasons = new int[0];
    private int variables;
    private final IntStack literals;
    private final IntStack levelStarts;
    /** Late literals: index in the trail, and level of their reason. */
    private final IntStack lateIndexes;

    private final IntStack lateLevels;

    Trail(SearchBudget budget) {
        this.budget = budget;
        literals = new IntStack(budget);
        levelStarts = new IntStack(budget);
        lateIndexes = new IntStack(budget);
        lateLevels = new IntStack(budget);
    }

    int addVariable() {
        int variable = variables++;
        values = budget.grow(values, 2L * variables);
        levels = budget.grow(levels, variables);
        reasons = budget.grow(reasons, variables);
        return variable;
    }

    int variables() {
        return variables;
    }

    int value(int literal) {
        return values[literal];
    }

    /** Values by literal; valid until the next variable. */
    byte[] values() {
        return values;
    }

    int level() {
        return levelStarts.size();
    }

    int level(int variable) {
        return levels[variable];
    }

    int reason(int variable) {
        return reasons[variable];
    }

    void setReason(int variable, int ref) {
        reasons[variable] = ref;
    }

    int size() {
        return literals.size();
    }

    int literal(int index) {
        return literals.get(index);
    }

    void openLevel() {
        levelStarts.push(literals.size());
    }

    /**
     * Makes an unassigned literal true at the current level.
     *
     * @param reasonLevel level at which the reason is unit; at most the current one
     */
    void assign(int literal, int reason, int reasonLevel) {
        int level = level();
        if (reasonLevel < level) {
            lateIndexes.push(literals.size());
            lateLevels.push(reasonLevel);
        }
        values[literal] = TRUE;
        values[literal ^ 1] = FALSE;
        levels[literal >> 1] = level;
        reasons[literal >> 1] = reason;
        literals.push(literal);
    }

    /** Number of late literals. */
    int late() {
        return lateIndexes.size();
    }

    /** The trail's size after {@link #backtrack} to {@code level}. */
    int sizeAt(int level) {
        return level < level() ? levelStarts.get(level) : literals.size();
    }

    /** Undoes the levels above {@code level}; pushes (literal, reason, level of reason) of late literals to keep. */
    void backtrack(int level, IntStack keep) {
        int size = levelStarts.get(level);
        int late = lateIndexes.size();
        while (late > 0 && lateIndexes.get(late - 1) >= size) {
            late--;
        }
        for (int i = late; i < lateIndexes.size(); i++) {
            if (lateLevels.get(i) <= level) {
                int literal = literals.get(lateIndexes.get(i));
                keep.push(literal);
                keep.push(reasons[literal >> 1]);
                keep.push(lateLevels.get(i));
            }
        }
        lateIndexes.truncate(late);
        lateLevels.truncate(late);
        for (int i = literals.size() - 1; i >= size; i--) {
            int literal = literals.get(i);
            values[literal] = UNASSIGNED;
            values[literal ^ 1] = UNASSIGNED;
        }
        literals.truncate(size);
        levelStarts.truncate(level);
    }
}
