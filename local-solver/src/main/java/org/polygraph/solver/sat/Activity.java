package org.polygraph.solver.sat;

/**
 * How much each variable took part in conflicts, the latest most: bumped when conflict analysis meets it, and all decay
 * with each conflict (VSIDS: Moskewicz, Madigan, Zhao, Zhang, Malik, DAC 2001; by a growing step, as in MiniSat).
 *
 * <p>Memory: 4 bytes a variable, from the first conflict on.
 */
final class Activity {
    private static final float DECAY = 0.95f;
    private static final float MOST_STEP = 1e25f;

    private final SearchBudget budget;
    private float[] values = new float[0];
    private float step = 1;

    Activity(SearchBudget budget) {
        this.budget = budget;
    }

    /** A conflict is analyzed, among so many variables. */
    void decay(int variables) {
        values = budget.grow(values, variables);
        step /= DECAY;
        if (step > MOST_STEP) {
            for (int i = 0; i < values.length; i++) {
                values[i] /= MOST_STEP;
            }
            step /= MOST_STEP;
        }
    }

    void bump(int variable) {
        values[variable] += step;
    }

    /** Comparable until the next conflict; not negative. */
    float of(int variable) {
        return variable < values.length ? values[variable] : 0;
    }
}
