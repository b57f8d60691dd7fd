package org.polygraph.partitioner.index;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Builds a {@link VersionIndex} by key buckets: one pass deals the operations out to buckets of {@value #BUCKET_KEYS}
 * keys (few streams, so writes stay sequential), a second sorts and resolves each bucket within the cache. Linear time;
 * 16 bytes an operation while it works.
 */
final class VersionIndexBuilder {
    private static final int BUCKET_SHIFT = 10;
    private static final int BUCKET_KEYS = 1 << BUCKET_SHIFT;
    /** Up to this many writers of a key a nested loop beats hashing. */
    private static final int FEW = 8;

    private final int keys;
    private final int[] sessionOf;
    private final byte[] states;
    private final long initialValue;

    // The bucketed operations.
    private int[] bucketStarts = new int[0];
    private int[] dealtKeys = new int[0];
    private int[] dealtTransactions = new int[0];
    private long[] dealtValues = new long[0];

    // The result.
    private int[] writerStarts = new int[0];
    private int[] writerTransactions = new int[0];
    private int[] writerClasses = new int[0];
    private int[] readerStarts = new int[0];
    private int[] readerTransactions = new int[0];
    private int[] readerClasses = new int[0];
    private int[] slotStarts = new int[0];
    private int @Nullable [] nextInClass;
    private int @Nullable [] initialWriters;
    private int ambiguous;
    private int writers;
    private int readers;
    /** Reads without a candidate, as (key, transaction) pairs. */
    private final IntArrayList impossible = new IntArrayList();

    // Scratch of one key.
    private long[] hashValues = new long[64];
    private int[] hashWriters = new int[64];
    private int[] slots = new int[64];
    private int[] slotCounts = new int[64];

    /**
     * @param sessionOf by transaction
     * @param states {@link Counting} states by transaction; operations of dropped ones are left out
     */
    VersionIndexBuilder(int keys, int[] sessionOf, byte[] states, long initialValue) {
        this.keys = keys;
        this.sessionOf = sessionOf;
        this.states = states;
        this.initialValue = initialValue;
    }

    /** (key, transaction) pairs of counted reads that nobody can have written, found by {@link #build}. */
    IntArrayList impossible() {
        return impossible;
    }

    /**
     * @param operationStarts operations of unit i: [operationStarts[i], operationStarts[i + 1])
     * @param transactions the transaction of unit i, ascending; null: unit i is transaction i
     * @param roles of each operation, see {@link TransactionScan}
     */
    VersionIndex build(
            int[] operationStarts, int @Nullable [] transactions, int[] operationKeys, long[] values, byte[] roles) {
        deal(operationStarts, transactions, operationKeys, values, roles);
        writerStarts = new int[keys + 1];
        readerStarts = new int[keys + 1];
        int buckets = bucketStarts.length - 1;
        int totalWriters = 0;
        for (int i = 0; i < dealtKeys.length; i++) {
            totalWriters += dealtKeys[i] & 1;
        }
        writerTransactions = new int[totalWriters];
        writerClasses = new int[totalWriters];
        readerTransactions = new int[dealtKeys.length - totalWriters];
        readerClasses = new int[dealtKeys.length - totalWriters];
        slotStarts = new int[totalWriters + 2 * keys + 1];
        Bucket bucket = new Bucket();
        for (int b = 0; b < buckets; b++) {
            bucket.sort(b);
            int last = Math.min(BUCKET_KEYS, keys - (b << BUCKET_SHIFT));
            for (int k = 0; k < last; k++) {
                key((b << BUCKET_SHIFT) + k, bucket, k);
            }
        }
        slotStarts[slotStarts.length - 1] = readers;
        writerStarts[keys] = writers;
        readerStarts[keys] = readers;
        dealtKeys = dealtTransactions = new int[0];
        dealtValues = new long[0];
        return new VersionIndex(
                writerStarts,
                writerTransactions,
                writerClasses,
                readerStarts,
                readers == readerTransactions.length ? readerTransactions : Arrays.copyOf(readerTransactions, readers),
                readers == readerClasses.length ? readerClasses : Arrays.copyOf(readerClasses, readers),
                slotStarts,
                nextInClass,
                initialWriters,
                ambiguous);
    }

    private void deal(
            int[] operationStarts, int @Nullable [] transactions, int[] operationKeys, long[] values, byte[] roles) {
        int buckets = (keys + BUCKET_KEYS - 1) >>> BUCKET_SHIFT;
        int[] next = new int[buckets + 1];
        int units = operationStarts.length - 1;
        for (int u = 0; u < units; u++) {
            if (states[transactions == null ? u : transactions[u]] != Counting.DROPPED) {
                for (int o = operationStarts[u]; o < operationStarts[u + 1]; o++) {
                    if (roles[o] != TransactionScan.HIDDEN) {
                        next[(operationKeys[o] >>> (BUCKET_SHIFT + 1)) + 1]++;
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
        dealtTransactions = new int[total];
        dealtValues = new long[total];
        for (int u = 0; u < units; u++) {
            int t = transactions == null ? u : transactions[u];
            if (states[t] != Counting.DROPPED) {
                for (int o = operationStarts[u]; o < operationStarts[u + 1]; o++) {
                    if (roles[o] != TransactionScan.HIDDEN) {
                        int key = operationKeys[o];
                        int place = next[key >>> (BUCKET_SHIFT + 1)]++;
                        dealtKeys[place] = key;
                        dealtTransactions[place] = t;
                        dealtValues[place] = values[o];
                    }
                }
            }
        }
    }

    /** One bucket sorted by key, writers before readers, each ascending by transaction. */
    private final class Bucket {
        final int[] starts = new int[2 * BUCKET_KEYS + 1];
        int[] transactions = new int[1024];
        long[] values = new long[1024];

        /** Start of the writers (kind 0) or readers (kind 1) of the bucket's k-th key; the end is the next start. */
        int start(int k, int kind) {
            return starts[2 * k + kind];
        }

        void sort(int b) {
            int from = bucketStarts[b];
            int to = bucketStarts[b + 1];
            if (to - from > transactions.length) {
                transactions = new int[Math.max(to - from, 2 * transactions.length)];
                values = new long[transactions.length];
            }
            Arrays.fill(starts, 0);
            int mask = 2 * BUCKET_KEYS - 1;
            for (int i = from; i < to; i++) {
                int place = (dealtKeys[i] ^ 1) & mask;
                starts[place + 1]++;
            }
            for (int i = 0; i < 2 * BUCKET_KEYS; i++) {
                starts[i + 1] += starts[i];
            }
            for (int i = from; i < to; i++) {
                int place = starts[(dealtKeys[i] ^ 1) & mask]++;
                transactions[place] = dealtTransactions[i];
                values[place] = dealtValues[i];
            }
            System.arraycopy(starts, 0, starts, 1, 2 * BUCKET_KEYS);
            starts[0] = 0;
        }
    }

    private void key(int key, Bucket bucket, int k) {
        int w0 = bucket.start(k, 0);
        int r0 = bucket.start(k, 1);
        int end = k + 1 < BUCKET_KEYS ? bucket.start(k + 1, 0) : bucket.starts[2 * BUCKET_KEYS];
        int w = r0 - w0;
        int first = writers;
        writerStarts[key] = first;
        readerStarts[key] = readers;
        int base = first + 2 * key;
        if (w + 2 > slotCounts.length) {
            slotCounts = new int[Math.max(w + 2, 2 * slotCounts.length)];
        }
        if (end - r0 > slots.length) {
            slots = new int[Math.max(end - r0, 2 * slots.length)];
        }
        boolean hashed = w > FEW;
        if (hashed) {
            clearHash(w);
        }
        for (int i = 0; i < w; i++) {
            writerTransactions[first + i] = bucket.transactions[w0 + i];
            writerClass(key, first, i, bucket.values, w0, hashed);
        }
        writers = first + w;
        Arrays.fill(slotCounts, 0, w + 2, 0);
        for (int r = r0; r < end; r++) {
            int slot = slotOf(key, first, w, bucket.transactions[r], bucket.values, r, w0, hashed);
            slots[r - r0] = slot;
            if (slot >= 0) {
                slotCounts[slot]++;
            }
        }
        place(base, w, bucket, r0, end);
    }

    /** Groups the key's readers by slot; of a session's readers of one resolved version the middle ones are left out. */
    private void place(int base, int w, Bucket bucket, int r0, int end) {
        int next = readers;
        for (int s = 0; s < w + 2; s++) {
            int count = slotCounts[s];
            slotStarts[base + s] = next;
            slotCounts[s] = next;
            next += count;
        }
        for (int r = r0; r < end; r++) {
            int slot = slots[r - r0];
            if (slot >= 0) {
                int place = slotCounts[slot]++;
                readerTransactions[place] = bucket.transactions[r];
                readerClasses[place] = classScratch(r - r0);
            }
        }
        int kept = readers;
        int from = readers;
        for (int s = 0; s < w + 2; s++) {
            int to = slotCounts[s];
            int start = kept;
            slotStarts[base + s] = start;
            for (int r = from; r < to; r++) {
                boolean middle = s <= w
                        && r > from
                        && r + 1 < to
                        && sessionOf[readerTransactions[r - 1]] == sessionOf[readerTransactions[r]]
                        && sessionOf[readerTransactions[r + 1]] == sessionOf[readerTransactions[r]];
                if (!middle) {
                    readerTransactions[kept] = readerTransactions[r];
                    readerClasses[kept] = readerClasses[r];
                    kept++;
                }
            }
            from = to;
        }
        readers = kept;
    }

    private int[] readClasses = new int[64];

    private int classScratch(int i) {
        return readClasses[i];
    }

    private void writerClass(int key, int first, int i, long[] values, int w0, boolean hashed) {
        long value = values[w0 + i];
        int w = first + i;
        if (value == initialValue) {
            writerClasses[w] = VersionIndex.INITIAL;
            if (initialWriters == null) {
                initialWriters = new int[keys];
                Arrays.fill(initialWriters, -1);
            }
            if (initialWriters[key] < 0) {
                initialWriters[key] = w;
            } else {
                append(initialWriters[key], w);
            }
            return;
        }
        int representative = hashed ? insert(value, w) : findAmong(values, w0, i, value, first);
        if (representative < 0) {
            writerClasses[w] = w;
        } else {
            writerClasses[w] = representative;
            append(representative, w);
        }
    }

    private static int findAmong(long[] values, int w0, int count, long value, int first) {
        for (int i = 0; i < count; i++) {
            if (values[w0 + i] == value) {
                return first + i;
            }
        }
        return -1;
    }

    private int[] classTails = new int[0];

    private void append(int representative, int w) {
        if (nextInClass == null) {
            nextInClass = new int[writerTransactions.length];
            Arrays.fill(nextInClass, -1);
            classTails = new int[writerTransactions.length];
            Arrays.fill(classTails, -1);
        }
        int tail = classTails[representative] < 0 ? representative : classTails[representative];
        nextInClass[tail] = w;
        classTails[representative] = w;
    }

    /** The slot of a read relative to the key's first, w + 1 if ambiguous, -1 if impossible (or not judged). */
    private int slotOf(int key, int first, int w, int transaction, long[] values, int r, int w0, boolean hashed) {
        long value = values[r];
        int i = r - w0 - w;
        if (i >= readClasses.length) {
            readClasses = Arrays.copyOf(readClasses, Math.max(i + 1, 2 * readClasses.length));
        }
        boolean initial = value == initialValue;
        int head;
        if (initial) {
            readClasses[i] = VersionIndex.INITIAL;
            head = initialWriters == null ? -1 : initialWriters[key];
        } else {
            head = hashed ? find(value) : findAmong(values, w0, w, value, first);
            readClasses[i] = head;
        }
        int only = -1;
        int candidates = initial ? 1 : 0;
        boolean open = states[transaction] == Counting.OPTIONAL;
        for (int c = head; c >= 0; c = nextInClass == null ? -1 : nextInClass[c]) {
            if (writerTransactions[c] != transaction) {
                candidates++;
                only = c;
                open |= states[writerTransactions[c]] == Counting.OPTIONAL;
                if (candidates > 1) {
                    break;
                }
            }
        }
        if (candidates == 0) {
            if (states[transaction] == Counting.COUNTED) {
                impossible.add(key);
                impossible.add(transaction);
            }
            return -1;
        }
        if (candidates > 1 || open) {
            ambiguous++;
            return w + 1;
        }
        return only < 0 ? 0 : 1 + only - first;
    }

    private int hashMask;

    private void clearHash(int w) {
        int capacity = Integer.highestOneBit(Math.max(16, w) * 2 - 1) * 2;
        if (capacity > hashWriters.length) {
            hashValues = new long[capacity];
            hashWriters = new int[capacity];
        }
        hashMask = capacity - 1;
        Arrays.fill(hashWriters, 0, capacity, -1);
    }

    private int slotOfHash(long value) {
        long h = value * 0x9E3779B97F4A7C15L;
        int i = (int) (h >>> 32) & hashMask;
        while (hashWriters[i] >= 0 && hashValues[i] != value) {
            i = (i + 1) & hashMask;
        }
        return i;
    }

    private int insert(long value, int writer) {
        int i = slotOfHash(value);
        if (hashWriters[i] >= 0) {
            return hashWriters[i];
        }
        hashWriters[i] = writer;
        hashValues[i] = value;
        return -1;
    }

    private int find(long value) {
        return hashWriters[slotOfHash(value)];
    }
}
