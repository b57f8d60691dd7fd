package org.polygraph.solver.sat;

/**
 * Receives what a search derives, in order. Clauses are numbered from 0 as they come: the given ones, the lemmas of the
 * theory and the derived ones together. Given clauses and lemmas are not reported here: their maker records them, with
 * their meaning, before the search numbers them.
 *
 * <p>Every array belongs to the search: read it during the call and keep no reference.
 */
public interface ProofSink {
    /**
     * A clause was derived. If its literals are false, its parents force further literals, the last parent first, until
     * the first parent is false.
     *
     * @param parents the numbers of the clauses from which it follows, {@code count} of them
     */
    void learnt(int[] literals, int size, int[] parents, int count);

    /** A clause is no parent of later ones. */
    void deleted(int clause);

    /** The empty clause was derived, as by {@link #learnt}; this is the last call. */
    void refuted(int[] parents, int count);
}
