package org.polygraph.storage.table;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * Operations in the order of their transactions.
 *
 * @param starts by transaction: its first operation; and the number of operations
 * @param keys by operation: {@code key << 1 | (write ? 1 : 0)}
 * @param values by operation: the code of its value
 * @param kinds by operation: {@link #INSERT}, {@link #DELETE} or 0; null where no write is an insert or a delete
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record Operations(int[] starts, int[] keys, long[] values, byte @Nullable [] kinds) implements Serializable {
    /** The kind of a write that inserts a row. */
    public static final byte INSERT = 1;
    /** The kind of a write that deletes a row; its value is null, which is what a read of no row returns. */
    public static final byte DELETE = 2;

    /** The number of operations. */
    public int size() {
        return keys.length;
    }
}
