package org.polygraph.solver.sat;

/**
 * Hears what a search derives, in order. Given clauses and the theory's lemmas are not reported here: who makes them
 * knows what they mean and records them before the search gets them.
 *
 * <p>Every array is the search's own: read {@code literals[from..to)} during the call, keep nothing.
 */
public interface ProofSink {
    /**
     * A clause was learnt. It follows by unit propagation alone from the clauses that stand and, when a theory conflict
     * came last, from that conflict's lemma. It may be that lemma itself.
     */
    void learnt(int[] literals, int from, int to);

    /** A learnt clause was dropped and is used no more; its literals may come in another order. */
    void deleted(int[] literals, int from, int to);

    /** The empty clause follows, as if it were learnt; nothing more comes. */
    void refuted();
}
