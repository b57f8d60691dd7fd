package org.polygraph.jobs.certificate;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.columnar.HistoryTable;
import org.polygraph.storage.model.Outcome;

/**
 * Replays a history in the order that is said to explain it. The last check before a PASS, and all one has to trust:
 * it knows the raw operations and nothing of indexes, graphs or solvers. The order is accepted iff
 *
 * <ul>
 *   <li>every committed transaction counts and no aborted one does; indeterminate ones may, unless the terms drop them;
 *   <li>the events of a transaction, and the transactions of a session, ascend;
 *   <li>SSER, SSI: what had ended before another started comes before it. The end of an indeterminate transaction bounds
 *       nothing;
 *   <li>every read returns the transaction's own latest write of the key, or if there is none the last value committed
 *       before the snapshot, or if there is none the initial value;
 *   <li>SI, SSI: of two transactions that write a key, one commits before the other's snapshot.
 * </ul>
 *
 * <p>Counting an indeterminate transaction that nobody read is harmless: without it the order still explains the rest.
 *
 * <p>Linear time: events are put in order by counting, real time is a running maximum. Memory: 4 bytes an event, 20 bytes
 * a key (24 with SI).
 */
public final class Replay {
    private static final int NOBODY = -1;

    /**
     * What a replay saw.
     *
     * @param discrepancy the first thing that the order does not explain, one sentence; null if it explains everything
     * @param transactions that count
     * @param reads that return what the order says, and of these
     * @param ownReads those of an own write
     * @param writes that took effect
     */
    public record Result(@Nullable String discrepancy, int transactions, long reads, long ownReads, long writes) {
        /** Whether the order explains the history. */
        public boolean holds() {
            return discrepancy == null;
        }
    }

    private final HistoryTable table;
    private final Terms terms;
    private final boolean[] counted;
    private final int[] position;
    private final int events;
    private final int[] operationStarts;
    private final int[] operationKeys;
    private final long[] operationValues;
    /** Per key: the last committed value. */
    private final long[] current;
    /** Per key: the last transaction that wrote it, and what; valid while that transaction is replayed. */
    private final int[] ownWriter;

    private final long[] ownValue;
    /** Per key, SI: the transaction that has taken its snapshot, writes the key and has not yet committed. */
    private final int[] openWriter;

    private int transactions;
    private long reads;
    private long ownReads;
    private long writes;

    private Replay(Witness witness) {
        table = witness.table();
        terms = witness.terms();
        counted = witness.counted();
        position = witness.position();
        events = terms.promise().events();
        operationStarts = table.operationStarts();
        operationKeys = table.operationKeys();
        operationValues = table.operationValues();
        int keys = table.keys().size();
        current = new long[keys];
        Arrays.fill(current, table.initialValue());
        ownWriter = new int[keys];
        Arrays.fill(ownWriter, NOBODY);
        ownValue = new long[keys];
        openWriter = new int[events == 2 ? keys : 0];
        Arrays.fill(openWriter, NOBODY);
    }

    /** Replays. */
    public static Result of(Witness witness) {
        Replay replay = new Replay(witness);
        String discrepancy = replay.run();
        return new Result(discrepancy, replay.transactions, replay.reads, replay.ownReads, replay.writes);
    }

    private @Nullable String run() {
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
        return wrong == null ? replay() : wrong;
    }

    private @Nullable String outcomes() {
        byte[] outcomes = table.outcomes();
        for (int t = 0; t < outcomes.length; t++) {
            if (counted[t] != (outcomes[t] == Outcome.COMMITTED.code())) {
                if (!counted[t]) {
                    return name(t) + " committed but is not counted";
                }
                if (!terms.mayCount(outcomes[t])) {
                    return name(t)
                            + (outcomes[t] == Outcome.ABORTED.code()
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

    private @Nullable String replay() {
        int m = position.length;
        int[] eventAt = new int[m];
        Arrays.fill(eventAt, NOBODY);
        for (int e = 0; e < m; e++) {
            if (!counted[events == 1 ? e : e >> 1]) {
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
        String wrong = terms.promise().realTime() ? realTime(eventAt) : null;
        if (wrong != null) {
            return wrong;
        }
        for (int e : eventAt) {
            if (e == NOBODY) {
                continue;
            }
            int t = events == 1 ? e : e >> 1;
            if (events == 1 || (e & 1) == 0) {
                wrong = events == 2 ? open(t) : null;
                if (wrong == null) {
                    wrong = read(t);
                }
                if (wrong != null) {
                    return wrong;
                }
            }
            if (events == 1 || (e & 1) == 1) {
                commit(t);
            }
        }
        return null;
    }

    /**
     * Real time is broken iff some b has its first event before the last event of some a that had ended when b started:
     * iff, at the last event of a, the latest start of the others seen so far is after a's end.
     */
    private @Nullable String realTime(int[] eventAt) {
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
            int t = events == 1 ? e : e >> 1;
            if (events == 1 || (e & 1) == 1) {
                int other = latest == t ? second : latest;
                if (table.outcomes()[t] == Outcome.COMMITTED.code()
                        && other != NOBODY
                        && terms.precedes(ends[t], starts[other])) {
                    return name(other) + " is ordered before " + name(t) + ", which had ended when it started";
                }
            }
            if ((events == 1 || (e & 1) == 0) && starts[t] != HistoryTable.NO_TIME) {
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

    /** SI: takes the keys that t writes, unless another open transaction has one. */
    private @Nullable String open(int t) {
        for (int o = operationStarts[t]; o < operationStarts[t + 1]; o++) {
            if ((operationKeys[o] & 1) == 1) {
                int key = operationKeys[o] >> 1;
                int other = openWriter[key];
                if (other != NOBODY && other != t) {
                    return name(t) + " and " + name(other) + " overlap and both write key " + Names.key(table, key);
                }
                openWriter[key] = t;
            }
        }
        return null;
    }

    private @Nullable String read(int t) {
        for (int o = operationStarts[t]; o < operationStarts[t + 1]; o++) {
            int key = operationKeys[o] >> 1;
            long value = operationValues[o];
            if ((operationKeys[o] & 1) == 1) {
                ownWriter[key] = t;
                ownValue[key] = value;
                continue;
            }
            boolean own = ownWriter[key] == t;
            reads++;
            ownReads += own ? 1 : 0;
            long expected = own ? ownValue[key] : current[key];
            if (value != expected) {
                return name(t) + " read key " + Names.key(table, key) + " = "
                        + Names.value(table, value) + ", but "
                        + (own ? "its own latest write is " : "the last value committed before it is ")
                        + Names.value(table, expected);
            }
        }
        return null;
    }

    private void commit(int t) {
        for (int o = operationStarts[t]; o < operationStarts[t + 1]; o++) {
            if ((operationKeys[o] & 1) == 1) {
                int key = operationKeys[o] >> 1;
                current[key] = operationValues[o];
                writes++;
                if (events == 2) {
                    openWriter[key] = NOBODY;
                }
            }
        }
    }

    private String event(int e) {
        return events == 1 ? name(e) : ((e & 1) == 0 ? "the snapshot of " : "the commit of ") + name(e >> 1);
    }

    private String name(int t) {
        return Names.transaction(table, t);
    }
}
