package org.polygraph.partitioner.index;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.util.Arrays;
import java.util.function.BooleanSupplier;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.model.StoppedException;

/**
 * Builds a {@link VersionIndex} from {@link KeyBuckets}, bucket by bucket within the cache. Linear time; 16 bytes an
 * operation while it works.
 */
final class VersionIndexBuilder {
    private final int keys;
    private final int[] sessionOf;
    private final byte[] states;
    private final IntToLongFunction initialValues;
    /** The initial value of the current key. */
    private long initialValue;

    private BooleanSupplier stop = () -> false;

    // The arrays of the result.
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
    /** Optional transactions with such reads. */
    private final IntArrayList uncommitted = new IntArrayList();

    // Temporary arrays of the current key.
    private final WritersByValue byValue = new WritersByValue();
    private int[] slots = new int[64];
    private int[] readClasses = new int[64];
    private int[] slotCounts = new int[64];
    /** By first writer of a class: its last writer so far, or -1; empty while no value repeats. */
    private int[] classTails = new int[0];

    /**
     * @param sessionOf by transaction
     * @param initialValues by key
     * @param states {@link CommitStatus} states by transaction; operations of dropped ones are left out
     */
    VersionIndexBuilder(int keys, int[] sessionOf, byte[] states, IntToLongFunction initialValues) {
        this.keys = keys;
        this.sessionOf = sessionOf;
        this.states = states;
        this.initialValues = initialValues;
    }

    /**
     * (key, transaction) pairs of counted reads whose value no transaction can have written, found by {@link #build}.
     */
    IntArrayList impossible() {
        return impossible;
    }

    /** Optional transactions that cannot have committed, because no transaction can have written what they read. */
    IntArrayList uncommitted() {
        return uncommitted;
    }

    /** The signal to stop, which {@link #build} polls every few keys. */
    void stopIf(BooleanSupplier condition) {
        stop = condition;
    }

    /**
     * Builds the index; called once.
     *
     * @param operationStarts operations of transaction t: [operationStarts[t], operationStarts[t + 1])
     * @param roles of each operation, see {@link TransactionScan}
     */
    VersionIndex build(int[] operationStarts, int[] operationKeys, long[] values, byte[] roles) {
        KeyBuckets buckets =
                new KeyBuckets(keys, operationStarts, operationKeys, values, roles, states, KeyBuckets.Tag.TRANSACTION);
        writerStarts = new int[keys + 1];
        readerStarts = new int[keys + 1];
        int totalWriters = buckets.writes();
        writerTransactions = new int[totalWriters];
        writerClasses = new int[totalWriters];
        readerTransactions = new int[buckets.operations() - totalWriters];
        readerClasses = new int[readerTransactions.length];
        slotStarts = new int[totalWriters + 2 * keys + 1];
        for (int b = 0; b < buckets.count(); b++) {
            StoppedException.check(stop);
            buckets.sort(b);
            int first = buckets.firstKey(b);
            for (int k = 0; k < buckets.keys(b); k++) {
                key(first + k, buckets, k);
            }
        }
        slotStarts[slotStarts.length - 1] = readers;
        writerStarts[keys] = writers;
        readerStarts[keys] = readers;
        return new VersionIndex(
                new VersionIndex.Writers(writerStarts, writerTransactions, writerClasses, nextInClass, initialWriters),
                new VersionIndex.Readers(
                        readerStarts,
                        Arrays.copyOf(readerTransactions, readers),
                        Arrays.copyOf(readerClasses, readers),
                        slotStarts),
                ambiguous);
    }

    private void key(int key, KeyBuckets bucket, int k) {
        int w0 = bucket.start(k, 0);
        int r0 = bucket.start(k, 1);
        int end = bucket.start(k + 1, 0);
        initialValue = initialValues.applyAsLong(key);
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
        byValue.clear(w);
        for (int i = 0; i < w; i++) {
            writerTransactions[first + i] = bucket.tags()[w0 + i];
            writerClass(key, first + i, bucket.values()[w0 + i]);
        }
        writers = first + w;
        Arrays.fill(slotCounts, 0, w + 2, 0);
        for (int r = r0; r < end; r++) {
            int slot = slotOf(key, first, w, bucket.tags()[r], bucket.values()[r], r - r0);
            slots[r - r0] = slot;
            if (slot >= 0) {
                slotCounts[slot]++;
            }
        }
        place(base, w, bucket, r0, end);
    }

    /**
     * Groups the key's readers by slot; of a session's readers of one resolved version the middle ones are left out.
     */
    private void place(int base, int w, KeyBuckets bucket, int r0, int end) {
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
                readerTransactions[place] = bucket.tags()[r];
                readerClasses[place] = readClasses[r - r0];
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

    private void writerClass(int key, int w, long value) {
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
        int representative = byValue.putIfAbsent(value, w);
        if (representative < 0) {
            writerClasses[w] = w;
        } else {
            writerClasses[w] = representative;
            append(representative, w);
        }
    }

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

    /** The slot of a read from the key's first on; w + 1 if ambiguous, -1 if its value has no possible writer. */
    private int slotOf(int key, int first, int w, int transaction, long value, int i) {
        if (i >= readClasses.length) {
            readClasses = Arrays.copyOf(readClasses, Math.max(i + 1, 2 * readClasses.length));
        }
        boolean initial = value == initialValue;
        int head;
        if (initial) {
            readClasses[i] = VersionIndex.INITIAL;
            head = initialWriters == null ? -1 : initialWriters[key];
        } else {
            head = byValue.find(value);
            readClasses[i] = head;
        }
        int only = -1;
        int candidates = initial ? 1 : 0;
        boolean open = states[transaction] == CommitStatus.OPTIONAL;
        for (int c = head; c >= 0; c = nextInClass == null ? -1 : nextInClass[c]) {
            if (writerTransactions[c] != transaction) {
                candidates++;
                only = c;
                open |= states[writerTransactions[c]] == CommitStatus.OPTIONAL;
                if (candidates > 1) {
                    break;
                }
            }
        }
        if (candidates == 0) {
            if (states[transaction] == CommitStatus.COUNTED) {
                impossible.add(key);
                impossible.add(transaction);
            } else {
                uncommitted.add(transaction);
            }
            return -1;
        }
        if (candidates > 1 || open) {
            ambiguous++;
            return w + 1;
        }
        return only < 0 ? 0 : 1 + only - first;
    }
}
