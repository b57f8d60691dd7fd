package org.polygraph.jobs.certificate.replay;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Names;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/**
 * What an order has to keep that no single key tells: who counts, that places are places and no two events share one, that
 * transactions and sessions ascend, and real time where it is part of the promise. What remains after it are reads and
 * overlaps, key by key, for which {@link #eventAt} is the order.
 *
 * <p>Linear time; memory: 4 bytes an event.
 */
final class Placement {
    static final int NOBODY = -1;

    private final HistoryTable table;
    private final Terms terms;
    private final boolean[] counted;
    private final int[] position;
    private final int events;
    private final @Nullable String discrepancy;
    private int[] eventAt = new int[0];
    private int transactions;

    private Placement(Witness witness) {
        table = witness.table();
        terms = witness.terms();
        counted = witness.counted();
        position = witness.position();
        events = terms.promise().events();
        discrepancy = look();
    }

    /** Looks at an order. */
    static Placement of(Witness witness) {
        return new Placement(witness);
    }

    /** The first thing that is wrong, one sentence; null if nothing is. */
    @Nullable
    String discrepancy() {
        return discrepancy;
    }

    /** By place: the event that has it, or {@link #NOBODY}. Only where nothing is wrong. */
    int[] eventAt() {
        return eventAt;
    }

    /** How many count. Only where nothing is wrong. */
    int transactions() {
        return transactions;
    }

    /** Whose event that is. */
    int transactionOf(int event) {
        return events == 1 ? event : event >> 1;
    }

    /** Whether a transaction starts with it: reads see what was committed before. */
    boolean isSnapshot(int event) {
        return events == 1 || (event & 1) == 0;
    }

    /** Whether a transaction ends with it. */
    boolean isCommit(int event) {
        return events == 1 || (event & 1) == 1;
    }

    private @Nullable String look() {
        int n = table.transactions();
        if (counted.length != n) {
            return counted.length + " flags for " + n + " transactions";
        }
        if (position.length != (long) n * events) {
            return position.length + " places for " + (long) n * events + " events";
        }
        String wrong = outcomes();
        if (wrong == null) {
            wrong = sessions();
        }
        if (wrong == null) {
            wrong = places();
        }
        return wrong == null && terms.promise().realTime() ? realTime() : wrong;
    }

    private @Nullable String outcomes() {
        byte[] outcomes = table.statuses();
        for (int t = 0; t < outcomes.length; t++) {
            if (counted[t] != (outcomes[t] == TransactionStatus.COMMITTED.code())) {
                if (!counted[t]) {
                    return name(t) + " committed but is not counted";
                }
                if (!terms.mayCount(outcomes[t])) {
                    return name(t)
                            + (outcomes[t] == TransactionStatus.ABORTED.code()
                                    ? " aborted but is counted"
                                    : " is indeterminate, which the terms drop, but is counted");
                }
            }
            transactions += counted[t] ? 1 : 0;
        }
        return null;
    }

    private @Nullable String sessions() {
        int[] starts = table.sessionStarts();
        for (int s = 0; s < table.sessions(); s++) {
            int before = NOBODY;
            for (int t = starts[s]; t < starts[s + 1]; t++) {
                if (!counted[t]) {
                    continue;
                }
                if (events == 2 && position[2 * t] >= position[2 * t + 1]) {
                    return name(t) + " commits before its snapshot";
                }
                if (before != NOBODY && position[events * before + events - 1] >= position[events * t]) {
                    return name(t) + " is ordered before " + name(before) + ", which its session ran earlier";
                }
                before = t;
            }
        }
        return null;
    }

    private @Nullable String places() {
        int m = position.length;
        eventAt = new int[m];
        Arrays.fill(eventAt, NOBODY);
        for (int e = 0; e < m; e++) {
            if (!counted[transactionOf(e)]) {
                continue;
            }
            int p = position[e];
            if (p < 0 || p >= m) {
                return event(e) + " has place " + p + " of " + m;
            }
            if (eventAt[p] != NOBODY) {
                return event(eventAt[p]) + " and " + event(e) + " have the same place " + p;
            }
            eventAt[p] = e;
        }
        return null;
    }

    /**
     * Real time is broken iff some b has its first event before the last event of some a that had ended when b started:
     * iff, at the last event of a, the latest start of the others seen so far is after a's end.
     */
    private @Nullable String realTime() {
        long[] starts = table.starts();
        long[] ends = table.ends();
        if (starts == null || ends == null) {
            return null;
        }
        // The two that started latest: a transaction does not precede itself, whatever its times say.
        int latest = NOBODY;
        int second = NOBODY;
        for (int e : eventAt) {
            if (e == NOBODY) {
                continue;
            }
            int t = transactionOf(e);
            if (isCommit(e)) {
                int other = latest == t ? second : latest;
                if (table.status(t) == TransactionStatus.COMMITTED
                        && other != NOBODY
                        && terms.precedes(ends[t], starts[other])) {
                    return name(other) + " is ordered before " + name(t) + ", which had ended when it started";
                }
            }
            if (isSnapshot(e) && starts[t] != HistoryTable.NO_TIME) {
                if (latest == NOBODY || starts[t] > starts[latest]) {
                    second = latest;
                    latest = t;
                } else if (second == NOBODY || starts[t] > starts[second]) {
                    second = t;
                }
            }
        }
        return null;
    }

    private String event(int e) {
        return events == 1 ? name(e) : ((e & 1) == 0 ? "the snapshot of " : "the commit of ") + name(e >> 1);
    }

    private String name(int t) {
        return Names.transaction(table, t);
    }
}
