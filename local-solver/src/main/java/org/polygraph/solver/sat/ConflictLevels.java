package org.polygraph.solver.sat;

/** The levels at which the literals of the current conflict became false. */
final class ConflictLevels {
    private final IntStack conflict;
    private final Trail trail;

    /** @param conflict its literals, all false; the search changes it */
    ConflictLevels(IntStack conflict, Trail trail) {
        this.conflict = conflict;
        this.trail = trail;
    }

    int highest() {
        return highestFrom(0);
    }

    /** The highest level among all but the first. */
    int highestOfRest() {
        return highestFrom(1);
    }

    private int highestFrom(int first) {
        int highest = 0;
        for (int i = first; i < conflict.size(); i++) {
            highest = Math.max(highest, levelOf(i));
        }
        return highest;
    }

    int countAt(int level) {
        int count = 0;
        for (int i = 0; i < conflict.size(); i++) {
            if (levelOf(i) == level) {
                count++;
            }
        }
        return count;
    }

    /** Puts the first literal of {@code level} first. */
    void moveToFront(int level) {
        for (int i = 0; i < conflict.size(); i++) {
            if (levelOf(i) == level) {
                int literal = conflict.get(i);
                conflict.set(i, conflict.get(0));
                conflict.set(0, literal);
                return;
            }
        }
    }

    private int levelOf(int index) {
        return trail.level(conflict.get(index) >> 1);
    }
}
