package org.polygraph.partitioner.index;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.table.HistoryTable;

/**
 * The keys with additions whose sums are not known. A transaction has at most one read of such a key that depends on
 * others, and one effect on it: it sets the key, if it wrote or read the key itself before its last addition, or it
 * adds an amount. A read is right iff its value is what the last transaction before it set, or the initial value, plus
 * the amounts since then.
 *
 * <p>All other code sees these keys with one value ({@link #plain}): at SI their writers may not overlap, and no read
 * of them is wrong.
 *
 * <p>Linear time. Memory: 17 bytes a read or effect, and 14 a key.
 */
public final class Sums {
    /** The kinds of entries. */
    public static final byte READ = 0;

    public static final byte ADD = 1;
    public static final byte SET = 2;

    /** The sums of a key are listed if there are at most so many; beyond, only their bounds are known. */
    private static final long MOST_RANGE = 1L << 24;
    /** The most sums times items of a key, each of which takes a bit. */
    private static final long MOST_WORK = 1L << 30;

    private final HistoryTable table;
    private final boolean[] counters;
    private final IntArrayList keys = new IntArrayList();
    private final IntArrayList transactions = new IntArrayList();
    private final IntArrayList kinds = new IntArrayList();
    private final LongArrayList values = new LongArrayList();

    // By key, of the last transaction that used it: whether it knows the value, and the value or what it added.
    private final int[] users;
    private final boolean[] isKnown;
    private final long[] sums;

    private Sums(HistoryTable table) {
        this.table = table;
        counters = new boolean[table.keys().size()];
        for (int o = 0; o < table.operations(); o++) {
            counters[table.key(o)] |= table.isAddition(o);
        }
        users = new int[counters.length];
        Arrays.fill(users, -1);
        isKnown = new boolean[counters.length];
        sums = new long[counters.length];
    }

    /** Null if the history has no such keys. */
    static @Nullable Sums of(HistoryTable table) {
        return table.hasAdditions() ? new Sums(table) : null;
    }

    /** The history with the initial value in place of all values of these keys. */
    HistoryTable plain() {
        long[] codes = table.operationValues().clone();
        for (int o = 0; o < codes.length; o++) {
            codes[o] = counters[table.key(o)] ? table.initialValue(table.key(o)) : codes[o];
        }
        return table.withValues(codes);
    }

    /**
     * Adds a transaction.
     *
     * @param roles of operations; the reads that depend on others become external
     * @return the first read that contradicts its own transaction, or returned no sum; -1 if there is none
     */
    int scan(int transaction, byte[] roles) {
        int broken = -1;
        for (int o = table.firstOperation(transaction); o < table.operationsEnd(transaction); o++) {
            int key = table.key(o);
            if (!counters[key]) {
                continue;
            }
            if (users[key] != transaction) {
                users[key] = transaction;
                isKnown[key] = false;
                sums[key] = 0;
            }
            boolean isInteger = table.values().isInteger(table.value(o));
            long value = isInteger ? table.values().integer(table.value(o)) : 0;
            if (table.isAddition(o)) {
                sums[key] += value;
            } else if (table.isWrite(o) || (isInteger && !isKnown[key] && Math.abs(value) <= Long.MAX_VALUE / 2)) {
                if (!table.isWrite(o)) {
                    add(key, transaction, READ, value - sums[key]);
                    roles[o] = TransactionScan.EXTERNAL_READ;
                }
                isKnown[key] = true;
                sums[key] = value;
            } else if (!isInteger || !isKnown[key] || sums[key] != value) {
                broken = broken < 0 ? o : broken;
            }
            if (roles[o] == TransactionScan.VISIBLE_WRITE) {
                add(key, transaction, isKnown[key] ? SET : ADD, sums[key]);
            }
        }
        return broken;
    }

    private void add(int key, int transaction, byte kind, long value) {
        keys.add(key);
        transactions.add(transaction);
        kinds.add(kind);
        values.add(value);
    }

    /** Hides the operations on these keys that the index of versions need not have. */
    void hideReads(byte[] roles) {
        for (int o = 0; o < roles.length; o++) {
            if (counters[table.key(o)] && !table.isWrite(o)) {
                roles[o] = TransactionScan.HIDDEN;
            }
        }
    }

    /** A read that {@link #scan} returned. */
    Violation inconsistent(int transaction, int read) {
        int key = table.key(read);
        boolean isOwn = table.lastWrite(transaction, key, read) >= 0;
        boolean isInteger = table.values().isInteger(table.value(read));
        return new Violation(
                !isInteger ? Anomaly.THIN_AIR_READ : isOwn ? Anomaly.NOT_MY_OWN_WRITE : Anomaly.NON_REPEATABLE_READ,
                List.of(transaction),
                List.of(key),
                List.of(),
                name(read)
                        + (isInteger ? ", which is not what its own operations before it leave" : ", which is no sum"));
    }

