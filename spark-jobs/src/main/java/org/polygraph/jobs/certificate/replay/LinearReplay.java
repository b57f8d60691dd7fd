package org.polygraph.jobs.certificate.replay;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Names;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/**
 * Replays an order that is claimed to show linearizability. Places order the operations of each key; places of
 * different keys are unrelated, and sessions play no role. The order is accepted iff every committed transaction counts
 * and no aborted one does, each transaction uses one key, and for each key
 *
 * <ul>
 *   <li>a transaction that had ended before another started comes before it, unless it is indeterminate;
 *   <li>every read returns the last value before it, or the initial one; a refused compare-and-set is placed where the
 *       value differs from the one it expected.
 * </ul>
 *
 * <p>Linear time. Memory: 12 bytes per key, 4 per transaction.
 */
final class LinearReplay {
    private static final int NONE = -1;

    private final HistoryTable table;
    private final Terms terms;
    private final boolean[] counted;
    private final int[] position;
    private final long[] current;
    /** By key: of the transactions replayed so far, the one that started last. */
    private final int[] latest;

    private long reads;
    private long writes;
    private int transactions;

    private LinearReplay(Witness witness) {
        table = witness.table();
        terms = witness.terms();
        counted = witness.counted();
        position = witness.position();
        current = table.initialValues();
        latest = new int[table.keys().size()];
        Arrays.fill(latest, NONE);
    }

    static Replay.Result of(Witness witness) {
        LinearReplay replay = new LinearReplay(witness);
        String wrong = replay.run();
        return wrong == null
                ? new Replay.Result(null, replay.transactions, replay.reads, 0, replay.writes)
                : Replay.Result.rejected(wrong);
    }

    private @Nullable String run() {
        int n = table.transactions();
        if (counted.length != n || position.length != n) {
            return position.length + " places for " + n + " transactions";
        }
        long[] starts = table.starts();
        long[] ends = table.ends();
        if (starts == null || ends == null) {
            return "the history has no times";
        }
        int[] at = new int[n];
        Arrays.fill(at, NONE);
        for (int t = 0; t < n; t++) {
            String wrong = place(t, at);
            if (wrong != null) {
                return wrong;
            }
        }
        for (int t : at) {
            String wrong = t == NONE ? null : step(t, starts, ends);
            if (wrong != null) {
                return wrong;
            }
        }
        return null;
    }

    // Methods of their own are compiled earlier than the loops around them.
    private @Nullable String place(int t, int[] at) {
        if (counted[t] ? !terms.mayCount(table.statuses()[t]) : table.status(t) == TransactionStatus.COMMITTED) {
            return name(t) + " is " + table.status(t).label() + (counted[t] ? " but" : " and not") + " counted";
        }
        if (!counted[t]) {
            return null;
        }
        transactions++;
        if (position[t] < 0 || position[t] >= at.length) {
            return name(t) + " has place " + position[t] + " of " + at.length;
        }
        if (at[position[t]] != NONE) {
            return name(at[position[t]]) + " and " + name(t) + " have the same place " + position[t];
        }
        at[position[t]] = t;
        return null;
    }

    private @Nullable String step(int t, long[] starts, long[] ends) {
        int from = table.firstOperation(t);
        int to = table.operationsEnd(t);
        if (from == to) {
            return null;
        }
        int key = table.key(from);
        int before = latest[key];
        if (before != NONE
                && table.status(t) == TransactionStatus.COMMITTED
                && terms.precedes(ends[t], starts[before])) {
            return name(before) + " is ordered before " + name(t) + ", which had ended when it started";
        }
        if (before == NONE || starts[t] > starts[before]) {
            latest[key] = t;
        }
        for (int o = from; o < to; o++) {
            if (table.key(o) != key) {
                return name(t) + " uses several keys";
            }
            long value = table.value(o);
            if (table.isWrite(o)) {
                writes++;
                current[key] = value;
                continue;
            }
            reads++;
            boolean refused = table.values().isOther(value);
            if (refused ? table.values().excluded(value) == current[key] : value != current[key]) {
                return Names.read(table, o) + ", but the last value before it is " + Names.value(table, current[key]);
            }
        }
        return null;
    }

    private String name(int t) {
        return Names.transaction(table, t);
    }
}
