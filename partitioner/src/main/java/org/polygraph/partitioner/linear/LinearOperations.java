package org.polygraph.partitioner.linear;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntArrays;
import java.util.Arrays;
import java.util.BitSet;
import java.util.function.IntPredicate;
import java.util.function.IntToLongFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Operations by key, in arrays that do not refer to a history. Operations are sorted by key, then by transaction, and
 * an operation is its place in that order.
 *
 * <p>Memory: 37 bytes per operation, 4 per key.
 */
final class LinearOperations {
    /** The end of an operation that never ends. */
    static final long NEVER = Long.MAX_VALUE;

    // Kinds. A compare-and-set reads and writes; a refused one did not find a value.
    static final byte READS = 1;
    static final byte WRITES = 2;
    static final byte REFUSED = 4;
    /** Its outcome is unknown. */
    static final byte MAYBE = 8;

    /** Operations of key k: [keyStarts[k], keyStarts[k + 1]). */
    final int[] keyStarts;

    final int[] transactions;
    final long[] starts;
    /** The end of each, plus the clock skew: a comes before b iff ends[a] < starts[b]. */
    final long[] ends;

    private final byte[] kinds;
    private final long[] read;
    private final long[] written;
    private final IntToLongFunction initialValues;

    /** @param counts by key plus 1: the number of its operations */
    private LinearOperations(int[] counts, IntToLongFunction initialValues) {
        keyStarts = counts;
        for (int k = 1; k < keyStarts.length; k++) {
            keyStarts[k] += keyStarts[k - 1];
        }
        int n = keyStarts[keyStarts.length - 1];
        transactions = new int[n];
        kinds = new byte[n];
        read = new long[n];
        written = new long[n];
        starts = new long[n];
        ends = new long[n];
        this.initialValues = initialValues;
    }

    private LinearOperations(LinearOperations of) {
        keyStarts = of.keyStarts;
        transactions = of.transactions;
        kinds = of.kinds.clone();
        read = of.read.clone();
        written = of.written;
        starts = of.starts;
        ends = of.ends.clone();
        initialValues = of.initialValues;
    }

    /** The operations of a history. @param keys the keys to include; null: all */
    static LinearOperations of(RecordedOperations recorded, @Nullable BitSet keys) {
        int n = recorded.table().transactions();
        int[] counts = new int[recorded.table().keys().size() + 1];
        int[] keyOf = new int[n];
        for (int t = 0; t < n; t++) {
            int key = recorded.mayCount(t) ? recorded.key(t) : -1;
            keyOf[t] = keys == null || key < 0 || keys.get(key) ? key : -1;
            if (keyOf[t] >= 0) {
                counts[key + 1]++;
            }
        }
        LinearOperations all = new LinearOperations(counts, recorded.table()::initialValue);
        int[] next = Arrays.copyOf(all.keyStarts, counts.length - 1);
        for (int t = 0; t < n; t++) {
            if (keyOf[t] >= 0) {
                all.set(next[keyOf[t]]++, recorded, t);
            }
        }
        return all;
    }

    // A method of its own is compiled earlier than the loop around it.
    private void set(int o, RecordedOperations recorded, int t) {
        transactions[o] = t;
        kinds[o] = recorded.kind(t);
        read[o] = recorded.read(t);
        written[o] = recorded.written(t);
        starts[o] = recorded.start(t);
        ends[o] = recorded.end(t);
    }

    /**
     * The same operations, but those of unknown outcome take effect soon or never: within twice the longest duration
     * of an operation of their key. An order of these is one of all; the reverse is not true.
     */
    LinearOperations soonOrNever() {
        LinearOperations soon = new LinearOperations(this);
        for (int key = 0; key < keys(); key++) {
            long longest = 0;
            for (int o = keyStarts[key]; o < keyStarts[key + 1]; o++) {
                longest = isMaybe(o) || ends[o] == NEVER ? longest : Math.max(longest, ends[o] - starts[o]);
            }
            for (int o = keyStarts[key]; o < keyStarts[key + 1]; o++) {
                if (isMaybe(o)) {
                    long end = starts[o] + 2 * longest;
                    soon.ends[o] = end < starts[o] ? NEVER : end;
                }
            }
        }
        return soon;
    }

    /**
     * Some operations of a key as those of key 0.
     *
     * @param reads whether an operation keeps its read; else it only writes
     */
    LinearOperations select(int key, IntArrayList some, IntPredicate reads) {
        int[] ascending = some.toIntArray();
        Arrays.sort(ascending);
        LinearOperations selected =
                new LinearOperations(new int[] {0, ascending.length}, unused -> initialValues.applyAsLong(key));
        for (int i = 0; i < ascending.length; i++) {
            int o = ascending[i];
            selected.transactions[i] = transactions[o];
            selected.kinds[i] = (byte) (reads.test(o) ? kinds[o] : kinds[o] & ~(READS | REFUSED));
            selected.read[i] = read[o];
            selected.written[i] = written[o];
            selected.starts[i] = starts[o];
            selected.ends[i] = ends[o];
        }
        return selected;
    }

