package org.polygraph.solver;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringReader;
import java.util.List;
import java.util.Random;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.polygraph.solver.Outcome.Core;
import org.polygraph.solver.SolverOptions.Option;
import org.polygraph.solver.proof.Proof;
import org.polygraph.solver.proof.ProofChecker;
import org.polygraph.solver.proof.ProofResult;
import org.polygraph.solver.proof.ProofText;
import org.polygraph.solver.proof.ProofTrace;
import org.polygraph.storage.testkit.Formula;
import org.polygraph.storage.testkit.Law;
import org.polygraph.storage.testkit.SplitMix;

/**
 * The solver agrees with trying every order, and for formulas with sat4j; with any options. Its order is one by the
 * definition; its core has no order; its proof is accepted, as a file too, and as clauses and LRAT.
 */
class SolverLawsTest {
    /** The bounds of what takes long by definition. */
    private static final int MOST_EVENTS_OF_A_CORE = 7;

    private static final int MOST_STEPS = 5_000;

    @Test
    void oneEvent() throws Exception {
        law("oneEvent", 8_000, seed -> random(seed, 1, 6)).run(command("oneEvent"));
    }

    @Test
    void twoEvents() throws Exception {
        law("twoEvents", 4_000, seed -> random(seed, 2, 5))
                .floor(0.05, "rows refuted", "rows ordered")
                .floor(
                        0,
                        "pswgkuebcrodtlq"
                                .chars()
                                .mapToObj(c -> "line " + (char) c)
                                .toArray(String[]::new))
                .run(command("twoEvents"));
    }

    @Test
    void smallFormulas() throws Exception {
        law("smallFormulas", 250, seed -> formula(seed, 4, 20, 3.4, 5.2))
                .atLeast(50)
                .floor(1, "conflicts")
                .run(command("smallFormulas"));
    }

    @Test
    void formulasNearTheThreshold() throws Exception {
        law("formulasNearTheThreshold", 50, seed -> formula(seed, 20, 60, 3.9, 4.7))
                .atLeast(10)
                .run(command("formulasNearTheThreshold"));
    }

    @Test
    void deletedClauses() throws Exception {
        law("deletedClauses", 150, seed -> formula(seed, 12, 12, 5.5, 5.5))
                .atLeast(30)
                .floor(10, "deletions")
                .floor(50, "derivations")
                .run(command("deletedClauses"));
    }

    /** Rules of the partitioner do not help with these: more than a thousand events stay open. */
    @Test
    void refutationsThatSurviveSaturation() throws Exception {
        new Law<>("surviving", 5, seed -> refutation(seed, 18, 30, 5.5), new Solved())
                .floor(1.9, "unsatisfiable")
                .run(command("refutationsThatSurviveSaturation"));
    }

    @Test
    void pigeonHoles() throws Exception {
        pigeons(1, 5);
    }

    @Test
    @Tag("full")
    void morePigeonHoles() throws Exception {
        pigeons(6, 7);
    }

    /**
     * Formulas on both sides of the threshold: an answer that is not found in ten seconds is unknown, never wrong.
     */
    @Test
    @Tag("full")
    void largeFormulas() throws Exception {
        Law.Tally tally = new Law.Tally();
        Solved solved = new Solved(10);
        for (int variables = 60; variables <= 200; variables += variables < 120 ? 20 : 40) {
            for (double ratio : variables <= 120 ? new double[] {3.6, 4.26, 7} : new double[] {2.5, 14}) {
                for (int seed = 0; seed < 4; seed++) {
                    RandomPolygraph g = formula(30_000 + seed, variables, variables, ratio, ratio);
                    solved.holds(g, new SplitMix(seed), tally);
                }
            }
        }
        for (int seed = 0; seed < 5; seed++) {
            RandomPolygraph g = seed < 3 ? refutation(seed, 60, 80, 5.5) : refutation(seed, 110, 120, 7);
            new Solved().holds(g, new SplitMix(seed), tally);
        }
        assertThat(tally.of("unknown")).isLessThan(60);
    }

    private static void pigeons(int least, int most) throws Exception {
        for (int holes = least; holes <= most; holes++) {
            for (int pigeons = holes; pigeons <= holes + 1; pigeons++) {
                RandomPolygraph g = of(Formula.pigeons(pigeons, holes), new Random(holes));
                assertThat(g.answer).isEqualTo(pigeons == holes);
                new Solved().holds(g, new SplitMix(holes), new Law.Tally());
            }
        }
    }

    private static Law<RandomPolygraph> law(String name, int rounds, LongFunction<RandomPolygraph> source) {
        return new Law<>(name, rounds, source, new Solved()).floor(0.2, "satisfiable", "unsatisfiable", "conflicts");
    }

    private static String command(String method) {
        return "mvn test -pl local-solver -am -Dtest=SolverLawsTest#" + method;
    }

    private static RandomPolygraph random(long seed, int events, int most) {
        Random random = new Random(seed);
        return RandomPolygraph.random(random, 2 + random.nextInt(most - 1), events);
    }

    private static RandomPolygraph formula(long seed, int least, int most, double low, double high) {
        Random random = new Random(seed);
        int variables = least + random.nextInt(most - least + 1);
        return of(Formula.random3Sat(random, variables, low + (high - low) * random.nextDouble()), random);
    }

    private static RandomPolygraph refutation(long seed, int least, int most, double ratio) {
        RandomPolygraph g = formula(seed, least, most, ratio, ratio);
        for (int i = 0; g.answer; i++) {
            g = formula(SplitMix.seedOf(seed, i), least, most, ratio, ratio);
        }
        assertThat(g.events()).isGreaterThan(1_000);
        return g;
    }

