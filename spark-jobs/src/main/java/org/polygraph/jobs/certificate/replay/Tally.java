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
 * Sums of hashes over transactions and their operations, in any order and in any number of parts. If two sums are
 * equal, a copy of a history in other files has each transaction once, with its status, times and operations in their
 * order. Sums of different histories are equal with a probability of about 2^-64.
 */
public final class Tally {
    private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;
    private static final long KEY_FACTOR = 0xD1B54A32D192ED03L;
    private static final long VALUE_FACTOR = 0xAEF17502108EF2D9L;

    private long sum;

    /** The sum so far. */
    public long sum() {
        return sum;
    }

    /** Adds the sum of another part. */
    public void add(long other) {
        sum += other;
    }

    /** The name of a transaction, for {@link #transaction} and {@link #operation}. */
    public static long name(long session, long index) {
        return mix(mix(session) + index);
    }

    /** The name of the event at a place. */
    public static long name(long place) {
        return mix(place);
    }

    /** Adds a transaction. @param status its code */
    public void transaction(long name, byte status, long start, long end) {
        sum += mix(mix(mix(name + status) + start) + end);
    }

    /**
     * Adds an operation of a transaction or of an event. Each of the four numbers needs only one product, because the
     * name and the hashes of the key and the value are mixed already.
     *
     * @param name of the transaction or the event
     * @param number of the operation in it
     * @param key hash of the key
     * @param value hash of the value
     */
    public void operation(long name, int number, long key, boolean isWrite, long value) {
        long kind = (long) number << 1 | (isWrite ? 1 : 0);
        sum += mix(name + (kind + 1) * MULTIPLIER + key * KEY_FACTOR + value * VALUE_FACTOR);
    }

    /**
     * Adds rows as they were read.
     *
     * @param events of a transaction: 1; or 2. Then the operations from the first write of their key on are numbered by
     *     {@link #atCommit}, unless the transaction aborted
     */
    public void rows(HistoryRows rows, int events) {
        KeyDictionary keys = rows.keys();
        long[] hashes = new long[keys.size()];
        for (int k = 0; k < hashes.length; k++) {
            hashes[k] = keys.isString(k) ? key(keys.string(k)) : key(keys.integer(k));
        }
        // By key: the last transaction that wrote it.
        int[] lastWriter = new int[hashes.length];
        Arrays.fill(lastWriter, -1);
        Transactions transactions = rows.transactions();
        int[] starts = rows.operations().starts();
        for (int t = 0; t < transactions.size(); t++) {
            long name =
                    name(rows.sessionLabels()[rows.sessionOf()[t]], transactions.indexes()[t]);
            byte status = transactions.statuses()[t];
            boolean isOneEvent = events == 1 || isOneEvent(status);
            transaction(name, status, time(transactions.starts(), t), time(transactions.ends(), t));
            int before = 0;
            int behind = 0;
            for (int o = starts[t]; o < starts[t + 1]; o++) {
                int keyAndKind = rows.operations().keys()[o];
                int key = Operations.key(keyAndKind);
                if (Operations.isWrite(keyAndKind)) {
                    lastWriter[key] = t;
                }
                operation(
                        name,
                        isOneEvent || lastWriter[key] != t ? before++ : atCommit(behind++),
                        hashes[key],
                        Operations.isWrite(keyAndKind),
                        value(rows.values(), rows.operations().values()[o]));
            }
        }
    }

    /** Whether a transaction that aborted, or that loads initial rows, is one event at every level. @param status its code */
    public static boolean isOneEvent(byte status) {
        return status == TransactionStatus.ABORTED.code() || status == TransactionStatus.INITIAL.code();
    }

    private static long time(long @Nullable [] times, int transaction) {
        return times == null ? HistoryTable.NO_TIME : times[transaction];
    }

    /** The number of an operation of a commit, if the snapshot of the transaction is another event. */
    public static int atCommit(int number) {
        return -1 - number;
    }

    /** The hash of a key. */
    public static long key(KeyDictionary keys, int id) {
        return keys.isString(id) ? key(keys.string(id)) : key(keys.integer(id));
    }

    /** The hash of an integer key. */
    public static long key(long key) {
        return mix(key);
    }

    /** The hash of a string key. */
    public static long key(String key) {
        return text(key, 1);
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
