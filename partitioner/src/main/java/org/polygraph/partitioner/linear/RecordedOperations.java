package org.polygraph.partitioner.linear;

import it.unimi.dsi.fastutil.ints.Int2ObjectOpenHashMap;
import it.unimi.dsi.fastutil.longs.Long2LongOpenHashMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/**
 * A history as operations on keys. A transaction is one operation: a read, a write, a compare-and-set (a read and a
 * write of one key), or a refused compare-and-set (a read of anything but a value). It takes effect at one point
 * between its start and its end; one of unknown outcome at any point after its start, or never.
 */
final class RecordedOperations {
    private static final int NO_OPERATION = -1;

    private final HistoryTable table;
    private final boolean maybe;
    private final long @Nullable [] starts;
    private final long @Nullable [] ends;
    private final long slack;
    /**
     * By key and value written by transactions that cannot have taken effect: the earliest start; null until first used.
     */
    private @Nullable Int2ObjectOpenHashMap<Long2LongOpenHashMap> dropped;

    /** @param maybe whether unknown outcomes may count */
    RecordedOperations(HistoryTable table, long skewNanos, boolean maybe) {
        this.table = table;
        this.maybe = maybe;
        starts = table.starts();
        ends = table.ends();
        slack = skewNanos;
    }

    /**
     * The first transaction that is not one operation, or whose times descend; null if there is none.
     */
    static @Nullable HistoryException problem(HistoryTable table) {
        HistoryException found = null;
        for (int t = 0; found == null && t < table.transactions(); t++) {
            found = problem(table, t);
        }
        return found;
    }

