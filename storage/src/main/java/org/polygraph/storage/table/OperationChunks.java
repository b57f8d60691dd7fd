package org.polygraph.storage.table;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.model.BudgetException;

/**
 * The operations of a table while it is built, in chunks, which unlike one growing array are never copied and never half empty;
 * or in one array of each, where somebody knows how many will come. 12 bytes an operation.
 */
final class OperationChunks {
    private static final int MAX_ARRAY = Integer.MAX_VALUE - 8;
    private static final int FIRST_CHUNK = 1 << 12;
    /** 256 KiB of values: below half a region of G1, which gives larger arrays whole regions and wastes the rest. */
    private static final int CHUNK_SHIFT = 15;

    private static final int CHUNK = 1 << CHUNK_SHIFT;

    private final List<int[]> keyChunks = new ArrayList<>();
    private final List<long[]> valueChunks = new ArrayList<>();
    private int[] lastKeys = new int[FIRST_CHUNK];
    private long[] lastValues = new long[FIRST_CHUNK];
    private int lastUsed;
    private int size;
    /** Operation o is in chunk o >> shift: all in one where it has the size expected. */
    private int shift = CHUNK_SHIFT;

    OperationChunks() {
        keyChunks.add(lastKeys);
        valueChunks.add(lastValues);
    }

    int size() {
        return size;
    }

    /** Bytes held. */
    long bytes() {
        return (long) HistoryTable.BYTES_PER_OPERATION * ((keyChunks.size() - 1L) * CHUNK + lastKeys.length);
    }

    /** Before the first operation: takes arrays for so many at once. */
    void expect(int operations) {
        if (size == 0 && operations > CHUNK && operations <= MAX_ARRAY - CHUNK) {
            lastKeys = new int[operations];
            lastValues = new long[operations];
            keyChunks.set(0, lastKeys);
            valueChunks.set(0, lastValues);
            shift = Integer.SIZE - 1;
        }
    }

    /** Whether the next operation needs a {@link #grow} first. */
    boolean isFull() {
        return lastUsed == lastKeys.length;
    }

    /** Bytes that growing takes; besides the chunk, the values are held twice when they are moved in the end. */
    long growth() {
        return (long) HistoryTable.BYTES_PER_OPERATION * (shift == CHUNK_SHIFT ? CHUNK : size + CHUNK)
                + (long) Long.BYTES * size;
    }

    /** Doubles the first chunk until it has its full size, then adds chunks. */
    void grow() {
        if (size > MAX_ARRAY - CHUNK) {
            throw new BudgetException("more than " + size + " operations do not fit one table; split the history");
        }
        if (shift != CHUNK_SHIFT) {
            split();
        }
        if (!isFull()) {
            return;
        }
        if (lastUsed < CHUNK) {
            lastKeys = Arrays.copyOf(lastKeys, lastUsed * 2);
            lastValues = Arrays.copyOf(lastValues, lastUsed * 2);
            keyChunks.set(0, lastKeys);
            valueChunks.set(0, lastValues);
        } else {
            append(new int[CHUNK], new long[CHUNK], 0);
        }
    }

    private void append(int[] keys, long[] values, int used) {
        lastKeys = keys;
        lastValues = values;
        lastUsed = used;
        keyChunks.add(keys);
        valueChunks.add(values);
    }

    /** More came than was expected. */
    private void split() {
        int[] keys = lastKeys;
        long[] values = lastValues;
        keyChunks.clear();
        valueChunks.clear();
        shift = CHUNK_SHIFT;
        for (int from = 0; from < size; from += CHUNK) {
            append(new int[CHUNK], new long[CHUNK], Math.min(CHUNK, size - from));
            System.arraycopy(keys, from, lastKeys, 0, lastUsed);
            System.arraycopy(values, from, lastValues, 0, lastUsed);
        }
    }

    /** Adds one; not where it {@link #isFull}. */
    void add(int keyAndKind, long valueCode) {
        lastKeys[lastUsed] = keyAndKind;
        lastValues[lastUsed++] = valueCode;
        size++;
    }

    /** Adds up to {@code n}, as there is space without growing; how many. */
    int add(int[] keysAndKinds, int from, long[] valueCodes, int at, int n) {
        int take = Math.min(n, lastKeys.length - lastUsed);
        System.arraycopy(keysAndKinds, from, lastKeys, lastUsed, take);
        System.arraycopy(valueCodes, at, lastValues, lastUsed, take);
        lastUsed += take;
        size += take;
        return take;
    }

    /**
     * The values of all operations, once, and before {@link #keys}: lets go of them.
     *
     * @param order transactions as they are wanted; null: as they came
     * @param starts by transaction, as they came, where its operations begin; and the end
     */
    long[] values(int @Nullable [] order, int[] starts) {
        long[] all = lastValues;
        if (order != null || all.length != size || valueChunks.size() > 1) {
            lastValues = new long[0];
            all = new long[size];
            move(valueChunks, all, order, starts);
        }
        return all;
    }

    /** The keys and kinds, once. @see #values */
    int[] keys(int @Nullable [] order, int[] starts) {
        int[] all = lastKeys;
        if (order != null || all.length != size || keyChunks.size() > 1) {
            lastKeys = new int[0];
            all = new int[size];
            move(keyChunks, all, order, starts);
        }
        return all;
    }

    /** Copies the chunks into an array in the order of transactions, and lets go of them. */
    private void move(List<?> chunks, Object to, int @Nullable [] order, int[] starts) {
        int length = shift == CHUNK_SHIFT ? CHUNK : size;
        if (order == null) {
            for (int c = 0; c < chunks.size(); c++) {
                System.arraycopy(chunks.get(c), 0, to, c * length, Math.min(length, size - c * length));
                chunks.set(c, null);
            }
        } else {
            int o = 0;
            for (int t : order) {
                int from = starts[t];
                for (int left = starts[t + 1] - from, n; left > 0; left -= n, from += n, o += n) {
                    int at = from - (from >> shift) * length;
                    n = Math.min(left, length - at);
                    System.arraycopy(chunks.get(from >> shift), at, to, o, n);
                }
            }
        }
        chunks.clear();
    }
}
