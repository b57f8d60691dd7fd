package org.polygraph.partitioner.index;

import it.unimi.dsi.fastutil.longs.Long2IntOpenHashMap;
import it.unimi.dsi.fastutil.longs.Long2LongOpenHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.table.HistoryTable;

/**
 * Names the anomaly of a read that represents the place of an append. A list is read as the version that its last
 * element made, and an append is a read of the version before it and a write. If lists show an element in two places,
 * its append has reads of two versions, and of the first one once more; at rc, ra and cc the first one is read again
 * after the write.
 *
 * <p>Each name takes one pass over the history.
 */
final class ListAnomalies {
    private final HistoryTable table;
    private final int key;
    /** By version of the key: the version before it in the lists. */
    private final Long2LongOpenHashMap before = new Long2LongOpenHashMap();

    private final Long2IntOpenHashMap writers = new Long2IntOpenHashMap();

    private ListAnomalies(HistoryTable table, int key) {
        this.table = table;
        this.key = key;
        writers.defaultReturnValue(-1);
        for (int t = 0; t < table.transactions(); t++) {
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                if (table.isWriteOf(o, key)) {
                    writers.put(table.value(o), t);
                    if (o > table.firstOperation(t) && table.isReadOf(o - 1, key) && table.isImplied(o - 1)) {
                        before.put(table.value(o), table.value(o - 1));
                    }
                }
            }
        }
    }

    /** Whether an impossible read is the place of an append behind the element that it appends itself. */
    static boolean isDuplicate(HistoryTable table, int transaction, int read) {
        return table.isImplied(read)
                && read + 1 < table.operationsEnd(transaction)
                && table.isWriteOf(read + 1, table.key(read))
                && table.value(read + 1) == table.value(read);
    }

    /** @param append of the element that a list has twice */
    static Violation duplicate(HistoryTable table, int transaction, int append) {
        int key = table.key(append);
        return new Violation(
                Anomaly.DUPLICATE_ELEMENT,
                List.of(transaction),
                List.of(key),
                List.of(),
                "a list of key " + table.keys().label(key) + " has the last element of "
                        + table.values().label(table.value(append)) + " twice in succession");
    }

    /**
     * The violation if a read that contradicts its own transaction represents the place of an append; null if the
     * transaction read that version itself, or the names for registers fit.
     */
    static @Nullable Violation inconsistent(HistoryTable table, int transaction, int read) {
        int key = table.key(read);
        int append = read + 1;
        while (append < table.operationsEnd(transaction) && table.isReadOf(append, key)) {
            append++;
        }
        if (append == table.operationsEnd(transaction) || !table.isWriteOf(append, key)) {
            append = read - 1;
        }
        if (!table.values().hasLists()
                || append <= table.firstOperation(transaction)
                || !table.isImplied(append - 1)
                || !table.isWriteOf(append, key)
                || !isRead(table, key, table.value(append))) {
            return null;
        }
        return new ListAnomalies(table, key).inconsistent(transaction, read, append);
    }

    /** Whether lists show a version: it was read, or another one follows it. */
    private static boolean isRead(HistoryTable table, int key, long version) {
        for (int o = 0; o < table.operations(); o++) {
            if (table.isReadOf(o, key) && table.value(o) == version) {
                return true;
            }
        }
        return false;
    }

    private @Nullable Violation inconsistent(int transaction, int read, int append) {
        long place = table.value(append - 1);
        int first = table.firstOperation(transaction);
        if (append - 3 >= first
                && table.isReadOf(append - 2, key)
                && table.isReadOf(append - 3, key)
                && table.value(append - 3) == place
                && table.value(append - 2) != place) {
            return place == table.value(append) || table.value(append - 2) == table.value(append)
                    ? duplicate(table, transaction, append)
                    : new Violation(
                            Anomaly.INCOMPATIBLE_ORDER,
                            List.of(transaction),
                            List.of(key),
                            List.of(),
                            "lists of key " + table.keys().label(key) + " show " + label(table.value(append))
                                    + " directly behind " + label(place) + " and directly behind "
                                    + label(table.value(append - 2)));
        }
        int other = writers.get(place);
        if (read != append - 1 || other < 0 || other == transaction) {
            return null;
        }
        int own = -1;
        int earlier = -1;
        for (int o = first; o < read; o++) {
            if (table.isWriteOf(o, key)) {
                own = o;
            } else if (table.isReadOf(o, key)) {
                earlier = o;
            }
        }
        int known = own >= 0 ? own : earlier;
        if (known < 0 || !follows(place, table.value(known))) {
            return null;
        }
        String behind = "its append of " + label(table.value(append)) + " is behind " + label(place);
        return new Violation(
                own >= 0 ? Anomaly.DIRTY_WRITE : Anomaly.LOST_UPDATE,
                List.of(transaction, other),
                List.of(key),
                List.of(),
                own >= 0
                        ? "appended " + label(table.value(own)) + " to key "
                                + table.keys().label(key) + ", but " + behind
                                + ", which another transaction appended in between"
                        : "read " + label(table.value(earlier)) + " from key "
                                + table.keys().label(key) + ", but " + behind
                                + ", which another transaction appended after that");
    }

    /** Whether lists show a version somewhere behind another one. */
    private boolean follows(long version, long other) {
        long at = version;
        for (int steps = before.size(); steps > 0 && at != other && before.containsKey(at); steps--) {
            at = before.get(at);
        }
        return at == other;
    }

    private String label(long version) {
        return table.label(key, version);
    }
}
