package org.polygraph.jobs.certificate.judge;

import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.storage.table.HistoryTable;

/** Finds out whether a history has writers of values read that a closed sub-history of it lacks. Linear. */
final class OtherWriters {
    private OtherWriters() {}

    /**
     * Whether the sub-history lacks a writer of a value that it reads from others: a transaction of the whole that may
     * count and whose last write of the key has the value. Because the sub-history is closed, each such writer is the
     * reader itself or comes after it in its session.
     *
     * @param operations by operation of the closed sub-history, ascending: the one of the whole
     */
    static boolean areLater(HistoryTable whole, int[] operations, Terms terms) {
        BitSet kept = new BitSet();
        for (int o : operations) {
            kept.set(o);
        }
        Map<Integer, Set<Long>> read = new HashMap<>();
        for (int t = 0; t < whole.transactions(); t++) {
            int end = terms.mayCount(whole.statuses()[t]) ? whole.operationsEnd(t) : 0;
            for (int o = whole.firstOperation(t); o < end; o++) {
                if (kept.get(o) && !whole.isWrite(o) && whole.lastWrite(t, whole.key(o), o) < 0) {
                    read.computeIfAbsent(whole.key(o), k -> new HashSet<>()).add(whole.value(o));
                }
            }
        }
        BitSet keys = new BitSet();
        read.keySet().forEach(keys::set);
        for (int t = 0; t < whole.transactions(); t++) {
            int end = terms.mayCount(whole.statuses()[t]) ? whole.operationsEnd(t) : 0;
            for (int o = whole.firstOperation(t); o < end; o++) {
                if (whole.isWrite(o)
                        && keys.get(whole.key(o))
                        && read.getOrDefault(whole.key(o), Set.of()).contains(whole.value(o))
                        && whole.lastWrite(t, whole.key(o)) == o
                        && !isKept(whole, t, o, kept)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Whether the sub-history has this write or an earlier one of the same value by the same transaction. */
    private static boolean isKept(HistoryTable whole, int t, int write, BitSet kept) {
        for (int o = whole.firstOperation(t); o <= write; o++) {
            if (kept.get(o) && whole.isWriteOf(o, whole.key(write)) && whole.value(o) == whole.value(write)) {
                return true;
            }
        }
        return false;
    }
}
