package org.polygraph.solver.sat;

/**
 * When the search starts over from level 0: after {@code unit} conflicts times the next number of Luby's sequence (Luby,
 * Sinclair, Zuckerman, "Optimal speedup of Las Vegas algorithms", 1993): 1 1 2 1 1 2 4 ...
 *
 * <p>Off by default: the order outlives a restart, so there is little to gain (measured: docs/decisions.md).
 */
final class Restarts {
    private final int unit;
    /** Knuth's pair: the present number of the sequence, and the state from which the next one follows. */
    private long length = 1;

    private long counter = 1;
    private long due;

    /** @param unit 0 for never */
    Restarts(int unit) {
        this.unit = unit;
        due = unit == 0 ? Long.MAX_VALUE : unit;
    }

    /** Whether to restart now; if so, the next one is due later. */
    boolean isDue(long conflicts) {
        if (conflicts < due) {
            return false;
        }
        if ((counter & -counter) == length) {
            counter++;
            length = 1;
        } else {
            length *= 2;
        }
        due = conflicts + unit * length;
        return true;
    }
}