    /** Whether a key is one of these. */
    public boolean has(int key) {
        return counters[key];
    }

    private String name(int read) {
        return "read " + table.values().label(table.value(read)) + " from key "
                + table.keys().label(table.key(read));
    }

    /**
     * The reads and effects of the transactions that may count, by key.
     *
     * @param keys each of them, ascending
     * @param starts by key of these: its first item; and the number of items
     * @param initial by key of these
     * @param transactions by item
     * @param kinds by item: {@link #READ}, {@link #ADD} or {@link #SET}
     * @param values by item
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Items(int[] keys, int[] starts, long[] initial, int[] transactions, byte[] kinds, long[] values) {
        /** The key of an item. */
        public int keyOf(int item) {
            int k = 0;
            while (starts[k + 1] <= item) {
                k++;
            }
            return keys[k];
        }
    }

    /** The items of a status. */
    public Items items(CommitStatus status) {
        int[] numbers = new int[counters.length];
        int count = 0;
        for (int key = 0; key < counters.length; key++) {
            numbers[key] = counters[key] ? count++ : -1;
        }
        int[] ofNumbers = new int[count];
        long[] initial = new long[count];
        for (int key = 0; key < counters.length; key++) {
            if (counters[key]) {
                ofNumbers[numbers[key]] = key;
                initial[numbers[key]] = table.values().integer(table.initialValue(key));
            }
        }
        int[] starts = new int[count + 1];
        for (int i = 0; i < keys.size(); i++) {
            starts[numbers[keys.getInt(i)] + 1] += isDropped(status, i) ? 0 : 1;
        }
        Arrays.parallelPrefix(starts, Integer::sum);
        int[] next = starts.clone();
        int[] transactionsOf = new int[starts[count]];
        byte[] kindsOf = new byte[starts[count]];
        long[] valuesOf = new long[starts[count]];
        for (int i = 0; i < keys.size(); i++) {
            if (!isDropped(status, i)) {
                int at = next[numbers[keys.getInt(i)]]++;
                transactionsOf[at] = transactions.getInt(i);
                kindsOf[at] = (byte) kinds.getInt(i);
                valuesOf[at] = values.getLong(i);
            }
        }
        return new Items(ofNumbers, starts, initial, transactionsOf, kindsOf, valuesOf);
    }

    private boolean isDropped(CommitStatus status, int i) {
        return status.of(transactions.getInt(i)) == CommitStatus.DROPPED;
    }

    /** The counted reads of values that no sum of amounts has. */
    List<Violation> impossible(CommitStatus status) {
        List<Violation> impossible = new ArrayList<>();
        Items items = items(status);
        for (int k = 0; k < items.keys.length; k++) {
            impossible(items, k, status, impossible);
        }
        return impossible;
    }

    private void impossible(Items items, int k, CommitStatus status, List<Violation> to) {
        long least = items.initial[k];
        long most = least;
        long below = 0;
        long above = 0;
        boolean isListed = true;
        for (int i = items.starts[k]; i < items.starts[k + 1]; i++) {
            long value = items.values[i];
            if (items.kinds[i] == SET) {
                isListed = false;
                least = Math.min(least, value);
                most = Math.max(most, value);
            } else if (items.kinds[i] == ADD) {
                below += Math.min(0, value);
                above += Math.max(0, value);
            }
        }
        long range = above - below;
        isListed &= range < MOST_RANGE && range * (items.starts[k + 1] - items.starts[k]) < MOST_WORK;
        BigInteger sums = isListed ? BigInteger.ONE.shiftLeft((int) -below) : BigInteger.ZERO;
        for (int i = items.starts[k]; isListed && i < items.starts[k + 1]; i++) {
            if (items.kinds[i] == ADD) {
                sums = sums.or(sums.shiftLeft((int) items.values[i]));
            }
        }
        for (int i = items.starts[k]; i < items.starts[k + 1] && to.size() < IndexedHistory.MOST_VIOLATIONS; i++) {
            long value = items.values[i];
            if (items.kinds[i] == READ && status.isCounted(items.transactions[i])) {
                boolean isPossible = value >= least + below
                        && value <= most + above
                        && (!isListed || sums.testBit((int) (value - least - below)));
                if (!isPossible) {
                    to.add(impossible(items.transactions[i], items.keys[k]));
                }
            }
        }
    }

    private Violation impossible(int transaction, int key) {
        return new Violation(
                Anomaly.THIN_AIR_READ,
                List.of(transaction),
                List.of(key),
                List.of(),
                name(table.firstRead(transaction, key)) + ", which is no sum of what others added");
    }
}
