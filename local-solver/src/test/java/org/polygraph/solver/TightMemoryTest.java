package org.polygraph.solver;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.polygraph.solver.SolverOptions.Option;
import org.polygraph.solver.proof.ProofChecker;
import org.polygraph.solver.proof.ProofResult;
import org.polygraph.solver.proof.ProofTrace;
import org.polygraph.storage.testkit.Formula;

/**
 * Clauses beyond their limit are discarded and the order is kept: every problem is decided that is decided with memory
 * for all clauses.
 */
class TightMemoryTest {
    private static Polygraph hotKeys(int eventsPerTxn) {
        HiddenOrder g = new HiddenOrder();
        g.seed = 7;
        g.sessions = 20;
        g.transactions = 8_000;
        g.keys = 40;
        g.values = 0;
        g.operations = 8;
        g.noise = 4_000;
        g.eventsPerTxn = eventsPerTxn;
        return g.build();
    }

    @Test
    void halfOfTheMemorySufficesForHotKeys() {
        suffices(2, 0.5);
    }

    /** Most of the memory does not depend on clauses. */
    @Test
    void sixTenthsSufficeWithOneEventATransaction() {
        suffices(1, 0.6);
    }

    private static void suffices(int eventsPerTxn, double share) {
        Polygraph polygraph = hotKeys(eventsPerTxn);
        SolverOptions options = SolverOptions.defaults().with(Option.CLAUSE_BYTES, Long.MAX_VALUE);
        Statistics all = new Solver().solve(polygraph, options).statistics();
        // A quarter of the memory is the first limit, even if the option is larger.
        long bytes = (long) (share * all.bytes());
        Outcome less = new Solver().solve(polygraph, options.withMaxBytes(bytes));
        assertThat(less).isInstanceOf(Outcome.Satisfiable.class);
        assertThat(less.statistics().bytes()).isLessThanOrEqualTo(bytes);
        // Clauses that were made before are not made again.
        assertThat(less.statistics().instantiated()).isLessThan(all.instantiated() * 5 / 4);
    }

    /** Hundreds of searches with few clauses each would never end if the limit did not grow. */
    @Test
    void aRefutationIsFoundWhateverTheLimit() {
        Polygraph polygraph = RandomPolygraph.of(Formula.random3Sat(new Random(3), 40, 7.0), false, new Random(3))
                .build(false);
        for (int shift = 0; shift <= 20; shift += 4) {
            ProofTrace trace = new ProofTrace(1 << 24);
            Outcome outcome = new Solver()
                    .solve(
                            polygraph,
                            SolverOptions.defaults()
                                    .with(Option.CLAUSE_BYTES, 1L << shift)
                                    .withProof(trace));
            assertThat(outcome).isInstanceOf(Outcome.Unsatisfiable.class);
            ProofResult proof = ProofChecker.check(polygraph.proofProblem(), trace);
            assertThat(proof.accepted()).as(proof.message()).isTrue();
        }
    }

    @Test
    void aLimitDoublesWithoutHeadwayOnly() {
        ClauseLimit limit = new ClauseLimit(100);
        limit.begin(800);
        assertThat(limit.isReached(100)).isFalse();
        assertThat(limit.isReached(101)).isTrue();
        limit.begin(699);
        assertThat(limit.isReached(101)).isTrue();
        limit.begin(690);
        assertThat(limit.isReached(200)).isFalse();
        assertThat(limit.isReached(201)).isTrue();
        // The limit is the same as before, but not below the least one.
        limit.begin(699);
        assertThat(limit.isReached(400)).isFalse();
        limit.begin(0);
        assertThat(limit.isReached(401)).isTrue();
        limit.begin(0);
        assertThat(limit.isReached(401)).isFalse();
        ClauseLimit none = new ClauseLimit(Long.MAX_VALUE);
        none.begin(1);
        none.begin(1);
        assertThat(none.isReached(Long.MAX_VALUE)).isFalse();
    }
}
