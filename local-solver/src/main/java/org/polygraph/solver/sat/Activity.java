package org.polygraph.solver.sat;

/**
 * The activity of each variable: it grows when conflict analysis meets the variable, and all activities decay with each
 * conflict (VSIDS: Moskewicz, Madigan, Zhao, Zhang, Malik, DAC 2001; by a growing step, as in MiniSat).
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

    /** Decays all activities. Called at each conflict, before its variables are bumped. */
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

    /** The activity of a variable, not negative. Values are comparable until the next conflict. */
    float of(int variable) {
        return variable < values.length ? values[variable] : 0;
    }
}
