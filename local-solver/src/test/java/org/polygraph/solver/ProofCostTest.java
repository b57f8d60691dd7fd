package org.polygraph.solver;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.BitSet;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.polygraph.solver.proof.EdgeLists;
import org.polygraph.solver.proof.ProofChecker;
import org.polygraph.solver.proof.ProofResult;
import org.polygraph.solver.proof.ProofTrace;
import org.polygraph.storage.testkit.Formula;

/** Measures the cost of a trace. The numbers in local-solver/docs/proof.md are from here. */
class ProofCostTest {
    private static final int ROUNDS = 5;

    @Test
    @Tag("full")
    void costOfATrace() {
        Random random = new Random(11);
        RandomPolygraph formula = RandomPolygraph.of(Formula.random3Sat(random, 60, 4.6), false, new Random(1));
        measure("3-SAT, 60 variables, ratio 4.6", formula.build(false));
        measure(
                "6 pigeons, 5 holes",
                RandomPolygraph.of(Formula.pigeons(6, 5), false, new Random(1)).build(false));
        HiddenOrder few = new HiddenOrder();
        few.transactions = 2_000;
        measure("2,000 transactions, 500 keys, 5 values", few.build());
        HiddenOrder unique = new HiddenOrder();
        unique.transactions = 20_000;
        unique.values = 0;
        unique.eventsPerTxn = 2;
        measure("20,000 transactions, 500 keys, unique values, two events", unique.build());
        HiddenOrder sure = new HiddenOrder();
        sure.transactions = 10_000;
        sure.keys = 5_000;
        measure("10,000 transactions, 5,000 keys, 5 values, all paths known", withEveryPath(sure.build()));
    }

    private static Polygraph withEveryPath(Polygraph p) {
        EdgeLists successors = p.successors();
        int[] start = successors.start();
        int[] successor = successors.target();
        int[] eventAt = new int[p.events()];
        for (int e = 0; e < eventAt.length; e++) {
            eventAt[p.position[e]] = e;
        }
        BitSet[] reaches = new BitSet[eventAt.length];
        for (int at = eventAt.length - 1; at >= 0; at--) {
            BitSet set = new BitSet(eventAt.length);
            for (int i = start[eventAt[at]]; i < start[eventAt[at] + 1]; i++) {
                set.set(successor[i]);
                set.or(reaches[successor[i]]);
            }
            reaches[eventAt[at]] = set;
        }
        return Polygraph.builder(p.transactions, p.eventsPerTransaction)
                .position(p.position)
                .predecessors(p.predecessorStart, p.predecessor)
                .writers(p.writerStart, p.writerTxn, p.writerClass)
                .readers(p.readerStart, p.readerTxn, p.readerClass)
                .reachability((a, b) -> reaches[a].get(b))
                .build();
    }

    private static void measure(String name, Polygraph p) {
        double[] off = new double[ROUNDS];
        double[] on = new double[ROUNDS];
        double[] check = new double[ROUNDS];
        ProofTrace trace = new ProofTrace(1L << 30);
        String answer = "";
        for (int i = -2; i < ROUNDS; i++) {
            int at = Math.max(0, i);
            long start = System.nanoTime();
            Outcome without = new Solver().solve(p, SolverOptions.defaults());
            off[at] = (System.nanoTime() - start) / 1e6;
            start = System.nanoTime();
            Outcome with = new Solver().solve(p, SolverOptions.defaults().withProof(trace));
            on[at] = (System.nanoTime() - start) / 1e6;
            assertThat(with.getClass()).isEqualTo(without.getClass());
            assertThat(with.statistics().conflicts())
                    .isEqualTo(without.statistics().conflicts());
            start = System.nanoTime();
            ProofResult proof = ProofChecker.check(p.proofProblem(), trace);
            check[at] = (System.nanoTime() - start) / 1e6;
            // Every step is correct, also if the steps refute nothing.
            assertThat(proof.step()).isEqualTo(trace.steps());
            assertThat(proof.accepted()).isEqualTo(with instanceof Outcome.Unsatisfiable);
            assertThat(proof.accepted() || proof.message().endsWith("the trace ends without a refutation"))
                    .as(proof.message())
                    .isTrue();
            answer = with.getClass().getSimpleName() + ", " + with.statistics().conflicts() + " conflicts";
        }
        Arrays.sort(off);
        Arrays.sort(on);
        Arrays.sort(check);
        int median = ROUNDS / 2;
        System.out.printf(
                "%s: %s; off %.0f ms, on %.0f ms (%.2f); %d steps, %.1f MB, checked in %.0f ms%n",
                name,
                answer,
                off[median],
                on[median],
                on[median] / off[median],
                trace.steps(),
                trace.bytes() / 1e6,
                check[median]);
    }
}
