package org.polygraph.solver;

import java.util.Random;
import org.polygraph.storage.testkit.Formula;
import org.polygraph.storage.testkit.PolygraphSink;

/** A {@link Formula} as a problem with one event a transaction, whose fields are visible to tests. */
final class FormulaHistory {
    private final Formula formula;

    FormulaHistory(int variables) {
        this(new Formula(variables));
    }

    private FormulaHistory(Formula formula) {
        this.formula = formula;
    }

    void clause(int... literals) {
        formula.clause(literals);
    }

    static FormulaHistory random3Sat(Random random, int variables, double ratio) {
        return new FormulaHistory(Formula.random3Sat(random, variables, ratio));
    }

    static FormulaHistory pigeons(int pigeons, int holes) {
        return new FormulaHistory(Formula.pigeons(pigeons, holes));
    }

    RandomPolygraph encode() {
        RandomPolygraph g = new RandomPolygraph(formula.transactions(), 1, formula.keys());
        formula.encode(new PolygraphSink() {
            @Override
            public void edge(int before, int after) {
                g.edge(before, after);
            }

            @Override
            public void write(int key, int transaction, int value) {
                g.write(key, transaction, value);
            }

            @Override
            public void read(int key, int transaction, int value) {
                g.read(key, transaction, value);
            }
        });
        return g;
    }

    /** The same as if a database had written the versions in turn: reads-from edges are known too. */
    RandomPolygraph encodeWithReads() {
        RandomPolygraph g = encode();
        for (int k = 0; k < g.keys; k++) {
            g.edge(g.writers.get(k).get(0)[0], g.readers.get(k).get(0)[0]);
        }
        return g;
    }

    /** {@link #encode} with an order to start from. */
    RandomPolygraph encodePlaced() {
        RandomPolygraph g = encode();
        g.position = g.topological(new Random(1));
        return g;
    }

    boolean isSatisfiable() {
        return formula.isSatisfiable();
    }
}
