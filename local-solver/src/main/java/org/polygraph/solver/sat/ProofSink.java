package org.polygraph.solver.sat;

/**
 * Receives what a search derives, in order. Given clauses and lemmas of the theory are not reported here: their maker
 * records them, with their meaning, before it adds them to the search.
 *
 * <p>Every array belongs to the search: read {@code literals[from..to)} during the call and keep no reference.
 */
public interface ProofSink {
    /**
     * A clause was learnt. It follows by unit propagation from the present clauses and, if the last conflict was one of
     * the theory, from its lemma. It may be that lemma itself.
     */
    void learnt(int[] literals, int from, int to);

    /** A learnt clause was deleted; its literals may come in another order. */
    void deleted(int[] literals, int from, int to);

    /** The empty clause was derived; this is the last call. */
    void refuted();
}
