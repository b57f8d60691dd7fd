package org.polygraph.solver.sat;

/**
 * The theory that gives literals their meaning.
 *
 * <p>{@link #assign} and {@link #undo} are strictly last in, first out. {@link #next} is called only when every true
 * literal was assigned, no clause is false and none is known to be unit.
 */
public interface Theory {
    /** {@link #next}: the present state is a model. */
    int COMPLETE = -1;

    /** {@link #next}: clauses were added that need propagation before anything else. */
    int AGAIN = -2;

    /**
     * A literal became true.
     *
     * @param explanation where to push, when the answer is false, literals assigned earlier that together with this one
     *     cannot hold (this one is not pushed)
     * @return whether the literal is consistent with those before; when false the theory must be as before the call
     */
    boolean assign(int literal, IntStack explanation);

    /** The most recently assigned literal is no longer true. */
    void undo(int literal);

    /**
     * Chooses what to do next; may add variables and clauses.
     *
     * @return an unassigned literal to decide, {@link #COMPLETE} or {@link #AGAIN}
     */
    int next(Search search);
}
