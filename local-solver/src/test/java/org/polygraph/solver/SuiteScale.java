package org.polygraph.solver;

/**
 * The one factor by which random suites are scaled: system property {@code polygraph.test.scale}, 0.1 by default, 1 in
 * the Maven profile {@code ci}, 10 in {@code full}. Counts in the tests are those of factor 1. The module depends on
 * the JDK only, so this repeats the class of the same name in storage's test kit.
 */
public final class SuiteScale {
    private static final double FACTOR = Double.parseDouble(System.getProperty("polygraph.test.scale", "0.1"));
    /** Assertions about shares, such as "a tenth of the histories violate", need a sample. */
    private static final int FEWEST = 20;

    private SuiteScale() {}

    /** How many rounds of a suite to run that has {@code rounds} at factor 1: at least 20, or all if it has fewer. */
    public static int of(int rounds) {
        return Math.max(Math.min(rounds, FEWEST), (int) Math.min(Integer.MAX_VALUE, Math.round(rounds * FACTOR)));
    }
}
