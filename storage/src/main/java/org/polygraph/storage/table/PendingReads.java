package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.longs.Long2IntOpenHashMap;
import java.util.Arrays;
import org.polygraph.storage.dictionary.ValueDictionary;

/**
 * The reads that an order under construction still has to explain. If one write alone leaves the value that a read
 * returns, its version must not be overwritten before this read.
 */
final class PendingReads {
    private static final int NONE = -1;

    private final HistoryTable table;
    private final Predicates predicates;
    /** By value: its number. */
    private final Long2IntOpenHashMap numbers = new Long2IntOpenHashMap();
    /** By number of a value: the one transaction that writes it; INITIAL if it is only an initial value; or SEVERAL. */
    private int[] writers = new int[16];

    private static final int INITIAL = -1;
    private static final int SEVERAL = -2;
    private static final int UNSEEN = -3;

    /** By row and number of a value: the number of the version. */
    private final Long2IntOpenHashMap versions = new Long2IntOpenHashMap();
    /** By operation: the number of the version that it reads, or {@link #NONE}. */
    private final int[] versionOf;
    /** By version: the reads of transactions that are not placed. */
    private final int[] pending;

    PendingReads(HistoryTable table, Predicates predicates, boolean[] counted) {
        this.table = table;
        this.predicates = predicates;
        numbers.defaultReturnValue(NONE);
        versions.defaultReturnValue(NONE);
        Arrays.fill(writers, UNSEEN);
        add(table.initialValue(), INITIAL);
        var state = table.initialState();
        if (state != null) {
            for (long value : state.values()) {
                add(value, INITIAL);
            }
        }
        for (int t = 0; t < table.transactions(); t++) {
            for (int o = table.firstOperation(t); counted[t] && o < table.operationsEnd(t); o++) {
                Predicates.Unknown write = predicates.isUnknown(table.value(o))
                        ? predicates.unknown(Predicates.number(table.value(o)))
                        : null;
                if (write != null && !write.isDelete()) {
                    add(write.value(), t);
                } else if (table.isWrite(o) && !table.isDelete(o)) {
                    add(table.value(o), t);
                }
            }
        }
        versionOf = new int[table.operations()];
        Arrays.fill(versionOf, NONE);
        for (int t = 0; t < table.transactions(); t++) {
            for (int o = table.firstOperation(t); counted[t] && o < table.operationsEnd(t); o++) {
                int writer = isRead(o) ? writerOf(table.value(o)) : SEVERAL;
                if (writer >= INITIAL && writer != t) {
                    long version = pair(table.key(o), numbers.get(table.value(o)));
                    int next = versions.size();
                    int number = versions.putIfAbsent(version, next);
                    versionOf[o] = number == NONE ? next : number;
                }
            }
        }
        pending = new int[versions.size()];
        for (int version : versionOf) {
            if (version != NONE) {
                pending[version]++;
            }
        }
    }

    private static long pair(int row, int value) {
        return (long) row << 32 | value;
    }

    private boolean isRead(int o) {
        return Predicates.isReadOfRow(table, o) && table.value(o) != ValueDictionary.NULL;
    }

    private void add(long value, int writer) {
        int next = numbers.size();
        int known = numbers.putIfAbsent(value, next);
        int number = known == NONE ? next : known;
        if (number >= writers.length) {
            int before = writers.length;
            writers = Arrays.copyOf(writers, 2 * before);
            Arrays.fill(writers, before, writers.length, UNSEEN);
        }
        writers[number] = writers[number] == UNSEEN || writers[number] == writer ? writer : SEVERAL;
    }

    /** The only transaction that writes a value; negative if there is none or if there are several. */
    int writerOf(long value) {
        int number = numbers.get(value);
        return number == NONE ? UNSEEN : writers[number];
    }

    /** Adds or removes the reads of a transaction. @param by 1 or -1 */
    void change(int transaction, int by, ReplayedRows rows) {
        for (int o = table.firstOperation(transaction); o < table.operationsEnd(transaction); o++) {
            if (versionOf[o] != NONE) {
                pending[versionOf[o]] += by;
                if (by < 0) {
                    // The last pending read may be one of a transaction that wants to write the row.
                    rows.touch(table.key(o));
                }
            }
        }
    }

    /** Whether a transaction that is not placed reads a version. */
    boolean isNeeded(int row, long value) {
        int version = version(row, value);
        return version != NONE && pending[version] > 0;
    }

    private int version(int row, long value) {
        int number = numbers.get(value);
        return number == NONE ? NONE : versions.get(pair(row, number));
    }
}