    /**
     * What is known of a key when an operation ends, as operations of key 0: that operation, those that had ended, and
     * the writes that had started, which may take effect.
     */
    LinearOperations until(int key, int last) {
        IntArrayList some = new IntArrayList();
        for (int o = keyStarts[key]; o < keyStarts[key + 1]; o++) {
            if (ends[o] <= ends[last] || (isWrite(o) && starts[o] <= ends[last])) {
                some.add(o);
            }
        }
        LinearOperations known = select(key, some, o -> true);
        for (int o = 0; o < known.kinds.length; o++) {
            if (known.ends[o] > ends[last]) {
                known.kinds[o] |= MAYBE;
                known.ends[o] = NEVER;
            }
        }
        return known;
    }

    /** The same operations, but one of them reads a value and does nothing else. */
    LinearOperations reading(int o, long value) {
        LinearOperations other = new LinearOperations(this);
        other.kinds[o] = READS;
        other.read[o] = value;
        return other;
    }

    /** Whether the outcome of some operation is unknown. */
    boolean hasMaybe() {
        for (byte kind : kinds) {
            if ((kind & MAYBE) != 0) {
                return true;
            }
        }
        return false;
    }

    /** Returns numbers in the order of their times; those of equal times stay in turn. */
    static int[] sorted(int[] numbers, IntToLongFunction time) {
        int n = numbers.length;
        long[] times = new long[n];
        long least = NEVER;
        long most = Long.MIN_VALUE;
        for (int i = 0; i < n; i++) {
            times[i] = time.applyAsLong(numbers[i]);
            least = Math.min(least, times[i]);
            most = times[i] == NEVER ? most : Math.max(most, times[i]);
        }
        int bits = Integer.SIZE - Integer.numberOfLeadingZeros(n);
        int[] sorted = new int[n];
        if (n > 0 && most - least >>> Long.SIZE - 2 - bits == 0) {
            // Time and place are sorted as one number. What never happens comes last.
            for (int i = 0; i < n; i++) {
                times[i] = (times[i] == NEVER ? most - least + 1 : times[i] - least) << bits | i;
            }
            Arrays.sort(times);
            for (int i = 0; i < n; i++) {
                sorted[i] = numbers[(int) times[i] & (1 << bits) - 1];
            }
            return sorted;
        }
        System.arraycopy(numbers, 0, sorted, 0, n);
        IntArrays.mergeSort(sorted, (a, b) -> Long.compare(time.applyAsLong(a), time.applyAsLong(b)));
        return sorted;
    }

    /** The numbers from 0 on. */
    static int[] numbers(int count) {
        int[] numbers = new int[count];
        for (int i = 0; i < count; i++) {
            numbers[i] = i;
        }
        return numbers;
    }

    int keys() {
        return keyStarts.length - 1;
    }

    int[] ofKey(int key) {
        return IntStream.range(keyStarts[key], keyStarts[key + 1]).toArray();
    }

    /** The operation of a transaction on a key. */
    int ofTransaction(int key, int transaction) {
        return Arrays.binarySearch(transactions, keyStarts[key], keyStarts[key + 1], transaction);
    }

    /** Whether its outcome is unknown. */
    boolean isMaybe(int o) {
        return (kinds[o] & MAYBE) != 0;
    }

    /** Whether it writes, also after reading. */
    boolean isWrite(int o) {
        return (kinds[o] & WRITES) != 0;
    }

    /** The value that it writes. */
    long written(int o) {
        return written[o];
    }

    /** Whether it reads a value, also before writing. */
    boolean isRead(int o) {
        return (kinds[o] & READS) != 0;
    }

    /** The value that it reads. */
    long read(int o) {
        return read[o];
    }

    /** Whether it is a compare-and-set that did not find {@link #excluded}. */
    boolean isRefused(int o) {
        return (kinds[o] & REFUSED) != 0;
    }

    long excluded(int o) {
        return read[o];
    }

    /** The key of an operation. */
    int keyOf(int operation) {
        int key = Arrays.binarySearch(keyStarts, operation);
        key = key < 0 ? -key - 2 : key;
        while (keyStarts[key + 1] <= operation) {
            key++;
        }
        return key;
    }

    long initialValue(int key) {
        return initialValues.applyAsLong(key);
    }
}
