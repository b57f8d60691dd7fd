package org.polygraph.jobs.decision;

import java.util.Arrays;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/**
 * The definitions of docs/rows.md, tried over every order of events and every choice of unknown outcomes. It knows
 * incarnations by their numbers, which neither the checker nor its replay does.
 */
final class RowDefinition {
    private final HistoryTable table;
    private final IsolationLevel level;
    private final int perTransaction;
    private final boolean[] committed;
    /** Events of committed transactions in their order. */
    private final int[] order;

    private final int[] place;
    private int events;

    private RowDefinition(HistoryTable table, IsolationLevel level) {
        this.table = table;
        this.level = level;
        perTransaction = level.eventsPerTransaction();
        committed = new boolean[table.transactions()];
        order = new int[table.transactions() * perTransaction];
        place = new int[order.length];
    }

    static boolean holds(HistoryTable table, IsolationLevel level) {
        RowDefinition definition = new RowDefinition(table, level);
        for (int choice = 0; choice < 1 << table.transactions(); choice++) {
            boolean possible = true;
            definition.events = 0;
            for (int t = 0; t < table.transactions(); t++) {
                boolean chosen = (choice >> t & 1) != 0;
                definition.committed[t] = chosen;
                possible &= table.status(t) == TransactionStatus.INDETERMINATE
                        || chosen == (table.status(t) == TransactionStatus.COMMITTED);
                definition.events += chosen ? definition.perTransaction : 0;
            }
            Arrays.fill(definition.place, -1);
            if (possible && definition.extend(0)) {
                return true;
            }
        }
        return false;
    }

    private boolean extend(int at) {
        if (at == events) {
            return explains();
        }
        for (int e = 0; e < place.length; e++) {
            int t = e / perTransaction;
            if (!committed[t] || place[e] >= 0 || !mayCome(e, t)) {
                continue;
            }
            place[e] = at;
            order[at] = e;
            boolean found = (e % perTransaction != 0 || reads(t, at)) && extend(at + 1);
            place[e] = -1;
            if (found) {
                return true;
            }
        }
        return false;
    }

    /** Whether session order, and real time if it is part of the level, let an event come next. */
    private boolean mayCome(int event, int t) {
        if (event % perTransaction != 0) {
            return place[event - 1] >= 0;
        }
        for (int u = 0; u < table.transactions(); u++) {
            boolean before = table.sessionOf(u) == table.sessionOf(t) && u < t;
            long[] starts = table.starts();
            long[] ends = table.ends();
            if (level.realTime() && starts != null && ends != null) {
                before |= table.status(u) == TransactionStatus.COMMITTED && ends[u] < starts[t];
            }
            if (before && committed[u] && u != t && place[(u + 1) * perTransaction - 1] < 0) {
                return false;
            }
        }
        return true;
    }

    /** Whether the reads of a transaction return what was committed before its snapshot, or its own writes. */
    private boolean reads(int t, int snapshot) {
        for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
            if (table.isWrite(o)) {
                continue;
            }
            long value = table.initialValue(table.key(o));
            for (int at = 0; at < snapshot; at++) {
                int u = order[at] / perTransaction;
                if ((order[at] + 1) % perTransaction == 0) {
                    value = last(u, table.operationsEnd(u), table.key(o), value);
                }
            }
            if (table.value(o) != last(t, o, table.key(o), value)) {
                return false;
            }
        }
        return true;
    }

    /** The last value that a transaction wrote to a key before an operation, or another value if it wrote none. */
    private long last(int t, int end, int key, long otherwise) {
        long value = otherwise;
        for (int o = table.firstOperation(t); o < end; o++) {
            value = table.isWriteOf(o, key) ? table.value(o) : value;
        }
        return value;
    }

    private boolean explains() {
        for (int key = 0; key < table.keys().size(); key++) {
            if (!rows(key)) {
                return false;
            }
        }
        return true;
    }

    /** Whether inserts and deletes fit the order of versions, and writers of one incarnation do not overlap. */
    private boolean rows(int key) {
        int n = table.transactions();
        boolean lives = !table.values().isNull(table.initialValue(key));
        int incarnation = 0;
        boolean[][] wrote = new boolean[table.operations() + 1][n];
        for (int at = 0; at < events; at++) {
            int t = order[at] / perTransaction;
            if ((order[at] + 1) % perTransaction != 0) {
                continue;
            }
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                if (!table.isWriteOf(o, key)) {
                    continue;
                }
                if (table.isInsert(o) ? lives : table.isDelete(o) && !lives) {
                    return false;
                }
                incarnation += lives ? 0 : 1;
                wrote[incarnation][t] = true;
                lives = !table.isDelete(o);
            }
        }
        for (int i = 0; perTransaction == 2 && i <= incarnation; i++) {
            for (int a = 0; a < n; a++) {
                for (int b = a + 1; b < n; b++) {
                    if (wrote[i][a]
                            && wrote[i][b]
                            && place[2 * a + 1] > place[2 * b]
                            && place[2 * b + 1] > place[2 * a]) {
                        return false;
                    }
                }
            }
        }
        return true;
    }
}
