package org.polygraph.benchmarks.data;

import java.util.Random;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.Formula;

/**
 * Describes formulas as histories, in words: {@code sat:vars=60,ratio=4.26,seed=1} is random 3-SAT; {@code
 * pigeons:holes=5,more=1} has one more pigeon than holes. SER holds iff the formula is satisfiable, and so does SI.
 */
public final class FormulaSpec {
    private static final String SAT = "sat:";
    private static final String PIGEONS = "pigeons:";

    private FormulaSpec() {}

    /** Whether the words are a spec of a formula. */
    public static boolean isSpec(String source) {
        return source.startsWith(SAT) || source.startsWith(PIGEONS);
    }

    /**
     * Returns the history of a spec.
     *
     * @throws IllegalArgumentException if it has other settings than those above
     */
    public static HistoryTable generate(String spec) {
        return formula(spec).history(spec);
    }

    /** The formula of a spec; throws as {@link #generate}. */
    static Formula formula(String spec) {
        boolean sat = spec.startsWith(SAT);
        int variables = 60;
        double ratio = 4.26;
        long seed = 1;
        int holes = 4;
        int more = 1;
        for (String setting : spec.substring(spec.indexOf(':') + 1).split(",", -1)) {
            int equals = setting.indexOf('=');
            String value = setting.substring(equals + 1);
            switch (equals < 0 ? "" : (sat ? SAT : PIGEONS) + setting.substring(0, equals)) {
                case "sat:vars" -> variables = Integer.parseInt(value);
                case "sat:ratio" -> ratio = Double.parseDouble(value);
                case "sat:seed" -> seed = Long.parseLong(value);
                case "pigeons:holes" -> holes = Integer.parseInt(value);
                case "pigeons:more" -> more = Integer.parseInt(value);
                default ->
                    throw new IllegalArgumentException("'" + setting + "' in " + spec + "; expected "
                            + (sat ? "vars, ratio or seed" : "holes or more") + " = number");
            }
        }
        return sat ? Formula.random3Sat(new Random(seed), variables, ratio) : Formula.pigeons(holes + more, holes);
    }
}
