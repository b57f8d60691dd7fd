package org.polygraph.storage.table;

import java.util.Arrays;
import org.polygraph.storage.model.HistoryException;

/** Checks the keys of additions whose sums are not known. */
final class AdditionCheck {
    /** No sum of a key is larger, so that none exceeds 64 bits. */
    private static final long MOST = Long.MAX_VALUE / 4;

    private AdditionCheck() {}

    /** @param hasOthers whether there are savepoints, predicates, lists or versions that the database gave */
    static void check(HistoryTable table, boolean hasOthers) throws HistoryException {
        boolean[] counters = new boolean[table.keys().size()];
        boolean mixes = hasOthers || table.hasRows() || table.hasRepeatedRows();
        for (int o = 0; o < table.operations(); o++) {
            counters[table.key(o)] |= table.isAddition(o);
        }
        long[] most = new long[counters.length];
        Arrays.setAll(most, key -> counters[key] ? size(table, table.initialValue(key)) : 0);
        for (int t = 0; t < table.transactions(); t++) {
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                int key = table.key(o);
                String label = "key " + table.keys().label(key);
                if (mixes && table.isAddition(o)) {
                    throw new HistoryException(
                            table.whereIs(t),
                            "an \"add\" without \"result\" in a history that also has lists, rows, conditions, savepoints or versions",
                            "additions that return their sums there",
                            "record the sums, or check the counters as a history of their own");
                }
                if (most[key] < 0 || (table.isWrite(o) && counters[key] && size(table, table.value(o)) < 0)) {
                    boolean isInitial = most[key] < 0;
                    long found = isInitial ? table.initialValue(key) : table.value(o);
                    throw new HistoryException(
                            table.whereIs(t),
                            label + " with additions and the " + (isInitial ? "initial value " : "value ")
                                    + table.values().label(found),
                            "integers",
                            isInitial
                                    ? "state what the key begins with in the header, such as \"initial\":{\"value\":0}"
                                    : "give counters keys of their own");
                }
                if (table.isWrite(o) && counters[key]) {
                    long size = size(table, table.value(o));
                    if (size > MOST || most[key] > MOST - size) {
                        throw new HistoryException(
                                table.whereIs(t),
                                label + " with additions and values that may exceed 62 bits together",
                                "smaller ones",
                                "record the sums that the database returned in \"result\"");
                    }
                    most[key] += size;
                }
            }
        }
    }

    /** The absolute value of an integer, or more than {@link #MOST} if it has 64 bits; negative if it is none. */
    private static long size(HistoryTable table, long code) {
        if (!table.values().isInteger(code)) {
            return -1;
        }
        long integer = table.values().integer(code);
        return integer == Long.MIN_VALUE ? Long.MAX_VALUE : Math.abs(integer);
    }
}
