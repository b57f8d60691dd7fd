package org.polygraph.jobs.certificate.judge;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/**
 * Checks which transactions an order may leave to later parts of a chain: those that read a value without a writer, and those that read a
 * value that only these wrote. Memory: a map entry for each version, because few runs need this.
 */
final class OpenReaders {
    private OpenReaders() {}

    private record Version(int key, long value) {}

    /**
     * Returns the first committed transaction that is left out although each of its reads has a writer that is not left to later parts;
     * -1 if there is none.
     *
     * @param counted by transaction: whether it is in the order
     */
    static int firstExplained(HistoryTable history, boolean[] counted) {
        // By version: its writers that are not found to be left to later parts.
        Map<Version, Integer> writers = new HashMap<>();
        List<Integer> left = new ArrayList<>();
        for (int t = 0; t < history.transactions(); t++) {
            addWrites(history, t, 1, writers);
            if (!counted[t] && history.status(t) != TransactionStatus.ABORTED) {
                left.add(t);
            }
        }
        while (left.removeIf(t -> isOpen(history, t, writers))) {
            // Each round finds those that read from the ones of the round before.
        }
        return left.stream()
                .filter(t -> history.status(t) == TransactionStatus.COMMITTED)
                .findFirst()
                .orElse(-1);
    }

    /** Whether a transaction reads a value without a writer. If so, its writes are taken out of the map. */
    private static boolean isOpen(HistoryTable history, int t, Map<Version, Integer> writers) {
        for (int o = history.firstOperation(t); o < history.operationsEnd(t); o++) {
            int key = history.key(o);
            if (!history.isWrite(o)
                    && history.value(o) != history.initialValue(key)
                    && writers.getOrDefault(new Version(key, history.value(o)), 0) == 0) {
                addWrites(history, t, -1, writers);
                return true;
            }
        }
        return false;
    }

    private static void addWrites(HistoryTable history, int t, int count, Map<Version, Integer> writers) {
        for (int o = history.firstOperation(t); o < history.operationsEnd(t); o++) {
            if (history.isWrite(o)) {
                writers.merge(new Version(history.key(o), history.value(o)), count, Integer::sum);
            }
        }
    }
}
