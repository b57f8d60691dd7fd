package org.polygraph.jobs.certificate.judge;

import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.storage.table.HistoryTable;

/** Whether a closed sub-history has all writers of the values that it reads. Linear in the whole history. */
final class OtherWriters {
    private OtherWriters() {}

    /**
     * Whether the whole history has a final write, by a transaction that may count, of a value that one of the
     * sub-history reads from others, and the sub-history lacks it. Since that is closed, each such write comes after
     * the read in its session.
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
                if (kept.get(o) && !whole.isWrite(o) && !isWritten(whole, whole.firstOperation(t), o, whole.key(o))) {
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
                        && !isWritten(whole, o + 1, end, whole.key(o))
                        && !isKept(whole, t, o, kept)) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean isWritten(HistoryTable whole, int from, int to, int key) {
        for (int o = from; o < to; o++) {
            if (whole.isWriteOf(o, key)) {
                return true;
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