    // A method of its own is compiled earlier than the loop around it.
    private static @Nullable HistoryException problem(HistoryTable table, int t) {
        long[] starts = table.starts();
        long[] ends = table.ends();
        if (table.status(t) == TransactionStatus.ABORTED
                || table.status(t) == TransactionStatus.INITIAL
                || isEmpty(table, t)) {
            return null;
        }
        if (table.firstRepeatedRow(t) >= 0) {
            return new HistoryException(
                    table.whereIs(t),
                    "a read of two rows with one key",
                    "one read, write or cas for level lin",
                    "check it at sser, where it is a violation");
        }
        for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
            if (table.values().isGiven(table.value(o))) {
                return new HistoryException(
                        table.whereIs(t),
                        "a version that the database gave",
                        "operations without versions for level lin",
                        "check it at sser, which guarantees the same for one operation, or give --versions ignore");
            }
            if (table.isInsert(o) || table.isDelete(o)) {
                return new HistoryException(
                        table.whereIs(t),
                        "an insert or a delete",
                        "one read, write or cas for level lin",
                        "check inserts and deletes at sser, which guarantees the same for them");
            }
        }
        if (!isOperation(table, t)) {
            return new HistoryException(
                    table.whereIs(t),
                    "a transaction of " + recorded(table, t) + " operations",
                    "one read, write or cas (or a read and then a write of its key) for level lin",
                    "check transactions at sser, which guarantees the same for them");
        }
        if (table.status(t) == TransactionStatus.COMMITTED
                && starts != null
                && ends != null
                && ends[t] != HistoryTable.NO_TIME
                && ends[t] < starts[t]) {
            return new HistoryException(
                    table.whereIs(t),
                    "an operation that ended at " + ends[t] + ", before its start at " + starts[t],
                    "an end at or after the start",
                    "take both times from one clock, as long integers of ns");
        }
        return null;
    }

    private static long recorded(HistoryTable table, int t) {
        return IntStream.range(table.firstOperation(t), table.operationsEnd(t))
                .filter(o -> !table.isImplied(o))
                .count();
    }

    private static boolean isEmpty(HistoryTable table, int t) {
        return table.firstOperation(t) == table.operationsEnd(t);
    }

    private static boolean isOperation(HistoryTable table, int t) {
        int from = table.firstOperation(t);
        return switch (table.operationsEnd(t) - from) {
            case 1 -> true;
            case 2 ->
                !table.isWrite(from)
                        && table.isWriteOf(from + 1, table.key(from))
                        && !table.values().isOther(table.value(from));
            // A list that was read before an append, and the one that the append follows.
            case 3 ->
                !table.isWrite(from)
                        && table.isImplied(from + 1)
                        && table.isAppend(from + 2)
                        && table.isWriteOf(from + 2, table.key(from));
            default -> false;
        };
    }

    /** Whether a transaction is an operation that may count. */
    boolean mayCount(int t) {
        return !isEmpty(table, t)
                && (table.status(t) == TransactionStatus.COMMITTED || (maybe && isMaybe(t) && isWrite(t)));
    }

    /**
     * Whether a transaction that cannot have taken effect wrote the value that an operation read, and started before it
     * ended. Linear once.
     */
    boolean isDropped(int reader) {
        Int2ObjectOpenHashMap<Long2LongOpenHashMap> written = dropped;
        if (written == null) {
            written = new Int2ObjectOpenHashMap<>();
            for (int t = 0; t < table.transactions(); t++) {
                for (int o = table.firstOperation(t); isDroppedTransaction(t) && o < table.operationsEnd(t); o++) {
                    if (table.isWrite(o)) {
                        written.computeIfAbsent(table.key(o), k -> new Long2LongOpenHashMap())
                                .mergeLong(table.value(o), start(t), Math::min);
                    }
                }
            }
            dropped = written;
        }
        Long2LongOpenHashMap values = written.get(key(reader));
        long value = table.value(table.firstOperation(reader));
        return values != null && values.containsKey(value) && values.get(value) <= end(reader);
    }

    private boolean isDroppedTransaction(int t) {
        return table.status(t) == TransactionStatus.ABORTED || (!maybe && isMaybe(t));
    }

    /**
     * A write of the value that an operation read, by a transaction of any length that cannot have taken effect
     * and started before the read ended; -1 if there is none. Scans the history.
     */
    int droppedWrite(int reader) {
        int key = key(reader);
        long read = table.value(table.firstOperation(reader));
        for (int t = 0; t < table.transactions(); t++) {
            if (isDroppedTransaction(t) && start(t) <= end(reader)) {
                for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                    if (table.isWriteOf(o, key) && table.value(o) == read) {
                        return o;
                    }
                }
            }
        }
        return NO_OPERATION;
    }

    private boolean isMaybe(int t) {
        return table.status(t) == TransactionStatus.INDETERMINATE;
    }

    private boolean isWrite(int t) {
        return table.isWrite(table.operationsEnd(t) - 1);
    }

    int key(int t) {
        return table.key(table.firstOperation(t));
    }

    /** As in {@link LinearOperations}. */
    byte kind(int t) {
        int first = table.firstOperation(t);
        int kind = isWrite(t) ? LinearOperations.WRITES : 0;
        if (!table.isWrite(first)) {
            kind |= table.values().isOther(table.value(first)) ? LinearOperations.REFUSED : LinearOperations.READS;
        }
        return (byte) (isMaybe(t) ? kind | LinearOperations.MAYBE : kind);
    }

    /** The value that it reads; of a refused compare-and-set the value that it did not find. */
    long read(int t) {
        long value = table.value(table.firstOperation(t));
        return table.values().isOther(value) ? table.values().excluded(value) : value;
    }

    /** The value that it writes. */
    long written(int t) {
        return table.value(table.operationsEnd(t) - 1);
    }

    /** If it was not recorded, no operation ended before. */
    long start(int t) {
        return starts == null ? HistoryTable.NO_TIME : starts[t];
    }

    /**
     * Plus the clock skew: a comes before b iff the end of a is below the start of b. If it was not recorded, no operation
     * started later.
     */
    long end(int t) {
        long end = isMaybe(t) || ends == null ? HistoryTable.NO_TIME : ends[t];
        return end == HistoryTable.NO_TIME || end > LinearOperations.NEVER - slack
                ? LinearOperations.NEVER
                : end + slack;
    }

    HistoryTable table() {
        return table;
    }

    /** Its transaction and what it did: {@code s0#7 (wrote 5)}. */
    String name(int t) {
        return table.name(t) + " (" + did(t, "") + ")";
    }

    /** What it did: {@code read 5 from key 1 and wrote 6}. */
    String action(int t) {
        return did(t, " key " + table.keys().label(key(t)));
    }

    /** The name of a value of a key. */
    String label(int key, long value) {
        return table.label(key, value);
    }

    private String did(int t, String key) {
        byte kind = kind(t);
        String read = label(key(t), read(t));
        String from = key.isEmpty() ? "" : " from" + key;
        if ((kind & LinearOperations.REFUSED) != 0) {
            return "read another value than " + read + from;
        }
        String wrote =
                (table.isAppend(table.operationsEnd(t) - 1) ? "appended " : "wrote ") + label(key(t), written(t));
        if ((kind & LinearOperations.READS) == 0 || table.isImplied(table.firstOperation(t))) {
            return wrote + (key.isEmpty() ? "" : " to" + key);
        }
        return "read " + read + from + ((kind & LinearOperations.WRITES) == 0 ? "" : " and " + wrote);
    }
}
