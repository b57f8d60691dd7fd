package org.polygraph.storage.table;

/**
 * Limits the reports of a replay: a transaction that found versions of a writer where others were expected is reported
 * for this writer a few times only. The rows that a transaction writes by one condition mostly require the same of an
 * order.
 */
final class FoundWriters {
    private static final int MOST = 2;

    /** By writer, plus one: the last transaction that found its version, plus one, and how often. */
    private final int[] finders;

    private final int[] finds;

    FoundWriters(int transactions) {
        finders = new int[transactions + 1];
        finds = new int[transactions + 1];
    }

    /** Counts a version that a transaction found. @return false if it has found enough of this writer */
    boolean isNeeded(int transaction, int writer) {
        if (finders[writer + 1] != transaction + 1) {
            finders[writer + 1] = transaction + 1;
            finds[writer + 1] = 0;
        }
        return finds[writer + 1]++ < MOST;
    }
}
