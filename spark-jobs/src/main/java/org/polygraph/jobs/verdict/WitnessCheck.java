package org.polygraph.jobs.verdict;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.columnar.HistoryTable;
import org.polygraph.storage.model.Outcome;

/**
 * Replays a history in the order that is said to explain it. The last check before a PASS, and all one has to trust:
 * it knows the raw operations and nothing of indexes, graphs or solvers.
 *
 * <p>The order is a total order of events. SER has one event a transaction (event t is transaction t); SI has two (event
 * 2t takes the snapshot, event 2t + 1 commits). Accepted iff
 *
 * <ul>
 *   <li>every committed transaction counts and no aborted one does (indeterminate ones may, either way);
 *   <li>the events of a transaction, and the transactions of a session, ascend;
 *   <li>every read returns the transaction's own latest write of the key, or if there is none the last value committed
 *       before the snapshot, or if there is none the initial value;
 *   <li>SI: of two transactions that write a key, one commits before the other's snapshot.
 * </ul>
 *
 * <p>Counting an indeterminate transaction that nobody read is harmless: without it the order still explains the rest.
 *
 * <p>Linear time: events are put in order by counting. Memory: 4 bytes an event, 20 bytes a key (24 with SI).
 */
public final class WitnessCheck {
    private static final int NOBODY = -1;

    private final HistoryTable table;
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

    private WitnessCheck(HistoryTable table, int events, boolean[] counted, int[] position) {
        this.table = table;
        this.counted = counted;
        this.position = position;
        this.events = events;
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

    /**
     * The first thing that the order does not explain.
     *
     * @param level SER or SI
     * @param counted per transaction: whether it is taken as committed
     * @param position per event: its place, a permutation of 0..events - 1; events of transactions that do not count
     *     have places too and are ignored
     * @return null if the order explains the history, else one sentence
     * @throws IllegalArgumentException if the level is neither SER nor SI
     */
    public static @Nullable String firstDiscrepancy(
            HistoryTable table, IsolationLevel level, boolean[] counted, int[] position) {
        if (level != IsolationLevel.SER && level != IsolationLevel.SI) {
            throw new IllegalArgumentException("no replay for level " + level.label());
        }
        return new WitnessCheck(table, level.eventsPerTransaction(), counted, position).run();
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
            if (outcomes[t] == Outcome.COMMITTED.code() && !counted[t]) {
                return name(t) + " committed but is not counted";
            }
            if (outcomes[t] == Outcome.ABORTED.code() && counted[t]) {
                return name(t) + " aborted but is counted";
            }
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
            int p = position[e];
            if (p < 0 || p >= m) {
                return "event " + e + " has place " + p + " of " + m;
            }
            if (eventAt[p] != NOBODY) {
                return "events " + eventAt[p] + " and " + e + " have the same place " + p;
            }
            eventAt[p] = e;
        }
        for (int e : eventAt) {
            int t = events == 1 ? e : e >> 1;
            if (!counted[t]) {
                continue;
            }
            if (events == 1 || (e & 1) == 0) {
                String wrong = events == 2 ? open(t) : null;
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

    /** SI: takes the keys that t writes, unless another open transaction has one. */
    private @Nullable String open(int t) {
        for (int o = operationStarts[t]; o < operationStarts[t + 1]; o++) {
            if ((operationKeys[o] & 1) == 1) {
                int key = operationKeys[o] >> 1;
                int other = openWriter[key];
                if (other != NOBODY && other != t) {
                    return name(t) + " and " + name(other) + " overlap and both write key "
                            + table.keys().label(key);
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
            long expected = own ? ownValue[key] : current[key];
            if (value != expected) {
                return name(t) + " read key " + table.keys().label(key) + " = "
                        + table.values().label(value) + ", but "
                        + (own ? "its own latest write is " : "the last value committed before it is ")
                        + table.values().label(expected);
            }
        }
        return null;
    }

    private void commit(int t) {
        for (int o = operationStarts[t]; o < operationStarts[t + 1]; o++) {
            if ((operationKeys[o] & 1) == 1) {
                int key = operationKeys[o] >> 1;
                current[key] = operationValues[o];
                if (events == 2) {
                    openWriter[key] = NOBODY;
                }
            }
        }
    }

    private String name(int t) {
        return "transaction (session " + table.sessionLabel(table.sessionOf(t)) + ", index " + table.index(t) + ") at "
                + table.whereIs(t);
    }
}
