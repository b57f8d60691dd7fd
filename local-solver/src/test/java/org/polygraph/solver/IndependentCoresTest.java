package org.polygraph.solver;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.polygraph.solver.SolverOptions.Option;
import org.polygraph.solver.proof.ProofChecker;
import org.polygraph.solver.proof.ProofTrace;
import org.polygraph.storage.testkit.SuiteScale;

/** Many independent problems in one polygraph. */
class IndependentCoresTest {
    private static final int CORES = SuiteScale.of(300, 100);

    private static RandomPolygraph satisfiable(long seed, int eventsPerTxn) {
        HiddenOrder g = new HiddenOrder();
        g.seed = seed;
        g.sessions = 5;
        g.transactions = 40;
        g.keys = 10;
        g.values = 2;
        g.operations = 4;
        g.noise = 10;
        g.eventsPerTxn = eventsPerTxn;
        return g.problem();
    }

    /** Two readers see two writers in opposite orders. */
    private static RandomPolygraph longFork(int eventsPerTxn) {
        RandomPolygraph g = new RandomPolygraph(4, eventsPerTxn, 2);
        for (int t = 0; eventsPerTxn == 2 && t < 4; t++) {
            g.edge(2 * t, 2 * t + 1);
        }
        g.write(0, 0, 1);
        g.write(1, 1, 1);
        g.read(0, 2, 1);
        g.read(1, 2, 0);
        g.read(0, 3, 0);
        g.read(1, 3, 1);
        g.position = g.topological(new Random(3));
        return g;
    }

    /** All problems in one; their events are mixed evenly in the order. */
    private static Polygraph union(RandomPolygraph[] problems, int eventsPerTxn) {
        int transactions = Arrays.stream(problems).mapToInt(p -> p.n).sum();
        int keys = Arrays.stream(problems).mapToInt(p -> p.keys).sum();
        RandomPolygraph union = new RandomPolygraph(transactions, eventsPerTxn, keys);
        // Events sorted by their place in their own problem over its size are mixed evenly.
        double[] wish = new double[union.events()];
        int t = 0;
        int key = 0;
        for (RandomPolygraph p : problems) {
            int first = t;
            int event = t * eventsPerTxn;
            p.edges.forEach(edge -> union.edge(event + edge[0], event + edge[1]));
            for (int e = 0; e < p.events(); e++) {
                wish[event + e] = (p.position[e] + 0.5) / p.events();
            }
            for (int k = 0; k < p.keys; k++, key++) {
                int at = key;
                p.writers.get(k).forEach(each -> union.write(at, first + each[0], each[1]));
                p.readers.get(k).forEach(each -> union.read(at, first + each[0], each[1]));
            }
            t += p.n;
        }
        union.position = union.topological(wish);
        return union.build(false);
    }

    @Test
    void oneSearchHasTheConflictsOfOneEach() {
        for (int eventsPerTxn = 1; eventsPerTxn <= 2; eventsPerTxn++) {
            RandomPolygraph[] problems = new RandomPolygraph[CORES];
            long decisions = 0;
            long conflicts = 0;
            long nanos = 0;
            for (int i = 0; i < CORES; i++) {
                problems[i] = satisfiable(i + 1, eventsPerTxn);
                Outcome alone = ModelCheck.solve(problems[i].build(false), SolverOptions.defaults());
                assertThat(alone).isInstanceOf(Outcome.Satisfiable.class);
                decisions += alone.statistics().decisions();
                conflicts += alone.statistics().conflicts();
                nanos += alone.statistics().nanos();
            }
            Polygraph union = union(problems, eventsPerTxn);
            Outcome together = ModelCheck.solve(union, SolverOptions.defaults());
            System.out.println(CORES + " cores, E=" + eventsPerTxn + ": alone " + decisions + " decisions " + conflicts
                    + " conflicts " + nanos / 1_000_000 + " ms; together " + together.statistics());
            assertThat(together).isInstanceOf(Outcome.Satisfiable.class);
            assertThat(conflicts).as("conflicts of the problems alone").isGreaterThan(CORES / 4);
            assertThat(together.statistics().conflicts()).isLessThan(2 * conflicts);
        }
    }

    /** One problem without an order among many that have one: the core names its clauses only. */
    @Test
    void oneOfManyIsRefuted() {
        for (int eventsPerTxn = 1; eventsPerTxn <= 2; eventsPerTxn++) {
            RandomPolygraph[] problems = new RandomPolygraph[CORES];
            for (int i = 0; i < CORES; i++) {
                problems[i] = i == CORES / 2 ? longFork(eventsPerTxn) : satisfiable(i + 1, eventsPerTxn);
            }
            Polygraph union = union(problems, eventsPerTxn);
            ProofTrace trace = new ProofTrace(1L << 28);
            Outcome outcome = ModelCheck.solve(
                    union, SolverOptions.defaults().with(Option.SEED, 5).withProof(trace));
            assertThat(outcome).isInstanceOf(Outcome.Unsatisfiable.class);
            Outcome.Core core = ((Outcome.Unsatisfiable) outcome).core();
            int firstKey = 10 * (CORES / 2);
            for (int i = 0; i < core.size(); i++) {
                assertThat(core.key(i)).isBetween(firstKey, firstKey + 1);
            }
            assertThat(ProofChecker.check(union.proofProblem(), trace).accepted())
                    .isTrue();
        }
    }
}
