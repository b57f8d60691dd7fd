package org.polygraph.storage.testkit;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.BruteForceChecker.Level;

/**
 * Decides SER and SI by sat4j: a variable for each pair of events, clauses for transitivity, and for every read the
 * choice of its writer. For histories that brute force cannot reach: up to some 100 events, more than 64 sessions among
 * them. Knows neither graphs nor rules.
 *
 * <p>Clauses: a third of the cube of the events. Milliseconds for 30 events, seconds for 140.
 */
public final class SatChecker {
    private final int events;
    private final List<Map<Integer, Long>> reads = new ArrayList<>();
    private final List<Map<Integer, Long>> writes = new ArrayList<>();
    private final List<Integer> sessions = new ArrayList<>();
    private final long initial;
    private final boolean consistent;
    private final List<int[]> clauses = new ArrayList<>();
    private int variables;

    private SatChecker(HistoryTable history, int eventsPerTransaction) {
        initial = history.initialValue();
        boolean all = true;
        for (int t = 0; t < history.transactions(); t++) {
            if (history.status(t) == TransactionStatus.INDETERMINATE) {
                throw new IllegalArgumentException(
                        "an indeterminate transaction; only decided ones can be judged here");
            }
            if (history.status(t) == TransactionStatus.COMMITTED) {
                sessions.add(history.sessionOf(t));
                all &= add(history, t);
            }
        }
        consistent = all;
        events = eventsPerTransaction * sessions.size();
        variables = events * (events - 1) / 2;
    }

    /**
     * Whether the level holds.
     *
     * @throws IllegalArgumentException if the level is not SER or SI, or a transaction is indeterminate
     */
    public static boolean accepts(HistoryTable history, Level level) {
        if (level != Level.SER && level != Level.SI) {
            throw new IllegalArgumentException("no clauses for " + level);
        }
        return new SatChecker(history, level == Level.SER ? 1 : 2).holds();
    }

    /** External reads and final writes; false if the transaction contradicts itself. */
    private boolean add(HistoryTable history, int t) {
        Map<Integer, Long> read = new LinkedHashMap<>();
        Map<Integer, Long> written = new LinkedHashMap<>();
        boolean agrees = true;
        for (int o = history.firstOperation(t); o < history.operationsEnd(t); o++) {
            int key = history.key(o);
            long value = history.value(o);
            if (history.isWrite(o)) {
                written.put(key, value);
            } else {
                Long seen = written.containsKey(key) ? written.get(key) : read.putIfAbsent(key, value);
                agrees &= seen == null || seen == value;
            }
        }
        reads.add(read);
        writes.add(written);
        return agrees;
    }

    private int begin(int transaction) {
        return events == sessions.size() ? transaction : 2 * transaction;
    }

    private int commit(int transaction) {
        return events == sessions.size() ? transaction : 2 * transaction + 1;
    }

    /** The literal that a is before b. */
    private int before(int a, int b) {
        return a < b ? pair(a, b) : -pair(b, a);
    }

    private int pair(int low, int high) {
        return high * (high - 1) / 2 + low + 1;
    }

    private boolean holds() {
        if (!consistent) {
            return false;
        }
        for (int c = 2; c < events; c++) {
            for (int b = 1; b < c; b++) {
                for (int a = 0; a < b; a++) {
                    clauses.add(new int[] {-before(a, b), -before(b, c), before(a, c)});
                    clauses.add(new int[] {before(a, b), before(b, c), -before(a, c)});
                }
            }
        }
        int n = sessions.size();
        for (int t = 0; t < n; t++) {
            if (begin(t) != commit(t)) {
                clauses.add(new int[] {before(begin(t), commit(t))});
            }
            for (int later = t + 1; later < n; later++) {
                if (sessions.get(t).equals(sessions.get(later))) {
                    clauses.add(new int[] {before(commit(t), begin(later))});
                }
                if (begin(t) != commit(t) && shareAKey(t, later)) {
                    clauses.add(new int[] {before(commit(t), begin(later)), before(commit(later), begin(t))});
                }
            }
        }
        for (int r = 0; r < n; r++) {
            for (Map.Entry<Integer, Long> read : reads.get(r).entrySet()) {
                explain(r, read.getKey(), read.getValue());
            }
        }
        return Sat4j.isSatisfiable(variables, clauses);
    }

    private boolean shareAKey(int a, int b) {
        return writes.get(a).keySet().stream().anyMatch(writes.get(b)::containsKey);
    }

    /**
     * Some writer of the value is before the reader, and every writer of another is before that one or after the
     * reader.
     */
    private void explain(int reader, int key, long value) {
        List<Integer> chosen = new ArrayList<>();
        List<Integer> others = new ArrayList<>();
        for (int t = 0; t < sessions.size(); t++) {
            Long written = writes.get(t).get(key);
            if (t != reader && written != null) {
                (written == value ? chosen : others).add(t);
            }
        }
        int[] some = new int[chosen.size() + (value == initial ? 1 : 0)];
        for (int i = 0; i < some.length; i++) {
            int choice = ++variables;
            some[i] = choice;
            boolean first = i == chosen.size();
            if (!first) {
                clauses.add(new int[] {-choice, before(commit(chosen.get(i)), begin(reader))});
            }
            for (int other : others) {
                int after = before(begin(reader), commit(other));
                clauses.add(
                        first
                                ? new int[] {-choice, after}
                                : new int[] {-choice, after, before(commit(other), commit(chosen.get(i)))});
            }
        }
        clauses.add(some);
    }
}
