package org.polygraph.jobs.certificate.replay;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Guarantee;
import org.polygraph.jobs.certificate.format.Names;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/**
 * The conditions on an order that do not depend on values: the right transactions count, events have distinct places in
 * range, the events of a transaction and the transactions of a session ascend, and real time is kept if it is part of
 * the guarantee. The callers check reads and overlaps in the order {@link #eventAt}.
 *
 * <p>Linear time; memory: 4 bytes per event.
 */
final class Placement {
    static final int NONE = -1;

    /** Messages, without the names of transactions. */
    static final String REVERSED = " commits before its snapshot";

    static final String EARLIER = " is ordered before ";
    static final String RAN_EARLIER = ", which its session ran earlier";
    static final String HAD_ENDED = ", which had ended when it started";
    static final String SAME = " have the same place";
    static final String SNAPSHOT_OF = "the snapshot of ";
    static final String COMMIT_OF = "the commit of ";

    private final HistoryTable table;
    private final Terms terms;
    private final boolean[] counted;
    private final int[] position;
    private final int events;
    /** LIN: places order the operations of each key, and sessions play no role. */
    private final boolean isByKey;

    private final @Nullable String discrepancy;
    private int[] eventAt = new int[0];
    private int transactions;

    /** Checks an order. */
    Placement(Witness witness) {
        table = witness.table();
        terms = witness.terms();
        counted = witness.counted();
        position = witness.position();
        events = terms.guarantee().events();
        isByKey = terms.guarantee() == Guarantee.LIN;
        discrepancy = check();
    }

    /** The first condition that fails, one sentence; null if all hold. */
    @Nullable
    String discrepancy() {
        return discrepancy;
    }

    /** By place: its event, or {@link #NONE}. Only valid without a discrepancy. */
    int[] eventAt() {
        return eventAt;
    }

    /** The number of counted transactions. Only valid without a discrepancy. */
    int transactions() {
        return transactions;
    }

    /** The transaction of an event. */
    int transactionOf(int event) {
        return events == 1 ? event : event >> 1;
    }

    /** Whether the event is the start of a transaction: its reads see what was committed before. */
    boolean isSnapshot(int event) {
        return events == 1 || (event & 1) == 0;
    }

    /** Whether the event is the end of a transaction. */
    boolean isCommit(int event) {
        return events == 1 || (event & 1) == 1;
    }

    private @Nullable String check() {
        int n = table.transactions();
        if (counted.length != n) {
            return counted.length + " flags for " + n + " transactions";
        }
        if (position.length != (long) n * events) {
            return position.length + " places for " + (long) n * events + " events";
        }
        String wrong = statuses();
        if (wrong == null) {
            wrong = isByKey ? keys() : sessions();
        }
        if (wrong == null) {
            wrong = places();
        }
        return wrong == null && terms.guarantee().realTime() ? realTime() : wrong;
    }

    /**
     * The fault of a transaction that should not count, or that should count and does not, as text after its name; null
     * if there is none.
     */
    static @Nullable String wrongStatus(Terms terms, byte status, boolean counts) {
        if (counts == (status == TransactionStatus.COMMITTED.code())) {
            return null;
        }
        if (!counts) {
            return " committed but is not counted";
        }
        if (terms.mayCount(status)) {
            return null;
        }
        return status == TransactionStatus.INDETERMINATE.code()
                ? " is indeterminate, which the terms ignore, but is counted"
                : " is " + TransactionStatus.ofCode(status).label() + " but is counted";
    }

    private @Nullable String statuses() {
        byte[] statuses = table.statuses();
        for (int t = 0; t < statuses.length; t++) {
            String wrong = wrongStatus(terms, statuses[t], counted[t]);
            if (wrong != null) {
                return name(t) + wrong;
            }
            if (counted[t] && table.firstRepeatedRow(t) >= 0) {
                return name(t) + " is counted, but a result of it has two rows with key "
                        + Names.key(table, table.key(table.firstRepeatedRow(t)));
            }
            transactions += counted[t] ? 1 : 0;
        }
        return null;
    }

    private @Nullable String keys() {
        for (int t = 0; t < counted.length; t++) {
            for (int o = table.firstOperation(t) + 1; counted[t] && o < table.operationsEnd(t); o++) {
                if (table.key(o) != table.key(o - 1)) {
                    return name(t) + " uses several keys";
                }
            }
        }
        return null;
    }

    private @Nullable String sessions() {
        int[] starts = table.sessionStarts();
        for (int s = 0; s < table.sessions(); s++) {
            int before = NONE;
            for (int t = starts[s]; t < starts[s + 1]; t++) {
                if (!counted[t]) {
                    continue;
                }
                if (events == 2 && position[2 * t] >= position[2 * t + 1]) {
                    return name(t) + REVERSED;
                }
                if (before != NONE && position[events * before + events - 1] >= position[events * t]) {
                    return name(t) + EARLIER + name(before) + RAN_EARLIER;
                }
                before = t;
            }
        }
        return null;
    }

    private @Nullable String places() {
        int m = position.length;
        eventAt = new int[m];
        Arrays.fill(eventAt, NONE);
        for (int e = 0; e < m; e++) {
            if (!counted[transactionOf(e)]) {
                continue;
            }
            int p = position[e];
            if (p < 0 || p >= m) {
                return event(e) + " has place " + p + " of " + m;
            }
            if (eventAt[p] != NONE) {
                return event(eventAt[p]) + " and " + event(e) + SAME;
            }
            eventAt[p] = e;
        }
        return null;
    }

    /**
     * Real time is broken iff the first event of some b is placed before the last event of some a that had ended when b
     * started: iff, at the last event of a, the latest start of the other transactions so far is after the end of a. At
     * LIN these are the transactions of a key.
     */
    private @Nullable String realTime() {
        long[] starts = table.starts();
        long[] ends = table.ends();
        if (starts == null || ends == null) {
            return null;
        }
        // By key, or for all at once: the two that started last, because a transaction does not precede itself, even if
        // it ended before it started.
        int[] latest = new int[isByKey ? table.keys().size() : 1];
        int[] second = new int[latest.length];
        Arrays.fill(latest, NONE);
        Arrays.fill(second, NONE);
        for (int e : eventAt) {
            int t = e == NONE ? NONE : transactionOf(e);
            if (t == NONE || (isByKey && table.firstOperation(t) == table.operationsEnd(t))) {
                continue;
            }
            int key = isByKey ? table.key(table.firstOperation(t)) : 0;
            if (isCommit(e)) {
                int other = latest[key] == t ? second[key] : latest[key];
                if (table.status(t) == TransactionStatus.COMMITTED
                        && other != NONE
                        && terms.precedes(ends[t], starts[other])) {
                    return name(other) + EARLIER + name(t) + HAD_ENDED;
                }
            }
            if (isSnapshot(e) && starts[t] != HistoryTable.NO_TIME) {
                if (latest[key] == NONE || starts[t] > starts[latest[key]]) {
                    second[key] = latest[key];
                    latest[key] = t;
                } else if (second[key] == NONE || starts[t] > starts[second[key]]) {
                    second[key] = t;
                }
            }
        }
        return null;
    }

    private String event(int e) {
        return events == 1 ? name(e) : ((e & 1) == 0 ? SNAPSHOT_OF : COMMIT_OF) + name(e >> 1);
    }

    private String name(int t) {
        return Names.transaction(table, t);
    }
}
