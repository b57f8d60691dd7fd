package org.polygraph.partitioner.index;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.Operations;

/**
 * The operations of a history with inserts and deletes. Behind those of each transaction come its reads and writes of
 * existences, see {@link RowKeys}, for each key that any counted transaction inserts or deletes.
 *
 * <p>Linear. Memory: 13 bytes an operation, 8 a key.
 */
final class RowOperations {
    /** The most transactions that a violation names. */
    private static final int MOST_NAMED = 20;

    private final HistoryTable table;
    private final byte[] states;
    private final int[] starts;
    private final int[] keys;
    private final long[] values;
    private final byte[] roles;
    private final RowKeys rows;

    /** @param roles of the history's operations */
    RowOperations(HistoryTable table, byte[] roles, byte[] states) {
        this.table = table;
        this.states = states;
        starts = new int[table.transactions() + 1];
        int[] existences = new int[table.keys().size()];
        Arrays.fill(existences, -1);
        IntArrayList of = new IntArrayList();
        for (int t = 0; t < table.transactions(); t++) {
            for (int o = first(t); o < first(t + 1) && states[t] != CommitStatus.DROPPED; o++) {
                if ((table.isInsert(o) || table.isDelete(o)) && existences[table.key(o)] < 0) {
                    existences[table.key(o)] = existences.length + of.size();
                    of.add(table.key(o));
                }
            }
        }
        int[] unborn = new int[of.size()];
        Arrays.setAll(unborn, e -> table.existsAtFirst(of.getInt(e)) ? 0 : 1);
        rows = new RowKeys(existences.length, of.toIntArray(), unborn);
        int most = table.operations();
        for (int t = 0; t < table.transactions(); t++) {
            for (int o = first(t); o < first(t + 1) && states[t] != CommitStatus.DROPPED; o++) {
                most += isVersion(o, roles, existences) ? 2 : 0;
            }
        }
        keys = new int[most];
        values = new long[most];
        this.roles = new byte[most];
        int count = 0;
        // By key: its first write in the current transaction; an operation before the transaction is left over from
        // another.
        int[] firstWrites = new int[existences.length];
        Arrays.fill(firstWrites, -1);
        for (int t = 0; t < table.transactions(); t++) {
            for (int o = first(t); o < first(t + 1); o++) {
                set(count++, table.operationKeys()[o], table.value(o), roles[o]);
                if (table.isWrite(o) && firstWrites[table.key(o)] < first(t)) {
                    firstWrites[table.key(o)] = o;
                }
            }
            for (int o = first(t); o < first(t + 1) && states[t] != CommitStatus.DROPPED; o++) {
                if (!isVersion(o, roles, existences)) {
                    continue;
                }
                int existence = existences[table.key(o)];
                int begins = firstWrites[table.key(o)];
                if (table.isInsert(begins) || table.isDelete(begins)) {
                    set(
                            count++,
                            Operations.pack(existence, false),
                            code(existence, table.isDelete(begins)),
                            TransactionScan.EXTERNAL_READ);
                }
                set(
                        count++,
                        Operations.pack(existence, true),
                        code(existence, !table.isDelete(o)),
                        TransactionScan.VISIBLE_WRITE);
            }
            starts[t + 1] = count;
        }
    }

    private int first(int transaction) {
        return table.firstOperation(transaction);
    }

    /** The value code of an existence: the initial value, or another code. */
    private long code(int existence, boolean row) {
        return row == rows.isUnborn(existence) ? table.initialValue() ^ 1 : table.initialValue();
    }

    /** Whether an operation leaves a version of a key that has an existence. */
    private boolean isVersion(int operation, byte[] ofHistory, int[] existences) {
        return ofHistory[operation] == TransactionScan.VISIBLE_WRITE && existences[table.key(operation)] >= 0;
    }

    private void set(int at, int keyAndKind, long value, byte role) {
        keys[at] = keyAndKind;
        values[at] = value;
        roles[at] = role;
    }

    /**
     * Finds keys of which more transactions need a row than transactions can have left one, or more need no row than
     * transactions can have deleted it. Each version has one next version, so no order explains them.
     */
    List<Violation> surplus() {
        int existences = rows.all() - rows.keys();
        // By existence, and with or without a row.
        int[] left = new int[2 * existences];
        int[] needed = new int[2 * existences];
        for (int e = 0; e < existences; e++) {
            left[2 * e + (rows.isUnborn(rows.keys() + e) ? 1 : 0)] = 1;
        }
        for (int t = 0; t < table.transactions(); t++) {
            for (int o = starts[t]; o < starts[t + 1]; o++) {
                int side = side(o);
                if (side >= 0 && roles[o] == TransactionScan.VISIBLE_WRITE) {
                    left[side]++;
                } else if (side >= 0 && states[t] == CommitStatus.COUNTED) {
                    needed[side]++;
                }
            }
        }
        List<Violation> violations = new ArrayList<>();
        for (int i = 0; i < left.length && violations.size() < IndexedHistory.MOST_VIOLATIONS; i++) {
            if (needed[i] > left[i]) {
                violations.add(surplus(rows.keyOf(rows.keys() + i / 2), i, needed[i], left[i]));
            }
        }
        return violations;
    }

    /** Of an operation of an existence: twice its number, and 1 more without a row; -1 of others. */
    private int side(int operation) {
        int existence = Operations.key(keys[operation]);
        return existence < rows.keys()
                ? -1
                : 2 * (existence - rows.keys()) + (values[operation] == code(existence, true) ? 0 : 1);
    }

    private Violation surplus(int key, int side, int needed, int left) {
        List<Integer> transactions = new ArrayList<>();
        for (int t = 0; t < table.transactions() && transactions.size() < MOST_NAMED; t++) {
            for (int o = starts[t]; o < starts[t + 1] && states[t] == CommitStatus.COUNTED; o++) {
                if (roles[o] == TransactionScan.EXTERNAL_READ && side(o) == side) {
                    transactions.add(t);
                    break;
                }
            }
        }
        boolean deletes = side % 2 == 0;
        String row = "the row of key " + table.keys().label(key);
        return new Violation(
                deletes ? Anomaly.MISSING_ROW : Anomaly.DUPLICATE_INSERT,
                transactions,
                List.of(key),
                List.of(),
                needed + " transactions " + (deletes ? "delete " : "insert ") + row + ", but "
                        + (deletes
                                ? "at most " + left + " of them can find one"
                                : "for at most " + left + " there was none"));
    }

    /** The index of the operations. */
    VersionIndex index(VersionIndexBuilder builder) {
        return builder.build(starts, keys, values, roles).with(rows);
    }

    RowKeys rows() {
        return rows;
    }

    /** Number of keys of the index. */
    int keys() {
        return rows.all();
    }
}
