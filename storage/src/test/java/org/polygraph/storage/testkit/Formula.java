package org.polygraph.storage.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.polygraph.storage.table.HistoryTable;

/**
 * Formulas as polygraphs, following Papadimitriou's reduction (JACM 1979): a variable is the order of two blind
 * writers, and a clause a ring of edges, one of which must be absent. Search cannot avoid conflicts here. Literals are
 * 2 * variable, plus one when negated.
 *
 * <p>SER holds iff the formula is satisfiable, and so does SI: no cycle that refutes an assignment has two
 * anti-dependencies in a row.
 */
public final class Formula {
    private final int variables;
    private final List<int[]> clauses = new ArrayList<>();

    /** A formula without clauses. */
    public Formula(int variables) {
        this.variables = variables;
    }

    /** Adds a clause of distinct variables. */
    public Formula clause(int... literals) {
        clauses.add(literals.clone());
        return this;
    }

    public int variables() {
        return variables;
    }

    public int clauses() {
        return clauses.size();
    }

    /**
     * A random formula with clauses of three variables, {@code ratio} times as many as variables; it is hardest near
     * 4.26.
     */
    public static Formula random3Sat(Random random, int variables, double ratio) {
        Formula formula = new Formula(variables);
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

    /**
     * Pigeons that each need a hole of their own. The formula is unsatisfiable if there are more pigeons than holes.
     */
    public static Formula pigeons(int pigeons, int holes) {
        Formula formula = new Formula(pigeons * holes);
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

    /** The number of transactions of {@link #encode}. */
    public int transactions() {
        return 3 * variables + 4 * literals();
    }

    /** The number of keys of {@link #encode}. */
    public int keys() {
        return variables + literals();
    }

    private int literals() {
        return clauses.stream().mapToInt(c -> c.length).sum();
    }

    /**
     * The formula as a polygraph. Variable v: transactions p and q with p before r, r reading what p wrote to key v,
     * and q writing key v: q before p (true) or r before q (false).
     */
    public void encode(PolygraphSink g) {
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
    }

    /**
     * The formula as a history: some 13 operations a literal, about as many sessions as two thirds of the transactions.
     */
    public HistoryTable history(String name) {
        PolygraphHistory history = new PolygraphHistory(transactions(), keys());
        encode(history);
        return history.table(name);
    }

    /** The answer of sat4j. */
    public boolean isSatisfiable() {
        List<int[]> dimacs = new ArrayList<>();
        for (int[] clause : clauses) {
            int[] literals = new int[clause.length];
            for (int i = 0; i < clause.length; i++) {
                literals[i] = (clause[i] & 1) == 0 ? (clause[i] >> 1) + 1 : -(clause[i] >> 1) - 1;
            }
            dimacs.add(literals);
        }
        return Sat4j.isSatisfiable(variables, dimacs);
    }
}
