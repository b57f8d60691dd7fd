package org.polygraph.partitioner.index;

import java.util.Arrays;
import java.util.function.BooleanSupplier;
import java.util.function.IntUnaryOperator;
import org.polygraph.storage.model.StoppedException;
import org.polygraph.storage.table.Operations;

/**
 * Operations grouped by key: one pass deals them out to buckets of {@value #BUCKET_KEYS} keys (few streams, so that
 * writes stay sequential), and {@link #sort} puts one bucket in order within the cache. Linear time; 16 bytes an
 * operation.
 */
final class KeyBuckets {
    private static final int BUCKET_SHIFT = 10;
    private static final int BUCKET_KEYS = 1 << BUCKET_SHIFT;
    private static final int CHECK_EVERY = 1 << 14;

    /** The number that a read carries to its bucket. A write carries its transaction. */
    enum Tag {
        TRANSACTION,
        OPERATION
    }

    private final int keys;
    private final int[] bucketStarts;
    private final int[] dealtKeys;
    private final int[] dealtTags;
    private final long[] dealtValues;
    private int writes;

    /** Of a bucket, or of all keys if there are fewer: a part of a violation has a few operations. */
    private final int[] starts;

    private int[] tags = new int[0];
    private long[] values = new long[0];

    /**
     * Deals the operations out.
     *
     * @param operationStarts operations of transaction t: [operationStarts[t], operationStarts[t + 1])
     * @param roles of each operation, see {@link TransactionScan}; hidden ones are left out
     * @param states {@link CommitStatus} states by transaction; operations of dropped ones are left out
     */
    KeyBuckets(
            int keys,
            int[] operationStarts,
            int[] operationKeys,
            long[] operationValues,
            byte[] roles,
            byte[] states,
            Tag tag) {
        this.keys = keys;
        starts = new int[2 * Math.min(keys, BUCKET_KEYS) + 1];
        int buckets = (keys + BUCKET_KEYS - 1) >>> BUCKET_SHIFT;
        int[] next = new int[buckets + 1];
        int transactions = operationStarts.length - 1;
        for (int t = 0; t < transactions; t++) {
            if (states[t] != CommitStatus.DROPPED) {
                for (int o = operationStarts[t]; o < operationStarts[t + 1]; o++) {
                    if (roles[o] != TransactionScan.HIDDEN) {
                        next[(operationKeys[o] >>> (BUCKET_SHIFT + 1)) + 1]++;
                        writes += operationKeys[o] & 1;
                    }
                }
            }
        }
        for (int b = 0; b < buckets; b++) {
            next[b + 1] += next[b];
        }
        bucketStarts = next.clone();
        int total = next[buckets];
        dealtKeys = new int[total];
        dealtTags = new int[total];
        dealtValues = new long[total];
        boolean operations = tag == Tag.OPERATION;
        for (int t = 0; t < transactions; t++) {
            if (states[t] != CommitStatus.DROPPED) {
                for (int o = operationStarts[t]; o < operationStarts[t + 1]; o++) {
                    if (roles[o] != TransactionScan.HIDDEN) {
                        int key = operationKeys[o];
                        int place = next[key >>> (BUCKET_SHIFT + 1)]++;
                        dealtKeys[place] = key;
                        dealtTags[place] = operations && !Operations.isWrite(key) ? o : t;
                        dealtValues[place] = operationValues[o];
                    }
                }
            }
        }
    }

    int operations() {
        return dealtKeys.length;
    }

    int writes() {
        return writes;
    }

    /** How many buckets there are. */
    int count() {
        return bucketStarts.length - 1;
    }

    int firstKey(int bucket) {
        return bucket << BUCKET_SHIFT;
    }

    /** How many keys a bucket has. */
    int keys(int bucket) {
        return Math.min(BUCKET_KEYS, keys - (bucket << BUCKET_SHIFT));
    }

    /** Makes a bucket the current one: by key, writes before reads, each in the order they were dealt. */
    void sort(int bucket) {
        int from = bucketStarts[bucket];
        int to = bucketStarts[bucket + 1];
        if (to - from > tags.length) {
            tags = new int[Math.max(to - from, 2 * tags.length)];
            values = new long[tags.length];
        }
        Arrays.fill(starts, 0);
        int kinds = starts.length - 1;
        int mask = 2 * BUCKET_KEYS - 1;
        for (int i = from; i < to; i++) {
            int place = (dealtKeys[i] ^ 1) & mask;
            starts[place + 1]++;
        }
        for (int i = 0; i < kinds; i++) {
            starts[i + 1] += starts[i];
        }
        for (int i = from; i < to; i++) {
            int place = starts[(dealtKeys[i] ^ 1) & mask]++;
            tags[place] = dealtTags[i];
            values[place] = dealtValues[i];
        }
        System.arraycopy(starts, 0, starts, 1, kinds);
        starts[0] = 0;
    }

    /** Start of the writes (kind 0) or reads (kind 1) of the current bucket's k-th key; they end at the next start. */
    int start(int k, int kind) {
        return starts[2 * k + kind];
    }

    /** By place in the current bucket, see {@link Tag}. */
    int[] tags() {
        return tags;
    }

    long[] values() {
        return values;
    }

    /** Receives the writer of each read. */
    @FunctionalInterface
    interface Found {
        /**
         * Receives the writer of a read.
         *
         * @param key of the read
         * @param read what it carries, see {@link Tag}
         * @param writer {@link WritersByValue#NONE}, {@link WritersByValue#SEVERAL} or the only one
         * @param value that it returned
         */
        void read(int key, int read, int writer, long value);
    }

    /**
     * Finds the writer of every read, key by key.
     *
     * @param transactionOf what a read carries
     * @throws StoppedException if it is to stop
     */
    void findWriters(IntUnaryOperator transactionOf, Found found, BooleanSupplier stop) {
        WritersByValue writers = new WritersByValue();
        for (int b = 0; b < count(); b++) {
            StoppedException.check(stop);
            sort(b);
            for (int k = 0; k < keys(b); k++) {
                int first = start(k, 0);
                int reads = start(k, 1);
                int end = start(k + 1, 0);
                if (reads == end) {
                    continue;
                }
                writers.clear(reads - first);
                for (int w = first; w < reads; w++) {
                    writers.add(values[w], tags[w]);
                }
                for (int r = reads; r < end; r++) {
                    if ((r & CHECK_EVERY - 1) == 0) {
                        StoppedException.check(stop);
                    }
                    int writer = writers.find(values[r]);
                    if (writer < WritersByValue.NONE) {
                        writer = writers.exceptReader(writer, transactionOf.applyAsInt(tags[r]));
                    }
                    found.read(firstKey(b) + k, tags[r], writer, values[r]);
                }
            }
        }
    }
}
