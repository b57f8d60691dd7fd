package org.polygraph.partitioner.index;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.longs.LongArrayList;
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
    private final IntArrayList keys = new IntArrayList();
    private final LongArrayList values = new LongArrayList();
    private byte[] roles;
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
        this.roles = new byte[table.operations()];
        // By key: its first write in the current transaction; an operation before the transaction is left over from
        // another.
        int[] firstWrites = new int[existences.length];
        Arrays.fill(firstWrites, -1);
        for (int t = 0; t < table.transactions(); t++) {
            for (int o = first(t); o < first(t + 1); o++) {
                add(table.operationKeys()[o], table.value(o), roles[o]);
                if (table.isWrite(o) && firstWrites[table.key(o)] < first(t)) {
                    firstWrites[table.key(o)] = o;
                }
            }
            for (int o = first(t); o < first(t + 1) && states[t] != CommitStatus.DROPPED; o++) {
                int existence = existences[table.key(o)];
                if (roles[o] == TransactionScan.VISIBLE_WRITE && existence >= 0) {
                    int begins = firstWrites[table.key(o)];
                    if (table.isInsert(begins) || table.isDelete(begins)) {
                        add(
                                Operations.pack(existence, false),
                                code(existence, table.isDelete(begins)),
                                TransactionScan.EXTERNAL_READ);
                    }
                    add(
                            Operations.pack(existence, true),
                            code(existence, !table.isDelete(o)),
                            TransactionScan.VISIBLE_WRITE);
                }
            }
            starts[t + 1] = keys.size();
        }
    }

    private int first(int transaction) {
        return table.firstOperation(transaction);
    }

    /** The value code of an existence: the initial value, or another code. */
    private long code(int existence, boolean row) {
        return row == rows.isUnborn(existence) ? table.initialValue() ^ 1 : table.initialValue();
    }

    private void add(int keyAndKind, long value, byte role) {
        if (keys.size() == roles.length) {
            roles = Arrays.copyOf(roles, roles.length + (roles.length >> 1) + 16);
        }
        roles[keys.size()] = role;
        keys.add(keyAndKind);
        values.add(value);
    }

    /**
     * Finds keys of which more transactions need a row than transactions can have left one, or more need no row than
     * transactions can have deleted it. Each version has one next version, so no order explains them.
     */
    List<Violation> surplus() {
        int existences = rows.all() - rows.keys();
        int[] left = new int[2 * existences];
        List<IntArrayList> needed = new ArrayList<>();
        for (int e = 0; e < existences; e++) {
            left[2 * e + (rows.isUnborn(rows.keys() + e) ? 1 : 0)] = 1;
            needed.add(new IntArrayList(0));
            needed.add(new IntArrayList(0));
        }
        for (int t = 0; t < table.transactions(); t++) {
            for (int o = starts[t]; o < starts[t + 1]; o++) {
                int of = 2 * (Operations.key(keys.getInt(o)) - rows.keys());
                if (of >= 0) {
                    of += values.getLong(o) == code(Operations.key(keys.getInt(o)), true) ? 0 : 1;
                    if (roles[o] == TransactionScan.VISIBLE_WRITE) {
                        left[of]++;
                    } else if (states[t] == CommitStatus.COUNTED) {
                        needed.get(of).add(t);
                    }
                }
            }
        }
        List<Violation> violations = new ArrayList<>();
        for (int i = 0; i < left.length; i++) {
            if (needed.get(i).size() > left[i] && violations.size() < IndexedHistory.MOST_VIOLATIONS) {
                violations.add(surplus(rows.keyOf(rows.keys() + i / 2), i % 2 == 0, needed.get(i), left[i]));
            }
        }
        return violations;
    }

    private Violation surplus(int key, boolean deletes, IntArrayList transactions, int left) {
        String row = "the row of key " + table.keys().label(key);
        return new Violation(
                deletes ? Anomaly.MISSING_ROW : Anomaly.DUPLICATE_INSERT,
                List.copyOf(transactions.subList(0, Math.min(MOST_NAMED, transactions.size()))),
                List.of(key),
                List.of(),
                transactions.size() + " transactions " + (deletes ? "delete " : "insert ") + row + ", but "
                        + (deletes
                                ? "at most " + left + " of them can find one"
                                : "for at most " + left + " there was none"));
    }

    /** The index of the operations. */
    VersionIndex index(VersionIndexBuilder builder) {
        return builder.build(starts, keys.toIntArray(), values.toLongArray(), Arrays.copyOf(roles, keys.size()))
                .with(rows);
    }

    RowKeys rows() {
        return rows;
    }

    /** Number of keys of the index. */
    int keys() {
        return rows.all();
    }
}
