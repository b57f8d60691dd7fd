package org.polygraph.partitioner.linear;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.columnar.HistoryTable;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.Outcome;

/**
 * A history as operations on keys. A transaction is one operation: a read; a write; a compare-and-set, which is a read and
 * a write of one key; or one that was refused, which is a read of anything but a value. It takes effect at one point
 * between its start and its end; one of unknown outcome at any point after its start, or never.
 *
 * <p>Memory: 32 bytes a transaction.
 */
final class Operations {
    /** The end of what never ends. */
    static final long NEVER = Long.MAX_VALUE;

    private static final int NO_OPERATION = -1;

    private final HistoryTable table;
    private final boolean maybe;
    private final byte[] outcomes;
    /** Operations of key k: ids[keyStarts[k] .. keyStarts[k + 1]), transactions that may count, ascending. */
    final int[] keyStarts;

    final int[] ids;
    final long[] starts;
    /** Moved by the clock skew: a comes before b iff ends[a] < starts[b]. */
    final long[] ends;

    /** @param maybe whether unknown outcomes may count */
    Operations(HistoryTable table, long skewNanos, boolean maybe) {
        this.table = table;
        this.maybe = maybe;
        this.outcomes = table.outcomes();
        int n = table.transactions();
        int keys = table.keys().size();
        keyStarts = new int[keys + 1];
        for (int t = 0; t < n; t++) {
            if (isPart(t)) {
                keyStarts[key(t) + 1]++;
            }
        }
        for (int k = 0; k < keys; k++) {
            keyStarts[k + 1] += keyStarts[k];
        }
        int[] next = Arrays.copyOf(keyStarts, keys);
        ids = new int[keyStarts[keys]];
        for (int t = 0; t < n; t++) {
            if (isPart(t)) {
                ids[next[key(t)]++] = t;
            }
        }
        long[] given = table.starts();
        starts = given == null ? new long[n] : given;
        ends = new long[n];
        long slack = 2 * Math.max(0, Math.min(skewNanos, Long.MAX_VALUE / 8));
        long[] finished = table.ends();
        for (int t = 0; t < n; t++) {
            long end = finished == null || isMaybe(t) ? NEVER : finished[t];
            ends[t] = end > NEVER - slack ? NEVER : end + slack;
        }
    }

    /** The first transaction that is no operation, or whose times are missing or run backwards; null if all are well. */
    static @Nullable HistoryException problem(HistoryTable table) {
        long[] starts = table.starts();
        long[] ends = table.ends();
        for (int t = 0; t < table.transactions(); t++) {
            if (table.outcome(t) == Outcome.ABORTED || isEmpty(table, t)) {
                continue;
            }
            if (!isOperation(table, t)) {
                return new HistoryException(
                        table.whereIs(t),
                        "a transaction of " + (table.operationStarts()[t + 1] - table.operationStarts()[t])
                                + " operations",
                        "one read, write or cas (or a read and then a write of its key) for level lin",
                        "check transactions at sser, which is the same promise for them");
            }
            boolean hasEnd = table.outcome(t) != Outcome.COMMITTED || (ends != null && ends[t] != HistoryTable.NO_TIME);
            if (starts == null || starts[t] == HistoryTable.NO_TIME || !hasEnd) {
                return new HistoryException(
                        table.whereIs(t),
                        "an operation without its " + (hasEnd ? "start" : "end"),
                        "start and end, of which level lin speaks (of an indeterminate one its start)",
                        "record when each operation was sent and when its outcome was known");
            }
            if (table.outcome(t) == Outcome.COMMITTED && ends != null && ends[t] < starts[t]) {
                return new HistoryException(
                        table.whereIs(t),
                        "an operation that ended at " + ends[t] + ", before its start at " + starts[t],
                        "an end at or after the start",
                        "take both times from one clock, as long integers of ns");
            }
        }
        return null;
    }

    private static boolean isEmpty(HistoryTable table, int t) {
        return table.operationStarts()[t] == table.operationStarts()[t + 1];
    }

    private static boolean isOperation(HistoryTable table, int t) {
        int from = table.operationStarts()[t];
        int[] keys = table.operationKeys();
        return switch (table.operationStarts()[t + 1] - from) {
            case 1 -> true;
            case 2 ->
                (keys[from] & 1) == 0
                        && keys[from + 1] == (keys[from] | 1)
                        && !table.values().isOther(table.operationValues()[from]);
            default -> false;
        };
    }

    private boolean isPart(int t) {
        return !isEmpty(table, t) && (outcomes[t] == Outcome.COMMITTED.code() || (maybe && isMaybe(t) && isWrite(t)));
    }

    /**
     * A write of what an operation read by a transaction that cannot have taken effect, however many operations that one has: the
     * write, or -1. Goes through the history.
     */
    int droppedWrite(int reader) {
        int wanted = key(reader) << 1 | 1;
        for (int t = 0; t < outcomes.length; t++) {
            if (outcomes[t] != Outcome.COMMITTED.code() && !(maybe && isMaybe(t))) {
                for (int o = table.operationStarts()[t]; o < table.operationStarts()[t + 1]; o++) {
                    if (table.operationKeys()[o] == wanted && table.operationValues()[o] == read(reader)) {
                        return o;
                    }
                }
            }
        }
        return NO_OPERATION;
    }

    /** Whether its outcome is unknown. */
    boolean isMaybe(int t) {
        return outcomes[t] == Outcome.INDETERMINATE.code();
    }

    int key(int t) {
        return table.operationKeys()[table.operationStarts()[t]] >>> 1;
    }

    private int last(int t) {
        return table.operationStarts()[t + 1] - 1;
    }

    /** Whether it writes, also after reading. */
    boolean isWrite(int t) {
        return (table.operationKeys()[last(t)] & 1) == 1;
    }

    /** What it writes. */
    long written(int t) {
        return table.operationValues()[last(t)];
    }

    /** Whether it reads a value, also before writing. */
    boolean isRead(int t) {
        return readAt(t) != NO_OPERATION && !isRefused(t);
    }

    /** What it reads. */
    long read(int t) {
        return table.operationValues()[table.operationStarts()[t]];
    }

    private int readAt(int t) {
        int first = table.operationStarts()[t];
        return (table.operationKeys()[first] & 1) == 0 ? first : NO_OPERATION;
    }

    /** Whether it is a compare-and-set that did not find {@link #excluded}. */
    boolean isRefused(int t) {
        int first = readAt(t);
        return first != NO_OPERATION && table.values().isOther(table.operationValues()[first]);
    }

    long excluded(int t) {
        return table.values().excluded(read(t));
    }

    long initialValue() {
        return table.initialValue();
    }

    HistoryTable table() {
        return table;
    }

    /** How people call it: {@code write of 5 to key 1 (session 0, index 7)}. */
    String name(int t) {
        String key = table.keys().label(key(t));
        String what = isRefused(t)
                ? "cas of key " + key + " that did not find " + table.values().label(excluded(t))
                : isRead(t) && isWrite(t)
                        ? "cas of key " + key + " from " + table.values().label(read(t)) + " to "
                                + table.values().label(written(t))
                        : isWrite(t)
                                ? "write of " + table.values().label(written(t)) + " to key " + key
                                : "read of " + table.values().label(read(t)) + " from key " + key;
        return what + " (session " + table.sessionLabel(table.sessionOf(t)) + ", index " + table.index(t) + ")";
    }
}
