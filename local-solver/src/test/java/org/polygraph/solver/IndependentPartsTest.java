package org.polygraph.solver;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.polygraph.solver.SolverOptions.Option;
import org.polygraph.solver.proof.ProofChecker;
import org.polygraph.solver.proof.ProofTrace;

/**
 * Small problems in one polygraph, their transactions mixed, with known edges that lead from one to another and keys on which
 * all agree: solved in parts, whatever the number of threads, the answer is that of trying every order of each.
 */
class IndependentPartsTest {
    private int satisfiable;
    private int refuted;
    private int divided;

    @Test
    void oneEventATransaction() {
        run(1, 3_000, 1);
    }

    @Test
    void twoEventsATransaction() {
        run(2_000_000, 2_000, 2);
    }

    @Test
    @Tag("full")
    void many() {
        run(5_000_000, 60_000, 1);
        run(6_000_000, 40_000, 2);
    }

    private void run(long firstSeed, int rounds, int eventsPerTxn) {
        for (long seed = firstSeed; seed < firstSeed + rounds; seed++) {
            check(seed, eventsPerTxn);
        }
        System.out.println("parts, E=" + eventsPerTxn + ": " + satisfiable + " satisfiable, " + refuted + " not, "
                + divided + " divided");
        assertThat(satisfiable).isGreaterThan(rounds / 10);
        assertThat(refuted).isGreaterThan(rounds / 10);
        assertThat(divided).isGreaterThan(rounds / 6);
    }

    private void check(long seed, int eventsPerTxn) {
        Random random = new Random(seed);
        RandomPolygraph[] small = new RandomPolygraph[3 + random.nextInt(4)];
        boolean expected = true;
        for (int i = 0; i < small.length; i++) {
            do {
                small[i] = RandomPolygraph.random(random, 2 + random.nextInt(3), eventsPerTxn);
            } while (random.nextInt(4) != 0 && !BruteForce.isSatisfiable(small[i]));
            expected &= BruteForce.isSatisfiable(small[i]);
        }
        int tying = random.nextInt(2) * random.nextInt(5);
        RandomPolygraph g = union(random, small, eventsPerTxn, tying);
        Polygraph polygraph = g.build(random.nextInt(4) != 0, 1 + random.nextInt(3));
        if (tying > 0) {
            // Edges this way and that: the parts' answers are not the whole's.
            expected = new Solver().solve(polygraph, SolverOptions.defaults().with(Option.PARTS, 0))
                    instanceof Outcome.Satisfiable;
        }
        divided += IndependentParts.of(polygraph, org.polygraph.solver.sat.Budget.unlimited()) == null ? 0 : 1;
        String what = "seed " + seed;
        int[] first = null;
        for (int threads = 1; threads <= 3; threads += 2) {
            ProofTrace trace = new ProofTrace(1 << 24);
            Outcome outcome = new Solver()
                    .solve(
                            polygraph,
                            SolverOptions.defaults()
                                    .with(Option.SEED, seed)
                                    .withThreads(threads)
                                    .withProof(trace));
            if (outcome instanceof Outcome.Satisfiable sat) {
                assertThat(expected).as(what).isTrue();
                assertThat(BruteForce.explains(g, sat.position(), counted(g, sat.committed())))
                        .as(what)
                        .isTrue();
                for (int[] edge : g.edges) {
                    assertThat(sat.position()[edge[0]]).as(what).isLessThan(sat.position()[edge[1]]);
                }
                assertThat(first == null || Arrays.equals(first, sat.position()))
                        .as(what)
                        .isTrue();
                first = sat.position();
                satisfiable++;
            } else {
                assertThat(outcome).as(what).isInstanceOf(Outcome.Unsatisfiable.class);
                assertThat(expected).as(what).isFalse();
                assertThat(ProofChecker.check(polygraph.proofProblem(), trace).message())
                        .as(what)
                        .isEmpty();
                Outcome.Core core = ((Outcome.Unsatisfiable) outcome).core();
                int[] named = new int[core.size()];
                for (int i = 0; i < named.length; i++) {
                    named[i] = core.key(i);
                }
                assertThat(first == null || Arrays.equals(first, named))
                        .as(what)
                        .isTrue();
                first = named;
                refuted++;
            }
        }
    }

