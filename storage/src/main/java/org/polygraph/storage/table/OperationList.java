package org.polygraph.storage.table;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.model.BudgetException;

/**
 * The operations of a table while it is built. They are in blocks, so no array is copied to grow, or in one array if
 * their number is known in advance. 12 bytes an operation.
 */
final class OperationList {
    private static final int MAX_ARRAY = Integer.MAX_VALUE - 8;
    private static final int LEAST_BLOCK = 1 << 4;
    private static final int FIRST_BLOCK = 1 << 7;
    /** 256 KiB of values: below half a region of G1, which gives larger arrays whole regions and wastes the rest. */
    private static final int BLOCK_SHIFT = 15;

    private static final int BLOCK = 1 << BLOCK_SHIFT;

    private final List<int[]> keyBlocks = new ArrayList<>();
    private final List<long[]> valueBlocks = new ArrayList<>();
    private int[] lastKeys;
    private long[] lastValues;
    private int lastUsed;
    private int size;
    /** By operation up to its length: its kind, see {@link Operations#kinds}; empty if all are 0. */
    private byte[] kinds = new byte[0];
    /** Operation o is in block o >> shift; with an expected size all operations are in the first block. */
    private int shift = BLOCK_SHIFT;

    OperationList() {
        this(FIRST_BLOCK);
    }

    /** @param expected the number of operations, about */
    OperationList(int expected) {
        int first = Math.max(LEAST_BLOCK, Math.min(expected, BLOCK));
        lastKeys = new int[first];
        lastValues = new long[first];
        keyBlocks.add(lastKeys);
        valueBlocks.add(lastValues);
        expect(expected);
    }

    int size() {
        return size;
    }

    /** The bytes that the list holds. */
    long bytes() {
        return (long) HistoryTable.BYTES_PER_OPERATION * ((keyBlocks.size() - 1L) * BLOCK + lastKeys.length)
                + kinds.length;
    }

    /** Allocates one array of the expected size, before the first operation. */
    void expect(int operations) {
        if (size == 0 && operations > BLOCK && operations <= MAX_ARRAY - BLOCK) {
            lastKeys = new int[operations];
            lastValues = new long[operations];
            keyBlocks.set(0, lastKeys);
            valueBlocks.set(0, lastValues);
            shift = Integer.SIZE - 1;
        }
    }

    /** Whether the next operation needs a {@link #grow} first. */
    boolean isFull() {
        return lastUsed == lastKeys.length;
    }

    /**
     * Bytes that {@link #grow} takes. They include a second copy of the values, which {@link #values} needs in the end.
     */
    long growth() {
        return (long) HistoryTable.BYTES_PER_OPERATION * (shift == BLOCK_SHIFT ? BLOCK : size + BLOCK)
                + (long) Long.BYTES * size;
    }

    /** Doubles the first block until it has its full size, then adds blocks. */
    void grow() {
        if (size > MAX_ARRAY - BLOCK) {
            throw new BudgetException("more than " + size + " operations do not fit one table; split the history");
        }
        if (shift != BLOCK_SHIFT) {
            split();
        }
        if (!isFull()) {
            return;
        }
        if (lastUsed < BLOCK) {
            lastKeys = Arrays.copyOf(lastKeys, Math.min(BLOCK, lastUsed * 2));
            lastValues = Arrays.copyOf(lastValues, lastKeys.length);
            keyBlocks.set(0, lastKeys);
            valueBlocks.set(0, lastValues);
        } else {
            append(new int[BLOCK], new long[BLOCK], 0);
        }
    }

    private void append(int[] keys, long[] values, int used) {
        lastKeys = keys;
        lastValues = values;
        lastUsed = used;
        keyBlocks.add(keys);
        valueBlocks.add(values);
    }

    /** Moves the operations to blocks, when there are more than expected. */
    private void split() {
        int[] keys = lastKeys;
        long[] values = lastValues;
        keyBlocks.clear();
        valueBlocks.clear();
        shift = BLOCK_SHIFT;
        for (int from = 0; from < size; from += BLOCK) {
            append(new int[BLOCK], new long[BLOCK], Math.min(BLOCK, size - from));
            System.arraycopy(keys, from, lastKeys, 0, lastUsed);
            System.arraycopy(values, from, lastValues, 0, lastUsed);
        }
    }

