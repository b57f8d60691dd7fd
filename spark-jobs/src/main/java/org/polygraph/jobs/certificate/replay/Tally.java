package org.polygraph.jobs.certificate.replay;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.dictionary.KeyDictionary;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryRows;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.Operations;
import org.polygraph.storage.table.Transactions;

/**
 * Sums of hashes over transactions and their operations, in any order and in any number of parts. Two equal sums show
 * that a copy of a history in other files has each transaction once, with its status, times and operations in their order;
 * that sums of different histories are equal by chance has a probability of about 2^-64.
 */
public final class Tally {
    private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;

    private long sum;

    /** The sum so far. */
    public long sum() {
        return sum;
    }

    /** Adds the sum of another part. */
    public void add(long other) {
        sum += other;
    }

    /** Adds a transaction. @param status its code */
    public void transaction(long session, long index, byte status, long start, long end) {
        sum += mix(mix(mix(mix(mix(session) + index) + status) + start) + end);
    }

    /**
     * Adds an operation of a transaction.
     *
     * @param number of the operation in its transaction
     * @param key hash of the key
     * @param value hash of the value
     */
    public void operation(long session, long index, int number, long key, boolean isWrite, long value) {
        operation(mix(mix(session) + index), number, key, isWrite, value);
    }

    /** Adds an operation of the event at a place, or of a transaction with a number that only it has. */
    public void operation(long transaction, int number, long key, boolean isWrite, long value) {
        sum += mix(mix(mix(mix(transaction) + ((long) number << 1 | (isWrite ? 1 : 0))) + key) + value);
    }

    /**
     * Adds rows as they were read.
     *
     * @param events of a transaction: 1; or 2, where the operations from the first write of their key on are numbered by
     *     {@link #atCommit}, unless the transaction aborted
     */
    public void rows(HistoryRows rows, int events) {
        KeyDictionary keys = new KeyDictionary();
        int[] ids = keys.addAll(rows.keys());
        ValueDictionary values = new ValueDictionary();
        ValueDictionary.Codes codes = values.addAll(rows.values());
        long[] hashes = new long[keys.size()];
        for (int k = 0; k < hashes.length; k++) {
            hashes[k] = key(keys, k);
        }
        // By key: the last transaction that wrote it.
        int[] lastWriter = new int[keys.size()];
        Arrays.fill(lastWriter, -1);
        Transactions transactions = rows.transactions();
        int[] starts = rows.operations().starts();
        for (int t = 0; t < transactions.size(); t++) {
            long session = rows.sessionLabels()[rows.sessionOf()[t]];
            byte status = transactions.statuses()[t];
            boolean isOneEvent = events == 1 || status == TransactionStatus.ABORTED.code();
            transaction(
                    session,
                    transactions.indexes()[t],
                    status,
                    time(transactions.starts(), t),
                    time(transactions.ends(), t));
            int before = 0;
            int behind = 0;
            for (int o = starts[t]; o < starts[t + 1]; o++) {
                int keyAndKind = rows.operations().keys()[o];
                int key = ids[Operations.key(keyAndKind)];
                if (Operations.isWrite(keyAndKind)) {
                    lastWriter[key] = t;
                }
                operation(
                        session,
                        transactions.indexes()[t],
                        isOneEvent || lastWriter[key] != t ? before++ : atCommit(behind++),
                        hashes[key],
                        Operations.isWrite(keyAndKind),
                        value(values, codes.of(rows.operations().values()[o])));
            }
        }
    }

    private static long time(long @Nullable [] times, int transaction) {
        return times == null ? HistoryTable.NO_TIME : times[transaction];
    }

    /** The number of an operation of a commit, where the snapshot of its transaction is another event. */
    public static int atCommit(int number) {
        return -1 - number;
    }

    /** The hash of a key. */
    public static long key(KeyDictionary keys, int id) {
        return keys.isString(id) ? text(keys.string(id), 1) : mix(keys.integer(id));
    }

    /** The hash of a value. */
    public static long value(ValueDictionary values, long code) {
        if (values.isNull(code)) {
            return mix(MULTIPLIER);
        }
        return values.isInteger(code)
                ? mix(values.integer(code))
                : text(values.text(code), values.isString(code) ? 1 : 2);
    }

    private static long text(String text, int kind) {
        long hash = kind;
        for (int i = 0; i < text.length(); i++) {
            hash = (hash ^ text.charAt(i)) * MULTIPLIER;
            hash ^= hash >>> 29;
        }
        return mix(hash + text.length());
    }

    /** A bijection whose bits depend on all bits. */
    static long mix(long number) {
        long z = number + MULTIPLIER;
        z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
        z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
        return z ^ z >>> 31;
    }
}