    private static RandomPolygraph of(Formula formula, Random random) {
        RandomPolygraph g = RandomPolygraph.of(formula, random.nextBoolean(), random);
        g.answer = formula.isSatisfiable();
        return g;
    }

    /**
     * See the class.
     *
     * @param seconds after which the answer may be unknown; 0: never
     */
    private record Solved(int seconds) implements Law.Property<RandomPolygraph> {
        Solved() {
            this(0);
        }

        @Override
        public void holds(RandomPolygraph g, SplitMix seeds, Law.Tally tally) throws IOException {
            boolean expected = g.answer == null ? BruteForce.isSatisfiable(g) : g.answer;
            if (g.kinds != null) {
                tally.count(expected ? "rows ordered" : "rows refuted");
            }
            for (int variant = 0; variant < 2; variant++) {
                ProofTrace trace = new ProofTrace(1 << 28);
                Polygraph polygraph = g.build(variant == 1 && g.reaches != null);
                SolverOptions options = options(g, new Random(seeds.nextLong())).withProof(trace);
                long end = System.nanoTime() + seconds * 1_000_000_000L;
                Outcome outcome = ModelCheck.solve(
                        polygraph, options.withStop(() -> seconds > 0 && System.nanoTime() - end >= 0));
                tally.count("conflicts", (int) outcome.statistics().conflicts());
                if (seconds > 0 && outcome instanceof Outcome.Unknown) {
                    tally.count("unknown");
                    continue;
                }
                tally.count(expected ? "satisfiable" : "unsatisfiable");
                assertThat(outcome).isInstanceOf(expected ? Outcome.Satisfiable.class : Outcome.Unsatisfiable.class);
                if (outcome instanceof Outcome.Satisfiable found) {
                    assertThat(BruteForce.explains(g, found.position(), counted(g, found.committed())))
                            .isTrue();
                } else if (g.events() <= MOST_EVENTS_OF_A_CORE) {
                    Core core = ((Outcome.Unsatisfiable) outcome).core();
                    assertThat(BruteForce.exists(
                                    g, false, (position, committed) -> holds(g, core, position, committed)))
                            .as("the core has an order")
                            .isFalse();
                } else if (g.answer != null) {
                    assertThat(outcome.statistics().conflicts()).isPositive();
                }
                proof(polygraph, trace, expected, tally);
            }
        }

        /** Small inputs with limits that are hit at once, larger ones with those that they survive. */
        private static SolverOptions options(RandomPolygraph g, Random random) {
            boolean isLarge = g.events() > 20;
            int[] intervals = isLarge ? new int[] {g.events() < 1_000 ? 3 : 30, 30, 20_000} : new int[] {0, 1, 2};
            return SolverOptions.defaults()
                    .with(Option.SEED, random.nextInt())
                    .with(Option.LONG_JUMP, random.nextInt(3) == 0 ? 50 : random.nextInt(4))
                    .with(Option.MOST_LATE, random.nextInt(2) == 0 || isLarge ? 500 : random.nextInt(3))
                    .with(Option.REDUCE_INTERVAL, intervals[random.nextInt(3)])
                    .with(Option.CLAUSE_BYTES, random.nextBoolean() || isLarge ? 1 << 26 : 1 + random.nextInt(2_000));
        }

        private static boolean[] counted(RandomPolygraph g, boolean[] committed) {
            boolean[] counted = new boolean[g.n];
            for (int t = 0; t < g.n; t++) {
                counted[t] = g.optional == null || !g.optional[t] || committed[t];
            }
            return counted;
        }

        /** Whether an order satisfies every clause of a core by the definition of clauses. */
        private static boolean holds(RandomPolygraph g, Core core, int[] position, boolean[] committed) {
            for (int i = 0; i < core.size(); i++) {
                boolean holds = core.reader(i) < 0
                        ? BruteForce.overlapClause(g, core.writer(i), core.other(i), position, committed)
                        : BruteForce.readClause(g, core.reader(i), core.writer(i), position, committed);
                if (!holds) {
                    return false;
                }
            }
            return true;
        }

        /** Checks the proof, what its file holds, and its clauses. */
        private static void proof(Polygraph polygraph, ProofTrace trace, boolean expected, Law.Tally tally)
                throws IOException {
            ProofResult proof = ProofChecker.check(polygraph.proofProblem(), trace);
            assertThat(proof.accepted()).as(proof.message()).isNotEqualTo(expected);
            assertThat(trace.isEnded()).isNotEqualTo(expected);
            if (expected) {
                assertThat(proof.message()).endsWith("the trace ends without a refutation");
            }
            if (proof.step() > MOST_STEPS) {
                return;
            }
            String text = ProofLines.text(polygraph, trace);
            Proof read = ProofText.read(new StringReader(text), 1 << 28);
            StringBuilder again = new StringBuilder();
            ProofText.write(read.problem(), read.trace(), again);
            assertThat(again.toString()).isEqualTo(text);
            assertThat(ProofChecker.check(read.problem(), read.trace())).isEqualTo(proof);
            List<String> lines = text.lines().toList();
            lines.forEach(line -> tally.count("line " + line.charAt(0)));
            int deletion = ProofLines.first(lines, 'x');
            if (!expected && deletion >= 0) {
                assertThat(ProofLines.accepts(ProofLines.with(lines, deletion, "x 1000000")))
                        .as("a clause that is not there")
                        .isFalse();
            }
            if (!expected) {
                LratCheck.check(polygraph.proofProblem(), trace, tally);
            }
        }
    }
}
