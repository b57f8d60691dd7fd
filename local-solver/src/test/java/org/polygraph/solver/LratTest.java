package org.polygraph.solver;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.polygraph.solver.SolverOptions.Option;
import org.polygraph.solver.proof.Lrat;
import org.polygraph.solver.proof.ProofTrace;
import org.polygraph.storage.testkit.SuiteScale;
import org.sat4j.specs.TimeoutException;

/** The clauses of a proof have no model by sat4j, and its derivations follow step by step by the definition of LRAT. */
class LratTest {
    /** A folder that keeps the files, for a checker of another author. */
    private static final @Nullable String FOLDER = System.getProperty("test.lrat");

    private int refuted;
    private int deletions;
    private int derivations;

    @Test
    void randomProblems() throws IOException, TimeoutException {
        for (long seed = 1; seed <= SuiteScale.of(15_000); seed++) {
            Random random = new Random(seed);
            int events = 1 + random.nextInt(2);
            RandomPolygraph g = RandomPolygraph.random(random, 2 + random.nextInt(events == 1 ? 5 : 4), events);
            check("random-" + seed, g.build(seed % 2 == 0), SolverOptions.defaults());
        }
        assertThat(refuted).isGreaterThan(SuiteScale.of(15_000) / 8);
    }

    @Test
    void formulasWithDeletedClauses() throws IOException, TimeoutException {
        for (long seed = 1; seed <= SuiteScale.of(1_000); seed++) {
            FormulaHistory formula = FormulaHistory.random3Sat(new Random(seed), 12, 5.5);
            RandomPolygraph g = seed % 2 == 0 ? formula.encode() : formula.encodeWithReads();
            g.position = g.topological(new Random(seed));
            check("formula-" + seed, g.build(false), SolverOptions.defaults().with(Option.REDUCE_INTERVAL, 3));
        }
        assertThat(refuted).isGreaterThan(40);
        assertThat(deletions).isGreaterThan(1_000);
        assertThat(derivations).isGreaterThan(5_000);
    }

    private void check(String name, Polygraph polygraph, SolverOptions options) throws IOException, TimeoutException {
        ProofTrace trace = new ProofTrace(1 << 24);
        if (!(ModelCheck.solve(polygraph, options.withProof(trace)) instanceof Outcome.Unsatisfiable)) {
            return;
        }
        refuted++;
        StringBuilder cnf = new StringBuilder();
        StringBuilder lrat = new StringBuilder();
        assertThat(Lrat.write(polygraph.proofProblem(), trace, cnf, lrat, () -> false)
                        .accepted())
                .as(name)
                .isTrue();
        if (FOLDER != null) {
            Files.writeString(Path.of(FOLDER, name + ".cnf"), cnf);
            Files.writeString(Path.of(FOLDER, name + ".lrat"), lrat);
        }
        Map<Integer, int[]> clauses = clauses(cnf.toString());
        FormulaHistory formula = new FormulaHistory(1_000);
        clauses.values()
                .forEach(clause -> formula.clause(Arrays.stream(clause)
                        .map(literal -> literal > 0 ? 2 * literal - 2 : -2 * literal - 1)
                        .toArray()));
        assertThat(formula.isSatisfiable()).as(name).isFalse();
        assertThat(fault(clauses, lrat.toString().lines().toList())).as(name).isEmpty();
    }

    private static Map<Integer, int[]> clauses(String cnf) {
        List<String> lines = cnf.lines().toList();
        Map<Integer, int[]> clauses = new HashMap<>();
        for (String line : lines.subList(1, lines.size())) {
            clauses.put(clauses.size() + 1, numbers(line.substring(0, line.lastIndexOf('0'))));
        }
        assertThat(lines.get(0)).matches("p cnf \\d+ " + clauses.size());
        return clauses;
    }

    private static int[] numbers(String words) {
        return words.isBlank()
                ? new int[0]
                : Arrays.stream(words.trim().split(" "))
                        .mapToInt(Integer::parseInt)
                        .toArray();
    }

    /** Returns what is wrong with a refutation, or nothing. */
    private String fault(Map<Integer, int[]> clauses, List<String> lines) {
        boolean isRefuted = false;
        for (String line : lines) {
            String[] words = line.split(" ", 2);
            if (words[1].startsWith("d ")) {
                for (int number : numbers(words[1].substring(2, words[1].length() - 2))) {
                    if (clauses.remove(number) == null) {
                        return "there is no clause to delete: " + line;
                    }
                    deletions++;
                }
                continue;
            }
            String[] halves = (" " + words[1]).split(" 0", 3);
            int[] clause = numbers(halves[0]);
            if (!follows(clauses, clause, numbers(halves[1]))) {
                return "it does not follow: " + line;
            }
            derivations++;
            isRefuted |= clause.length == 0;
            clauses.put(Integer.parseInt(words[0]), clause);
        }
        return isRefuted ? "" : "the empty clause is not derived";
    }

    /** Whether each hint but the last forces one literal when the clause is false, and the last one is false then. */
    private static boolean follows(Map<Integer, int[]> clauses, int[] clause, int[] hints) {
        Set<Integer> isFalse = new HashSet<>();
        Arrays.stream(clause).forEach(isFalse::add);
        for (int i = 0; i < hints.length; i++) {
            int[] hint = clauses.get(hints[i]);
            if (hint == null) {
                return false;
            }
            int[] open = Arrays.stream(hint)
                    .filter(literal -> !isFalse.contains(literal))
                    .toArray();
            if (open.length == 0) {
                return i == hints.length - 1;
            }
            if (open.length > 1 || isFalse.contains(-open[0])) {
                return false;
            }
            isFalse.add(-open[0]);
        }
        return false;
    }
}
