package org.polygraph.solver;

import org.jspecify.annotations.Nullable;
import org.polygraph.solver.proof.KeyLists;

/** A solver's answer. */
public sealed interface Outcome {
    /** Counters of the search. */
    Statistics statistics();

    /** There is such an order. */
    final class Satisfiable implements Outcome {
        private final int[] position;
        private final boolean @Nullable [] committed;
        private final Statistics statistics;

        Satisfiable(int[] position, boolean @Nullable [] committed, Statistics statistics) {
            this.position = position;
            this.committed = committed;
            this.statistics = statistics;
        }

        /** The position of each event, a permutation; the caller owns the array. */
        public int[] position() {
            return position;
        }

        /**
         * By transaction, which optional transactions committed (false for all others); null when the polygraph has
         * none.
         */
        public boolean @Nullable [] committed() {
            return committed;
        }

        @Override
        public Statistics statistics() {
            return statistics;
        }
    }

    /**
     * There is no such order: the clauses of the core exclude every order. With {@link SolverOptions#withProof} a trace
     * proves it, which {@link org.polygraph.solver.proof.ProofChecker} checks.
     */
    record Unsatisfiable(Core core, Statistics statistics) implements Outcome {}

    /**
     * A budget ran out.
     *
     * @param reason which budget, as text for the user
     */
    record Unknown(String reason, Statistics statistics) implements Outcome {}

    /**
     * Clauses that, with the known edges, no order satisfies; and the cycle that closed last. A clause with a reader
     * and a writer: the writer must not be the last one before the read, so it is after the read, or a candidate is
     * between. With a reader alone: the read needs a candidate before it. With two writers: they must not overlap.
     */
    final class Core {
        private final Polygraph polygraph;
        private final int[] readers;
        private final int[] writers;
        private final int[] others;
        private final int[] cycle;

        Core(Polygraph polygraph, int[] readers, int[] writers, int[] others, int[] cycle) {
            this.polygraph = polygraph;
            this.readers = readers;
            this.writers = writers;
            this.others = others;
            this.cycle = cycle;
        }

        /** Number of clauses. */
        public int size() {
            return readers.length;
        }

        /** The item of {@link SumItems} that a clause is about, a read of a sum; -1 if it is no such clause. */
        public int sum(int clause) {
            return Math.max(-1, readers[clause] - polygraph.readerStart[polygraph.keys()]);
        }

        /** The key a clause is about. O(log keys). */
        public int key(int clause) {
            return readers[clause] >= 0
                    ? KeyLists.keyOf(polygraph.readerStart, readers[clause])
                    : KeyLists.keyOf(polygraph.writerStart, writers[clause]);
        }

        /** Index of the read in the polygraph's readers; -1 if two writers overlap. */
        public int reader(int clause) {
            return readers[clause];
        }

        /**
         * Index in the polygraph's writers of the writer that the read must not see, or of the first of two that
         * overlap; -1 if the read needs a candidate.
         */
        public int writer(int clause) {
            return writers[clause];
        }

        /** Index of the second writer that overlaps; -1 if there is a reader. */
        public int other(int clause) {
            return others[clause];
        }

        /**
         * Events of the cycle that excluded the last alternative: each event is before the next, the last before the
         * first. Empty if a clause excluded the last alternative. The edges of the cycle are known or forced by the
         * clauses.
         */
        public int[] cycle() {
            return cycle.clone();
        }
    }
}
