package org.polygraph.solver.sat;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.polygraph.storage.testkit.Sat4j;
import org.polygraph.storage.testkit.SuiteScale;

/**
 * Random formulas near the 3-SAT threshold: the search agrees with sat4j, whenever clauses are added. Before each
 * decision its assignment is what the decisions so far imply, computed from scratch; clauses that were added in between
 * may imply more.
 */
class SearchAgainstSat4jTest {
    /**
     * Decides variables at random, and adds withheld clauses at random moments and when a full assignment breaks one.
     */
    private static final class Drip implements Theory {
        private final long seed;
        private final Random random;
        private final List<int[]> withheld;
        private final IntStack clause = new IntStack(SearchBudget.unlimited());
        private final int dripRate;
        private final DerivationCheck proof;
        private int tag;
        private final Set<Integer> decided = new HashSet<>();
        private int assigned;
        private boolean hasUndone;
        int atLevel;
        int rebuilt;

        Drip(long seed, Random random, List<int[]> withheld, int dripRate, int tag, DerivationCheck proof) {
            this.seed = seed;
            this.proof = proof;
            this.random = random;
            this.withheld = withheld;
            this.dripRate = dripRate;
            this.tag = tag;
        }

        @Override
        public boolean assign(int literal, IntStack explanation) {
            assigned++;
            return true;
        }

        @Override
        public void undo(int literal) {
            assigned--;
            decided.remove(literal);
            hasUndone = true;
        }

        @Override
        public int next(Search search) {
            compareWithRebuilt(search);
            boolean added = false;
            // Several clauses at once, so that they meet pending propagation and new conflicts.
            while (!withheld.isEmpty() && random.nextInt(100) < dripRate && !search.isRefuted()) {
                add(search, random.nextInt(withheld.size()));
                added = true;
            }
            if (added) {
                return AGAIN;
            }
            assertThat(assigned).isLessThanOrEqualTo(search.variables());
            if (assigned == search.variables()) {
                for (int i = 0; i < withheld.size(); i++) {
                    boolean holds = false;
                    for (int literal : withheld.get(i)) {
                        holds |= search.value(literal) > 0;
                    }
                    if (!holds) {
                        add(search, i);
                        return AGAIN;
                    }
                }
                return COMPLETE;
            }
            int variable = random.nextInt(search.variables());
            while (search.value(2 * variable) != 0) {
                variable = (variable + 1) % search.variables();
            }
            int decision = 2 * variable + random.nextInt(2);
            decided.add(decision);
            return decision;
        }

        private void compareWithRebuilt(Search search) {
            // If a decision made a clause false at once, neither assign nor undo was called for it.
            decided.removeIf(literal -> search.value(literal) <= 0);
            Set<Integer> expected = proof.rebuilt(decided);
            // A clause that was true when it came is not looked at again when that literal goes: it may wait until it
            // is false.
            boolean mayWait = atLevel > 0;
            assertThat(expected != null || mayWait)
                    .as("contradiction, seed %d", seed)
                    .isTrue();
            for (int literal = 0; expected != null && literal < 2 * search.variables(); literal++) {
                boolean isTrue = search.value(literal) > 0;
                if (isTrue != expected.contains(literal)) {
                    assertThat(!isTrue && mayWait)
                            .as("literal %d, seed %d", literal, seed)
                            .isTrue();
                }
            }
            proof.noneIsFalse(search);
            rebuilt += hasUndone ? 1 : 0;
            hasUndone = false;
        }

        private void add(Search search, int index) {
            if (search.level() > 0) {
                atLevel++;
            }
            int[] literals = withheld.get(index);
            push(clause, literals);
            withheld.set(index, withheld.get(withheld.size() - 1));
            withheld.remove(withheld.size() - 1);
            proof.given(literals);
            search.addClause(clause, tag++);
        }
    }

    private static void push(IntStack clause, int[] literals) {
        clause.clear();
        for (int literal : literals) {
            clause.push(literal);
        }
    }

    @Test
    void allClausesAtOnce() {
        run(10, SuiteScale.of(800), 0);
    }

    @Test
    void clausesAddedDuringTheSearch() {
        run(20_000, SuiteScale.of(1_200), 1);
    }

