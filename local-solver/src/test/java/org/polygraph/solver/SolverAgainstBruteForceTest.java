package org.polygraph.solver;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.polygraph.solver.Outcome.Core;
import org.polygraph.solver.SolverOptions.Option;
import org.polygraph.solver.proof.KeyKind;
import org.polygraph.solver.proof.ProofChecker;
import org.polygraph.solver.proof.ProofResult;
import org.polygraph.solver.proof.ProofTrace;
import org.polygraph.storage.testkit.SuiteScale;

/** On small problems, the solver agrees with trying every order. */
class SolverAgainstBruteForceTest {
    private int satisfiable;
    private int unsatisfiable;
    private long conflicts;
    private int withRows;
    private int refutedRows;
    private long proofSteps;

    @Test
    void oneEventATransaction() {
        run(1, SuiteScale.of(4_000), 1, 6);
    }

    @Test
    void twoEventsATransaction() {
        int rounds = SuiteScale.of(3_000);
        run(2, rounds, 2, 5);
        System.out.println(refutedRows + " of " + withRows + " problems with rows refuted");
        assertThat(refutedRows).isGreaterThan(rounds / 20);
        assertThat(withRows - refutedRows).isGreaterThan(rounds / 20);
    }

    private void run(long firstSeed, int rounds, int eventsPerTxn, int largest) {
        for (long seed = firstSeed; seed < firstSeed + rounds; seed++) {
            check(seed, eventsPerTxn, largest);
        }
        System.out.println(proofSteps + " steps of proof");
        System.out.println("brute force, E=" + eventsPerTxn + ": " + satisfiable + " satisfiable, " + unsatisfiable
                + " not, " + conflicts + " conflicts");
        assertThat(satisfiable).isGreaterThan(rounds / 10);
        assertThat(unsatisfiable).isGreaterThan(rounds / 10);
        assertThat(conflicts).isGreaterThan(rounds / 10);
    }

    private void check(long seed, int eventsPerTxn, int largest) {
        Random random = new Random(seed);
        RandomPolygraph g = RandomPolygraph.random(random, 2 + random.nextInt(largest - 1), eventsPerTxn);
        boolean expected = BruteForce.isSatisfiable(g);
        withRows += g.kinds == null ? 0 : 1;
        refutedRows += g.kinds == null || expected ? 0 : 1;
        for (int variant = 0; variant < 2; variant++) {
            SolverOptions options = SolverOptions.defaults()
                    .with(Option.SEED, seed)
                    .with(Option.LONG_JUMP, random.nextInt(3) == 0 ? 50 : random.nextInt(3))
                    .with(Option.MOST_LATE, random.nextInt(2) == 0 ? 500 : random.nextInt(3))
                    .with(Option.REDUCE_INTERVAL, random.nextInt(3))
                    .with(Option.CLAUSE_BYTES, random.nextBoolean() ? 1 << 26 : 1 + random.nextInt(2_000));
            ProofTrace trace = new ProofTrace(1 << 24);
            Polygraph polygraph = g.build(variant == 1);
            Outcome outcome = ModelCheck.solve(polygraph, options.withProof(trace));
            conflicts += outcome.statistics().conflicts();
            String what = "seed " + seed + ", reachability " + (variant == 1);
            if (outcome instanceof Outcome.Satisfiable sat) {
                assertThat(expected).as(what).isTrue();
                assertThat(BruteForce.explains(g, sat.position(), everyoneCounted(g, sat.committed())))
                        .as(what)
                        .isTrue();
                for (int[] edge : g.edges) {
                    assertThat(sat.position()[edge[0]]).as(what).isLessThan(sat.position()[edge[1]]);
                }
                ProofResult steps = ProofChecker.check(polygraph.proofProblem(), trace);
                assertThat(steps.message()).as(what).endsWith("the trace ends without a refutation");
                satisfiable++;
            } else {
                assertThat(outcome).as(what).isInstanceOf(Outcome.Unsatisfiable.class);
                assertThat(expected).as(what).isFalse();
                Core core = ((Outcome.Unsatisfiable) outcome).core();
                if (g.events() <= 7) {
                    assertThat(BruteForce.exists(
                                    g, false, (position, committed) -> holds(g, core, position, committed)))
                            .as("the core has a model: " + what)
                            .isFalse();
                }
                ProofResult proof = ProofChecker.check(polygraph.proofProblem(), trace);
                assertThat(proof.accepted()).as(what + ": " + proof.message()).isTrue();
                proofSteps += proof.step();
                unsatisfiable++;
            }
        }
    }

    private static boolean[] everyoneCounted(RandomPolygraph g, boolean[] committed) {
        boolean[] counted = new boolean[g.n];
        for (int t = 0; t < g.n; t++) {
            counted[t] = g.optional == null || !g.optional[t] || committed[t];
        }
        return counted;
    }

    /** Whether an order satisfies every clause of a core by the definition of clauses. */
    private static boolean holds(RandomPolygraph g, Core core, int[] position, boolean[] committed) {
        for (int i = 0; i < core.size(); i++) {
            int key = core.key(i);
            int firstWriter = 0;
            int firstReader = 0;
            for (int k = 0; k < key; k++) {
                firstWriter += g.writers.get(k).size();
                firstReader += g.readers.get(k).size();
            }
            int writer = core.writer(i);
            int w = writer < 0 ? -1 : g.writers.get(key).get(writer - firstWriter)[0];
            boolean holds = w >= 0 && !committed[w];
            if (core.reader(i) < 0) {
                int v = g.writers.get(key).get(core.other(i) - firstWriter)[0];
                holds |= !committed[v];
                boolean isPlain = g.kind(key) == KeyKind.PLAIN;
                holds |= position[g.c(w)] < position[g.b(v)];
                holds |= position[g.c(v)] < position[isPlain ? g.b(w) : g.c(w)];
                for (int[] t : isPlain ? List.<int[]>of() : g.writers.get(key)) {
                    holds |= (t[1] != 0) == (g.kind(key) == KeyKind.ROW_BORN)
                            && committed[t[0]]
                            && position[g.c(w)] < position[g.c(t[0])]
                            && position[g.c(t[0])] < position[g.c(v)];
                }
            } else {
                int[] read = g.readers.get(key).get(core.reader(i) - firstReader);
                int r = read[0];
                holds |= !committed[r] || (w >= 0 && position[g.readAt(key, r)] < position[g.c(w)]);
                for (int[] t : g.writers.get(key)) {
                    holds |= t[1] == read[1]
                            && t[0] != r
                            && committed[t[0]]
                            && (w < 0
                                    || position[g.c(w)]
                                            < position[g.kind(key) == KeyKind.PLAIN ? g.b(t[0]) : g.c(t[0])])
                            && position[g.c(t[0])] < position[g.readAt(key, r)];
                }
            }
            if (!holds) {
                return false;
            }
        }
        return true;
    }
}
