package org.polygraph.jobs.evidence;

import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.PredicateReads;

/**
 * Recognizes a lost update of a condition: more transactions found that a row matches, and changed it so that it does
 * not match, than there were times at which it began to match. So two of them found the same match, and one did not see
 * the write of the other.
 */
final class LostMatches {
    private final HistoryTable table;

    private LostMatches(HistoryTable table) {
        this.table = table;
    }

    /** Returns a violation without a single cycle as a lost update, if it is one; else as it is. */
    static Violation of(Violation violation, HistoryTable table) {
        if (violation.anomaly() != Anomaly.NO_VALID_ORDER) {
            return violation;
        }
        LostMatches matches = new LostMatches(table);
        for (int key : violation.keys()) {
            String detail = PredicateReads.isPair(table, key) ? matches.of(key) : "";
            if (!detail.isEmpty()) {
                return new Violation(
                        Anomaly.LOST_UPDATE,
                        Anomaly.LOST_UPDATE.aliases(),
                        violation.transactions(),
                        violation.keys(),
                        violation.cycle(),
                        violation.cases(),
                        detail,
                        violation.minimal());
            }
        }
        return violation;
    }

    /** Describes the lost update of a key that states whether a row matches; empty if there is none. */
    private String of(int key) {
        int began = PredicateName.isMatch(table.initialValue(key), table) ? 1 : 0;
        int ended = 0;
        for (int t = 0; t < table.transactions(); t++) {
            boolean isWritten = false;
            boolean isRead = false;
            boolean leavesMatch = false;
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                if (table.isWriteOf(o, key)) {
                    isWritten = true;
                    leavesMatch = PredicateName.isMatch(table.value(o), table);
                } else if (table.isReadOf(o, key) && !isWritten) {
                    isRead |= PredicateName.isMatch(table.value(o), table);
                }
            }
            began += isWritten && leavesMatch && !isRead && table.status(t) != TransactionStatus.ABORTED ? 1 : 0;
            ended += isWritten && !leavesMatch && isRead && table.status(t) == TransactionStatus.COMMITTED ? 1 : 0;
        }
        return ended <= began
                ? ""
                : ended + " transactions found " + table.keys().label(key)
                        + " and changed it so that it does not match, but it began to match at most " + began
                        + (began == 1 ? " time" : " times");
    }
}
