package org.polygraph.solver;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.sat4j.core.VecInt;
import org.sat4j.minisat.SolverFactory;
import org.sat4j.specs.ContradictionException;
import org.sat4j.specs.ISolver;
import org.sat4j.specs.TimeoutException;

/**
 * 3-SAT as histories, following Papadimitriou's reduction (JACM 1979): a variable is the order of two blind writers, and
 * a clause a ring of edges, one of which must be absent. Search cannot avoid conflicts here.
 */
class FormulaAsPolygraphTest {
    /**
     * Variable v: transactions p and q with p before r, r reading what p wrote to key v, and q writing key v: q before p
     * (true) or r before q (false).
     */
    private static RandomPolygraph encode(int variables, int[][] clauses) {
        int perLiteral = 2;
        RandomPolygraph g = new RandomPolygraph(
                3 * variables + clauses.length * 3 * perLiteral * 2, 1, variables + 3 * clauses.length);
        for (int v = 0; v < variables; v++) {
            g.write(v, 3 * v, 1);
            g.read(v, 3 * v + 1, 1);
            g.write(v, 3 * v + 2, 2);
        }
        int next = 3 * variables;
        int key = variables;
        for (int[] clause : clauses) {
            // Ring y0 ~> z0, y1 ~> z1, y2 ~> z2 with z(i) -> y(i+1); y(i) reaches z(i) when literal i is false.
            int[] y = new int[3];
            int[] z = new int[3];
            for (int i = 0; i < 3; i++) {
                y[i] = next++;
                z[i] = next++;
            }
            for (int i = 0; i < 3; i++) {
                g.edge(z[i], y[(i + 1) % 3]);
                int v = clause[i] >> 1;
                // Gadget: w writes k:=1, s reads it, u writes k:=2; so u -> w or s -> u.
                int w = next++;
                int s = next++;
                g.write(key, w, 1);
                g.read(key, s, 1);
                boolean negated = (clause[i] & 1) != 0;
                int u = z[i];
                g.write(key, u, 2);
                // s -> u closes y ~> z when y -> s. Forbid the other choice, u -> w, when the literal is false: the
                // variable's state has an edge that, with u -> w, closes a cycle.
                g.edge(y[i], s);
                if (negated) {
                    // False literal: v is true, so q -> p. With w -> q and p -> u, u -> w is a cycle.
                    g.edge(w, 3 * v + 2);
                    g.edge(3 * v, u);
                } else {
                    // False literal: v is false, so r -> q. With w -> r and q -> u, u -> w is a cycle.
                    g.edge(w, 3 * v + 1);
                    g.edge(3 * v + 2, u);
                }
                key++;
            }
        }
        return g;
    }

    @Test
    void agreesWithSat4j() throws TimeoutException {
        int satisfiable = 0;
        long conflicts = 0;
        int rounds = 250;
        for (long seed = 1; seed <= rounds; seed++) {
            Random random = new Random(seed);
            int variables = 4 + random.nextInt(17);
            int[][] clauses = new int[(int) (variables * (3.4 + 1.8 * random.nextDouble()))][];
            for (int i = 0; i < clauses.length; i++) {
                int[] chosen = random.ints(0, variables).distinct().limit(3).toArray();
                clauses[i] = new int[] {
                    2 * chosen[0] + random.nextInt(2),
                    2 * chosen[1] + random.nextInt(2),
                    2 * chosen[2] + random.nextInt(2)
                };
            }
            RandomPolygraph g = encode(variables, clauses);
            g.position = g.topological(random);
            Outcome outcome = new Solver().solve(g.build(false, 3), SolverOptions.defaults());
            boolean expected = sat4j(variables, clauses);
            assertThat(outcome instanceof Outcome.Satisfiable)
                    .as("seed " + seed)
                    .isEqualTo(expected);
            assertThat(outcome).isNotInstanceOf(Outcome.Unknown.class);
            satisfiable += expected ? 1 : 0;
            conflicts += outcome.statistics().conflicts();
        }
        System.out.println("3-SAT as histories: " + satisfiable + " of " + rounds + ", " + conflicts + " conflicts");
        assertThat(satisfiable).isBetween(rounds / 10, 9 * rounds / 10);
        assertThat(conflicts).isGreaterThan(rounds);
    }

    private static boolean sat4j(int variables, int[][] clauses) throws TimeoutException {
        ISolver solver = SolverFactory.newDefault();
        solver.newVar(variables);
        try {
            for (int[] clause : clauses) {
                VecInt literals = new VecInt();
                for (int literal : clause) {
                    literals.push((literal & 1) == 0 ? (literal >> 1) + 1 : -(literal >> 1) - 1);
                }
                solver.addClause(literals);
            }
        } catch (ContradictionException e) {
            return false;
        }
        return solver.isSatisfiable();
    }
}
