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
    private static final int CORES = SuiteScale.of(1_000);

    private static Polygraph satisfiable(long seed, int eventsPerTxn) {
        HiddenOrder g = new HiddenOrder();
        g.seed = seed;
        g.sessions = 5;
        g.transactions = 40;
        g.keys = 10;
        g.values = 2;
        g.operations = 4;
        g.noise = 10;
        g.eventsPerTxn = eventsPerTxn;
        return g.build();
    }

    /** Two readers see two writers in opposite orders. */
    private static Polygraph longFork(int eventsPerTxn) {
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
        return g.build(false);
    }

    /** All problems in one; their events are mixed evenly in the order. */
    private static Polygraph union(Polygraph[] problems, int eventsPerTxn) {
        int transactions = 0;
        int keys = 0;
        int writers = 0;
        int readers = 0;
        int edges = 0;
        for (Polygraph p : problems) {
            transactions += p.transactions;
            keys += p.keys();
            writers += p.writerStart[p.keys()];
            readers += p.readerStart[p.keys()];
            edges += p.predecessorStart[p.events()];
        }
        int events = transactions * eventsPerTxn;
        int[] start = new int[events + 1];
        int[] predecessor = new int[edges];
        int[] writerStart = new int[keys + 1];
        int[] writerTxn = new int[writers];
        int[] writerClass = new int[writers];
        int[] readerStart = new int[keys + 1];
        int[] readerTxn = new int[readers];
        int[] readerClass = new int[readers];
        // Events sorted by their place in their own problem over its size are mixed evenly.
        double[] wish = new double[events];
        int txn = 0;
        int key = 0;
        int writer = 0;
        int reader = 0;
        int edge = 0;
        for (Polygraph p : problems) {
            int firstEvent = txn * eventsPerTxn;
            for (int e = 0; e < p.events(); e++) {
                wish[firstEvent + e] = (p.position[e] + 0.5) / p.events();
                for (int i = p.predecessorStart[e]; i < p.predecessorStart[e + 1]; i++) {
                    predecessor[edge++] = firstEvent + p.predecessor[i];
                }
                start[firstEvent + e + 1] = edge;
            }
            for (int k = 0; k < p.keys(); k++) {
                writerStart[key + k + 1] = writer + p.writerStart[k + 1];
                readerStart[key + k + 1] = reader + p.readerStart[k + 1];
            }
            for (int w = 0; w < p.writerStart[p.keys()]; w++) {
                writerTxn[writer + w] = txn + p.writerTxn[w];
                writerClass[writer + w] = p.writerClass[w] < 0 ? Polygraph.INITIAL : writer + p.writerClass[w];
            }
            for (int r = 0; r < p.readerStart[p.keys()]; r++) {
                readerTxn[reader + r] = txn + p.readerTxn[r];
                readerClass[reader + r] = p.readerClass[r] < 0 ? Polygraph.INITIAL : writer + p.readerClass[r];
            }
            txn += p.transactions;
            key += p.keys();
            writer += p.writerStart[p.keys()];
            reader += p.readerStart[p.keys()];
        }
        Integer[] byWish = new Integer[events];
        Arrays.setAll(byWish, e -> e);
        Arrays.sort(byWish, (a, b) -> wish[a] != wish[b] ? Double.compare(wish[a], wish[b]) : Integer.compare(a, b));
        int[] position = new int[events];
        for (int i = 0; i < events; i++) {
            position[byWish[i]] = i;
        }
        Polygraph union = Polygraph.builder(transactions, eventsPerTxn)
                .position(position)
                .predecessors(start, predecessor)
                .writers(writerStart, writerTxn, writerClass)
                .readers(readerStart, readerTxn, readerClass)
                .build();
        PolygraphLaw.validate(union);
        return union;
    }

    @Test
    void oneSearchHasTheConflictsOfOneEach() {
        for (int eventsPerTxn = 1; eventsPerTxn <= 2; eventsPerTxn++) {
            Polygraph[] problems = new Polygraph[CORES];
            long decisions = 0;
            long conflicts = 0;
            long nanos = 0;
            for (int i = 0; i < CORES; i++) {
                problems[i] = satisfiable(i + 1, eventsPerTxn);
                Outcome alone = ModelCheck.solve(problems[i], SolverOptions.defaults());
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
            Polygraph[] problems = new Polygraph[CORES];
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
