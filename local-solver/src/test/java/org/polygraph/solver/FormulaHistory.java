package org.polygraph.solver;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.sat4j.core.VecInt;
import org.sat4j.minisat.SolverFactory;
import org.sat4j.specs.ContradictionException;
import org.sat4j.specs.ISolver;
import org.sat4j.specs.TimeoutException;

/**
 * Formulas as histories, following Papadimitriou's reduction (JACM 1979): a variable is the order of two blind writers,
 * and a clause a ring of edges, one of which must be absent. Search cannot avoid conflicts here. Literals are 2 * variable,
 * plus one when negated.
 */
final class FormulaHistory {
    final int variables;
    final List<int[]> clauses = new ArrayList<>();

    FormulaHistory(int variables) {
        this.variables = variables;
    }

    void clause(int... literals) {
        clauses.add(literals);
    }

    static FormulaHistory random3Sat(Random random, int variables, double ratio) {
        FormulaHistory formula = new FormulaHistory(variables);
        int clauses = (int) (variables * ratio);
        for (int i = 0; i < clauses; i++) {
            int[] chosen = random.ints(0, variables).distinct().limit(3).toArray();
            formula.clause(
                    2 * chosen[0] + random.nextInt(2),
                    2 * chosen[1] + random.nextInt(2),
                    2 * chosen[2] + random.nextInt(2));
        }
        return formula;
    }

    /** Pigeons that each need a hole of their own; unsatisfiable when there are more of them than holes. */
    static FormulaHistory pigeons(int pigeons, int holes) {
        FormulaHistory formula = new FormulaHistory(pigeons * holes);
        for (int i = 0; i < pigeons; i++) {
            int[] somewhere = new int[holes];
            for (int h = 0; h < holes; h++) {
                somewhere[h] = 2 * (i * holes + h);
                for (int j = 0; j < i; j++) {
                    formula.clause(2 * (i * holes + h) + 1, 2 * (j * holes + h) + 1);
                }
            }
            formula.clause(somewhere);
        }
        return formula;
    }

    /**
     * The formula as a problem with one event a transaction. Variable v: transactions p and q with p before r, r reading
     * what p wrote to key v, and q writing key v: q before p (true) or r before q (false).
     */
    RandomPolygraph encode() {
        int literals = clauses.stream().mapToInt(c -> c.length).sum();
        RandomPolygraph g = new RandomPolygraph(3 * variables + 4 * literals, 1, variables + literals);
        for (int v = 0; v < variables; v++) {
            g.write(v, 3 * v, 1);
            g.read(v, 3 * v + 1, 1);
            g.write(v, 3 * v + 2, 2);
        }
        int next = 3 * variables;
        int key = variables;
        for (int[] clause : clauses) {
            // Ring y0 ~> z0, y1 ~> z1, ... with z(i) -> y(i+1); y(i) reaches z(i) when literal i is false.
            int size = clause.length;
            int[] y = new int[size];
            int[] z = new int[size];
            for (int i = 0; i < size; i++) {
                y[i] = next++;
                z[i] = next++;
            }
            for (int i = 0; i < size; i++) {
                g.edge(z[i], y[(i + 1) % size]);
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

    /** As the sessions of a database that wrote versions in turn: the reads-from edges are known too. */
    RandomPolygraph encodeWithReads() {
        RandomPolygraph g = encode();
        for (int k = 0; k < g.keys; k++) {
            g.edge(g.writers.get(k).get(0)[0], g.readers.get(k).get(0)[0]);
        }
        return g;
    }

    /** {@link #encode}, with an order to start from. */
    RandomPolygraph encodePlaced() {
        RandomPolygraph g = encode();
        g.position = g.topological(new Random(1));
        return g;
    }

    boolean isSatisfiable() throws TimeoutException {
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
