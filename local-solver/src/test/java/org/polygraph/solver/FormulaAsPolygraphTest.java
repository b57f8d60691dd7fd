package org.polygraph.solver;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.polygraph.solver.SolverOptions.Option;
import org.polygraph.solver.proof.ProofChecker;
import org.polygraph.solver.proof.ProofResult;
import org.polygraph.solver.proof.ProofTrace;
import org.polygraph.storage.testkit.SuiteScale;

/**
 * Problems that are hard by construction: formulas as histories. The solver agrees with sat4j, and every refutation is
 * accepted by the checker.
 */
class FormulaAsPolygraphTest {
    private int satisfiable;
    private int rounds;
    private int unknown;
    private long conflicts;
    private long steps;
    private long solveNanos;
    private long checkNanos;
    /** The conflicts after which a formula counts as unknown. 0: every formula must be decided. */
    private long seconds;

    @Test
    void smallFormulas() {
        run(1, SuiteScale.of(250), 4, 20, 3.4, 5.2);
        assertThat(satisfiable).isBetween(rounds / 10, 9 * rounds / 10);
        assertThat(conflicts).isGreaterThan(rounds);
    }

    @Test
    void formulasNearTheThreshold() {
        run(10_000, SuiteScale.of(50), 20, 60, 3.9, 4.7);
        assertThat(satisfiable).isBetween(rounds / 10, 9 * rounds / 10);
    }

    /**
     * Formulas near the threshold and on both sides of it: an answer that is not found in time is unknown, never wrong.
     */
    @Test
    @Tag("full")
    void largeFormulas() {
        seconds = 10;
        for (int variables : new int[] {60, 80, 100, 120}) {
            run(30_000 + variables, 4, variables, variables, 3.6, 3.6);
            run(40_000 + variables, 4, variables, variables, 4.26, 4.26);
            run(50_000 + variables, 4, variables, variables, 7, 7);
        }
        for (int variables : new int[] {150, 200}) {
            run(60_000 + variables, 3, variables, variables, 2.5, 2.5);
            run(70_000 + variables, 3, variables, variables, 14, 14);
        }
        assertThat(unknown).isLessThan(rounds / 2);
    }

    @Test
    void pigeonHoles() {
        for (int holes = 1; holes <= 5; holes++) {
            check("pigeons and holes " + holes, FormulaHistory.pigeons(holes + 1, holes), holes);
            check("enough holes " + holes, FormulaHistory.pigeons(holes, holes), holes);
        }
        assertThat(satisfiable).isEqualTo(5);
        report();
    }

    @Test
    @Tag("full")
    void morePigeonHoles() {
        for (int holes = 6; holes <= 7; holes++) {
            check("pigeons and holes " + holes, FormulaHistory.pigeons(holes + 1, holes), holes);
            report();
        }
    }

    /** The rules of the partitioner do not help with these refutations: more than a thousand events stay open. */
    @Test
    void refutationsThatSurviveSaturation() {
        surviving(50_000, 5, 18, 30, 5.5);
        assertThat(rounds).isEqualTo(5);
        report();
    }

    @Test
    @Tag("full")
    void largeRefutationsThatSurviveSaturation() {
        surviving(51_000, 3, 60, 80, 5.5);
        surviving(52_000, 2, 110, 120, 7);
        report();
    }

    private void surviving(long firstSeed, int count, int least, int most, double ratio) {
        int found = 0;
        for (long seed = firstSeed; found < count; seed++) {
            Random random = new Random(seed);
            FormulaHistory formula = FormulaHistory.random3Sat(random, least + random.nextInt(most - least + 1), ratio);
            if (formula.isSatisfiable()) {
                continue;
            }
            assertThat(formula.encode().events()).isGreaterThan(1_000);
            long before = conflicts;
            check("seed " + seed, formula, seed);
            assertThat(conflicts - before).as("seed " + seed).isPositive();
            found++;
        }
    }

    private void run(long firstSeed, int count, int least, int most, double low, double high) {
        for (long seed = firstSeed; seed < firstSeed + count; seed++) {
            Random random = new Random(seed);
            int variables = least + random.nextInt(most - least + 1);
            double ratio = low + (high - low) * random.nextDouble();
            check("seed " + seed, FormulaHistory.random3Sat(random, variables, ratio), seed);
        }
        System.out.print(least + " to " + most + " variables, ratio " + low + " to " + high + ", all so far: ");
        report();
    }

    private void report() {
        System.out.println("3-SAT as histories: " + unknown + " unknown, " + satisfiable + " of " + rounds + ", "
                + conflicts + " conflicts in "
                + solveNanos / 1_000_000 + " ms; " + steps + " steps of proof checked in " + checkNanos / 1_000_000
                + " ms");
    }

    private void check(String what, FormulaHistory formula, long seed) {
        Random random = new Random(seed);
        RandomPolygraph g = random.nextBoolean() ? formula.encode() : formula.encodeWithReads();
        g.position = g.topological(random);
        Polygraph polygraph = g.build(false);
        ProofTrace trace = new ProofTrace(1L << 28);
        // Clauses are deleted often, or rarely.
        SolverOptions options = SolverOptions.defaults()
                .with(Option.REDUCE_INTERVAL, random.nextBoolean() ? 30 : 20_000)
                .with(Option.LONG_JUMP, random.nextBoolean() ? random.nextInt(4) : 50)
                .withProof(trace);
        long start = System.nanoTime();
        if (seconds > 0) {
            long end = start + seconds * 1_000_000_000L;
            options = options.withStop(() -> System.nanoTime() - end >= 0);
        }
        Outcome outcome = ModelCheck.solve(polygraph, options);
        solveNanos += System.nanoTime() - start;
        rounds++;
        conflicts += outcome.statistics().conflicts();
        if (outcome instanceof Outcome.Unknown && seconds > 0) {
            unknown++;
            return;
        }
        assertThat(outcome).as(what).isNotInstanceOf(Outcome.Unknown.class);
        boolean expected = formula.isSatisfiable();
        assertThat(outcome instanceof Outcome.Satisfiable).as(what).isEqualTo(expected);
        assertThat(trace.isEnded()).as(what).isNotEqualTo(expected);
        if (!expected) {
            start = System.nanoTime();
            ProofResult proof = ProofChecker.check(polygraph.proofProblem(), trace);
            checkNanos += System.nanoTime() - start;
            assertThat(proof.accepted()).as(what + ": " + proof.message()).isTrue();
            steps += proof.step();
        }
        satisfiable += expected ? 1 : 0;
    }
}
