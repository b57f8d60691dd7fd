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
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.polygraph.solver.proof.Lrat;
import org.polygraph.solver.proof.ProofProblem;
import org.polygraph.solver.proof.ProofTrace;
import org.polygraph.storage.testkit.Law;
import org.polygraph.storage.testkit.Sat4j;

/** The clauses of a proof have no model by sat4j, and its derivations follow step by step by the definition of LRAT. */
final class LratCheck {
    /** A folder that keeps the files, for a checker of another author. */
    private static final @Nullable String FOLDER = System.getProperty("test.lrat");

    private LratCheck() {}

    static void check(ProofProblem problem, ProofTrace trace, Law.Tally tally) throws IOException {
        StringBuilder cnf = new StringBuilder();
        StringBuilder lrat = new StringBuilder();
        assertThat(Lrat.write(problem, trace, cnf, lrat, () -> false).accepted())
                .isTrue();
        if (FOLDER != null) {
            String name = Integer.toHexString(cnf.toString().hashCode());
            Files.writeString(Path.of(FOLDER, name + ".cnf"), cnf);
            Files.writeString(Path.of(FOLDER, name + ".lrat"), lrat);
        }
        List<String> lines = cnf.toString().lines().toList();
        Map<Integer, int[]> clauses = new HashMap<>();
        for (String line : lines.subList(1, lines.size())) {
            clauses.put(clauses.size() + 1, numbers(line.substring(0, line.lastIndexOf('0'))));
        }
        assertThat(lines.get(0)).matches("p cnf \\d+ " + clauses.size());
        int variables = Integer.parseInt(lines.get(0).split(" ")[2]);
        assertThat(Sat4j.isSatisfiable(variables, List.copyOf(clauses.values())))
                .isFalse();
        assertThat(fault(clauses, lrat.toString().lines().toList(), tally)).isEmpty();
    }

    private static int[] numbers(String words) {
        return Arrays.stream(words.trim().split(" "))
                .filter(word -> !word.isEmpty())
                .mapToInt(Integer::parseInt)
                .toArray();
    }

    /** Returns what is wrong with a refutation, or nothing. */
    private static String fault(Map<Integer, int[]> clauses, List<String> lines, Law.Tally tally) {
        boolean isRefuted = false;
        for (String line : lines) {
            String[] words = line.split(" ", 2);
            if (words[1].startsWith("d ")) {
                for (int number : numbers(words[1].substring(2, words[1].length() - 2))) {
                    if (clauses.remove(number) == null) {
                        return "there is no clause to delete: " + line;
                    }
                    tally.count("deletions");
                }
                continue;
            }
            String[] halves = (" " + words[1]).split(" 0", 3);
            int[] clause = numbers(halves[0]);
            if (!follows(clauses, clause, numbers(halves[1]))) {
                return "it does not follow: " + line;
            }
            tally.count("derivations");
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