    /** Adds an operation; call {@link #grow} first if {@link #isFull}. */
    void add(int keyAndKind, long valueCode) {
        lastKeys[lastUsed] = keyAndKind;
        lastValues[lastUsed++] = valueCode;
        size++;
    }

    /** Adds an operation of a kind. */
    void add(int keyAndKind, long valueCode, byte kind) {
        if (isFull()) {
            grow();
        }
        add(keyAndKind, valueCode);
        if (kind != 0) {
            kind(size - 1, kind);
        }
    }

    /** The operations, in the order of their transactions, and releases them here. @param starts of these */
    Operations build(int[] starts) {
        long[] values = values(null, starts);
        return new Operations(starts, keys(null, starts), values, kinds(null, starts));
    }

    /** Gives an operation that was added its kind. */
    void kind(int operation, byte kind) {
        if (operation >= kinds.length) {
            kinds = Arrays.copyOf(kinds, Math.max(operation + 1, (int) Math.min(MAX_ARRAY, 2L * operation)));
        }
        kinds[operation] = kind;
    }

    /** Adds up to {@code n} operations, as many as fit without growing, and returns how many. */
    int add(int[] keysAndKinds, int from, long[] valueCodes, int at, int n) {
        int take = Math.min(n, lastKeys.length - lastUsed);
        System.arraycopy(keysAndKinds, from, lastKeys, lastUsed, take);
        System.arraycopy(valueCodes, at, lastValues, lastUsed, take);
        lastUsed += take;
        size += take;
        return take;
    }

    /**
     * The values of all operations, and releases them here. Called once, before {@link #keys}.
     *
     * @param order the transactions in the order of the table; null if they were added in that order
     * @param starts by transaction, in the order of addition: its first operation; and the number of operations
     */
    long[] values(int @Nullable [] order, int[] starts) {
        long[] all = lastValues;
        if (order != null || all.length != size || valueBlocks.size() > 1) {
            lastValues = new long[0];
            all = new long[size];
            move(valueBlocks, all, order, starts);
        }
        return all;
    }

    /** Like {@link #values} for keys and kinds. */
    int[] keys(int @Nullable [] order, int[] starts) {
        int[] all = lastKeys;
        if (order != null || all.length != size || keyBlocks.size() > 1) {
            lastKeys = new int[0];
            all = new int[size];
            move(keyBlocks, all, order, starts);
        }
        return all;
    }

    /** Like {@link #values} for kinds; null if all are 0. */
    byte @Nullable [] kinds(int @Nullable [] order, int[] starts) {
        if (kinds.length == 0) {
            return null;
        }
        byte[] all = Arrays.copyOf(kinds, size);
        kinds = new byte[0];
        if (order == null) {
            return all;
        }
        byte[] sorted = new byte[size];
        int o = 0;
        for (int t : order) {
            int n = starts[t + 1] - starts[t];
            System.arraycopy(all, starts[t], sorted, o, n);
            o += n;
        }
        return sorted;
    }

    /** Copies the blocks into an array in the order of transactions and releases them. */
    private void move(List<?> blocks, Object to, int @Nullable [] order, int[] starts) {
        int length = shift == BLOCK_SHIFT ? BLOCK : size;
        if (order == null) {
            for (int c = 0; c < blocks.size(); c++) {
                System.arraycopy(blocks.get(c), 0, to, c * length, Math.min(length, size - c * length));
                blocks.set(c, null);
            }
        } else {
            int o = 0;
            for (int t : order) {
                int from = starts[t];
                for (int left = starts[t + 1] - from, n; left > 0; left -= n, from += n, o += n) {
                    int at = from - (from >> shift) * length;
                    n = Math.min(left, length - at);
                    System.arraycopy(blocks.get(from >> shift), at, to, o, n);
                }
            }
        }
        blocks.clear();
    }
}
