package org.polygraph.storage.testkit;

/**
 * The one factor by which random suites are scaled: system property {@code polygraph.test.scale}, 0.1 by default, 1 in
 * the Maven profile {@code ci}, 10 in {@code full}. Counts in the tests are those of factor 1.
 */
public final class SuiteScale {
    private static final double FACTOR = Double.parseDouble(System.getProperty("polygraph.test.scale", "0.1"));
    /** Assertions about shares, such as "a tenth of the histories violate", need a sample. */
    private static final int FEWEST = 20;

    private SuiteScale() {}

    /** Whether suites do less than at factor 1. Recorded histories that take longest are then left out. */
    public static boolean isReduced() {
        return FACTOR < 1;
    }

    /** How many rounds of a suite to run that has {@code rounds} at factor 1: at least 20, or all if it has fewer. */
    public static int of(int rounds) {
        return of(rounds, FEWEST);
    }

    /** How many rounds to run if each takes long, but at least {@code fewest}, or all if it has fewer. */
    public static int of(int rounds, int fewest) {
        return Math.max(Math.min(rounds, fewest), (int) Math.min(Integer.MAX_VALUE, Math.round(rounds * FACTOR)));
    }
}
