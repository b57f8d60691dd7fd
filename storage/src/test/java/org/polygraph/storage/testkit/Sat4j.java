package org.polygraph.storage.testkit;

import java.util.List;
import org.sat4j.core.VecInt;
import org.sat4j.minisat.SolverFactory;
import org.sat4j.specs.ContradictionException;
import org.sat4j.specs.ISolver;
import org.sat4j.specs.TimeoutException;

/** The independent solver. It is a class of its own, so that code that uses no oracle needs no sat4j. */
public final class Sat4j {
    private static final int SECONDS = 600;

    private Sat4j() {}

    /** @param clauses as in DIMACS: variables from 1, negative if negated */
    public static boolean isSatisfiable(int variables, List<int[]> clauses) {
        ISolver solver = SolverFactory.newDefault();
        solver.setTimeout(SECONDS);
        solver.newVar(variables);
        try {
            for (int[] clause : clauses) {
                solver.addClause(new VecInt(clause));
            }
            return solver.isSatisfiable();
        } catch (ContradictionException e) {
            return false;
        } catch (TimeoutException e) {
            throw new IllegalStateException("sat4j has no answer after " + SECONDS + " s", e);
        }
    }
}