    /** All in one; the parts' numbers are strewn over the transactions but keep their order. */
    private static RandomPolygraph union(Random random, RandomPolygraph[] small, int eventsPerTxn, int tying) {
        List<Integer> owners = new ArrayList<>();
        int keys = 0;
        for (int i = 0; i < small.length; i++) {
            owners.addAll(Collections.nCopies(small[i].n, i));
            keys += small[i].keys;
        }
        Collections.shuffle(owners, random);
        int[][] txn = new int[small.length][];
        int[] filled = new int[small.length];
        for (int i = 0; i < small.length; i++) {
            txn[i] = new int[small[i].n];
        }
        for (int t = 0; t < owners.size(); t++) {
            txn[owners.get(t)][filled[owners.get(t)]++] = t;
        }
        RandomPolygraph g = new RandomPolygraph(owners.size(), eventsPerTxn, keys + 1);
        boolean choices = false;
        boolean[] optional = new boolean[g.n];
        int key = 0;
        for (int i = 0; i < small.length; i++) {
            RandomPolygraph part = small[i];
            for (int[] edge : part.edges) {
                g.edge(
                        eventsPerTxn * txn[i][edge[0] / eventsPerTxn] + edge[0] % eventsPerTxn,
                        eventsPerTxn * txn[i][edge[1] / eventsPerTxn] + edge[1] % eventsPerTxn);
            }
            for (int k = 0; k < part.keys; k++, key++) {
                for (int[] write : part.writers.get(k)) {
                    g.write(key, txn[i][write[0]], write[1]);
                }
                for (int[] read : part.readers.get(k)) {
                    g.read(key, txn[i][read[0]], read[1]);
                }
            }
            for (int t = 0; part.optional != null && t < part.n; t++) {
                optional[txn[i][t]] = part.optional[t];
                choices |= part.optional[t];
            }
        }
        g.optional = choices ? optional : null;
        settle(random, g, txn, keys);
        tie(random, g, tying);
        g.position = g.topological(random);
        g.close();
        boolean[] committed = counted(g, new boolean[g.n]);
        g.dirtyKeys = java.util.stream.IntStream.range(0, g.keys)
                .filter(k -> !BruteForce.explains(g, k, g.position, committed))
                .toArray();
        return g;
    }

    /** Known edges from one part to another, each part's transactions in one sweep, and a key that they order. */
    private static void settle(Random random, RandomPolygraph g, int[][] txn, int key) {
        int last = -1;
        for (int[] part : txn) {
            int chosen = part[random.nextInt(part.length)];
            boolean choice = g.optional != null && g.optional[chosen];
            if (last >= 0 && !choice && random.nextInt(4) != 0) {
                g.edge(g.c(last), g.b(chosen));
                if (random.nextBoolean()) {
                    g.read(key, chosen, newest(g, key));
                    g.write(key, chosen, chosen + 1);
                } else {
                    g.read(key, chosen, newest(g, key));
                }
                last = chosen;
            } else if (!choice && last < 0) {
                last = chosen;
            }
        }
    }

    /** Known edges between any two transactions, as some order has them. */
    private static void tie(Random random, RandomPolygraph g, int edges) {
        int[] order = g.topological(random);
        for (int i = 0; i < edges; i++) {
            int a = random.nextInt(g.n);
            int b = random.nextInt(g.n);
            boolean choice = g.optional != null && (g.optional[a] || g.optional[b]);
            if (a != b && !choice && order[g.c(a)] < order[g.b(b)]) {
                g.edge(g.c(a), g.b(b));
            } else if (a != b && !choice && order[g.b(a)] < order[g.c(b)]) {
                g.edge(g.b(a), g.c(b));
            }
        }
    }

    private static int newest(RandomPolygraph g, int key) {
        List<int[]> writers = g.writers.get(key);
        return writers.isEmpty() ? 0 : writers.get(writers.size() - 1)[1];
    }

    private static boolean[] counted(RandomPolygraph g, boolean[] committed) {
        boolean[] counted = new boolean[g.n];
        for (int t = 0; t < g.n; t++) {
            counted[t] = g.optional == null || !g.optional[t] || (committed != null && committed[t]);
        }
        return counted;
    }
}
