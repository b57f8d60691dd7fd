package org.polygraph.jobs.certificate.judge;

import java.util.HashSet;
import java.util.Set;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/**
 * Finds out whether the transactions of a history can commit one after the other, if a transaction may commit as soon
 * as the committed ones before it in its session have, and for each value that it read some transaction has which wrote
 * that value last. The order of versions plays no role, and a transaction that may commit also may later. So if a
 * committed transaction is left over, the history violates every guarantee about transactions, because each of them
 * has one order in which a transaction comes after its session's earlier ones and after those that it read from.
 *
 * <p>Time: passes over the history until one of them commits nothing.
 */
final class FirstToCommit {
    private record KeyValue(int key, long value) {}

    private FirstToCommit() {}

    /** Whether every committed transaction can commit. */
    static boolean exists(HistoryTable history, Terms terms) {
        boolean[] committed = new boolean[history.transactions()];
        Set<KeyValue> written = new HashSet<>();
        boolean any = true;
        while (any) {
            any = false;
            for (int s = 0; s < history.sessions(); s++) {
                boolean isNext = true;
                for (int t = history.firstTransaction(s); isNext && t < history.transactionsEnd(s); t++) {
                    if (!committed[t] && terms.mayCount(history.statuses()[t]) && canCommit(history, t, written)) {
                        committed[t] = true;
                        any = true;
                        addWrites(history, t, written);
                    }
                    isNext = committed[t] || history.status(t) != TransactionStatus.COMMITTED;
                }
            }
        }
        for (int t = 0; t < committed.length; t++) {
            if (!committed[t] && history.status(t) == TransactionStatus.COMMITTED) {
                return false;
            }
        }
        return true;
    }

    private static boolean canCommit(HistoryTable history, int t, Set<KeyValue> written) {
        for (int o = history.firstOperation(t); o < history.operationsEnd(t); o++) {
            int key = history.key(o);
            if (!history.isWrite(o)
                    && history.value(o) != history.initialValue(key)
                    && history.lastWrite(t, key, o) < 0
                    && !written.contains(new KeyValue(key, history.value(o)))) {
                return false;
            }
        }
        return true;
    }

    private static void addWrites(HistoryTable history, int t, Set<KeyValue> written) {
        for (int o = history.firstOperation(t); o < history.operationsEnd(t); o++) {
            if (history.isWrite(o) && history.lastWrite(t, history.key(o)) == o) {
                written.add(new KeyValue(history.key(o), history.value(o)));
            }
        }
    }
}
