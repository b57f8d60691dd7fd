package org.polygraph.jobs.certificate.judge;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/**
 * Checks which transactions an order may leave to later parts of a chain: those that read a value without a writer, and
 * those that read a value that one of these wrote. Memory: an entry for each version, because few runs need this.
 */
final class OpenReaders {
    private OpenReaders() {}

    private record Version(int key, long value) {}

    /**
     * Returns the first committed transaction that is left out although each of its reads has a writer that is not left
     * to later parts; -1 if there is none.
     *
     * @param counted by transaction: whether it is in the order
     */
    static int firstExplained(HistoryTable history, boolean[] counted) {
        Set<Version> written = new HashSet<>();
        Set<Version> lacking = new HashSet<>();
        List<Integer> left = new ArrayList<>();
        for (int t = 0; t < history.transactions(); t++) {
            addWrites(history, t, written);
            if (!counted[t] && history.status(t) != TransactionStatus.ABORTED) {
                left.add(t);
            }
        }
        while (left.removeIf(t -> isOpen(history, t, written, lacking))) {
            // Each round finds those that may read from the ones of the round before.
        }
        return left.stream()
                .filter(t -> history.status(t) == TransactionStatus.COMMITTED)
                .findFirst()
                .orElse(-1);
    }

    /** Whether a read lacks a writer, or may be of an open transaction. If so, t is open: adds its writes. */
    private static boolean isOpen(HistoryTable history, int t, Set<Version> written, Set<Version> lacking) {
        for (int o = history.firstOperation(t); o < history.operationsEnd(t); o++) {
            int key = history.key(o);
            Version read = new Version(key, history.value(o));
            if (!history.isWrite(o)
                    && history.value(o) != history.initialValue(key)
                    && (lacking.contains(read) || !written.contains(read))) {
                addWrites(history, t, lacking);
                return true;
            }
        }
        return false;
    }

    private static void addWrites(HistoryTable history, int t, Set<Version> versions) {
        for (int o = history.firstOperation(t); o < history.operationsEnd(t); o++) {
            if (history.isWrite(o)) {
                versions.add(new Version(history.key(o), history.value(o)));
            }
        }
    }
}