    private void run(long firstSeed, int rounds, int lazy) {
        int satisfiable = 0;
        long conflicts = 0;
        int atLevel = 0;
        int rebuilt = 0;
        long learnt = 0;
        long deleted = 0;
        for (long seed = firstSeed; seed < firstSeed + rounds; seed++) {
            Random random = new Random(seed);
            int variables = 3 + random.nextInt(seed % 20 == 0 ? 58 : 28);
            List<int[]> formula = formula(random, variables);
            boolean expected = sat4j(variables, formula);
            Search.Settings settings = new Search.Settings(
                    random.nextBoolean() ? random.nextInt(4) : 50,
                    random.nextBoolean() ? random.nextInt(6) : 500,
                    random.nextInt(3) == 0 ? 0 : 1 + random.nextInt(40));
            List<int[]> withheld = new ArrayList<>();
            List<int[]> given = new ArrayList<>();
            for (int[] clause : formula) {
                (lazy * random.nextInt(4) != 0 ? withheld : given).add(clause);
            }
            int rate = random.nextInt(3) == 0 ? 0 : 1 + random.nextInt(80);
            List<int[]> hidden = new ArrayList<>(withheld);
            DerivationCheck proof = new DerivationCheck("seed " + seed);
            Drip theory = new Drip(seed, random, withheld, rate, given.size(), proof);
            Search search = new Search(theory, SearchBudget.unlimited(), settings, proof);
            for (int v = 0; v < variables; v++) {
                search.addVariable();
            }
            IntStack clause = new IntStack(SearchBudget.unlimited());
            for (int i = 0; i < given.size(); i++) {
                push(clause, given.get(i));
                proof.given(given.get(i));
                search.addClause(clause, i);
            }
            boolean actual = search.solve();
            assertThat(actual).as("seed " + seed).isEqualTo(expected);
            conflicts += search.conflicts();
            assertThat(proof.isRefuted()).as("seed " + seed).isNotEqualTo(expected);
            learnt += proof.learnt();
            deleted += proof.deleted();
            atLevel += theory.atLevel;
            rebuilt += theory.rebuilt;
            if (actual) {
                satisfiable++;
                for (int[] literals : formula) {
                    boolean holds = false;
                    for (int literal : literals) {
                        holds |= search.value(literal) > 0;
                    }
                    assertThat(holds).as("model, seed " + seed).isTrue();
                }
            } else if (hidden.isEmpty()) {
                IntStack tags = new IntStack(SearchBudget.unlimited());
                search.core(tags);
                List<int[]> core = new ArrayList<>();
                for (int i = 0; i < tags.size(); i++) {
                    core.add(given.get(tags.get(i)));
                }
                assertThat(sat4j(variables, core)).as("core, seed " + seed).isFalse();
            }
        }
        System.out.println("sat4j: " + satisfiable + " of " + rounds + " satisfiable, " + conflicts + " conflicts, "
                + atLevel + " clauses added under decisions; " + learnt + " learnt clauses checked, " + deleted
                + " deleted; rebuilt after backjumps " + rebuilt + " times");
        assertThat(rebuilt).isGreaterThan(rounds / 10);
        // Clauses are deleted in one of about a hundred rounds.
        assertThat(deleted).isGreaterThan(rounds < 1_000 ? -1 : 0);
        assertThat(satisfiable).isBetween(rounds / 10, 9 * rounds / 10);
    }

    private static List<int[]> formula(Random random, int variables) {
        int clauses = (int) (variables * (3.6 + 1.6 * random.nextDouble())) + 1;
        // Three literals in every clause: unit clauses would refute most formulas without a search.
        boolean isHard = random.nextBoolean();
        List<int[]> formula = new ArrayList<>();
        for (int i = 0; i < clauses; i++) {
            int size = isHard
                    ? 3
                    : random.nextInt(60) == 0 ? 1 : random.nextInt(4) == 0 ? 2 : random.nextInt(12) == 0 ? 5 : 3;
            List<Integer> chosen = new ArrayList<>();
            while (chosen.size() < Math.min(size, variables)) {
                int variable = random.nextInt(variables);
                if (!chosen.contains(variable)) {
                    chosen.add(variable);
                }
            }
            formula.add(chosen.stream().mapToInt(v -> 2 * v + random.nextInt(2)).toArray());
        }
        return formula;
    }

    private static boolean sat4j(int variables, List<int[]> formula) {
        return Sat4j.isSatisfiable(
                variables,
                formula.stream()
                        .map(clause -> Arrays.stream(clause)
                                .map(literal -> (literal & 1) == 0 ? (literal >> 1) + 1 : -(literal >> 1) - 1)
                                .toArray())
                        .toList());
    }
}
