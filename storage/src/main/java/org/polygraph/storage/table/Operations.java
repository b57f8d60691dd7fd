package org.polygraph.storage.table;

/**
 * Operations in the order of their transactions.
 *
 * @param starts by transaction: its first operation; and the number of operations
 * @param keys by operation: {@code key << 1 | (write ? 1 : 0)}
 * @param values by operation: the code of its value
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record Operations(int[] starts, int[] keys, long[] values) {
    /** The number of operations. */
    public int size() {
        return keys.length;
    }
}
