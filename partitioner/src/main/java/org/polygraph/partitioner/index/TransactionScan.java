package org.polygraph.partitioner.index;

import java.util.Arrays;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.Operations;

/**
 * The scan of each transaction alone: which reads are external (before the first own write of the key; see
 * {@link Reads}), which writes are visible (the last of the key), and whether reads after an
 * own write or an earlier read agree with it (INT).
 *
 * <p>For each operation it searches backwards, which is quadratic in the operations of a transaction; transactions of
 * more than {@value #SHORT} operations use a table over keys. Result: a byte an operation.
 */
public final class TransactionScan {
    public static final byte HIDDEN = 0;
    public static final byte EXTERNAL_READ = 1;
    public static final byte VISIBLE_WRITE = 2;

    /** Which reads of a key, before the first own write of it, are external. */
    public enum Reads {
        /** The first; later ones must return the same: RA and above. */
        FIRST,
        /** Each is judged alone: RC and PL2. */
        EACH
    }

    private static final int SHORT = 32;

    private final int[] operationStarts;
    private final int[] operationKeys;
    private final long[] operationValues;
    private final byte[] roles;
    private final int keys;
    private final boolean each;
    /** By operation of the current transaction: the latest own write of the same key so far, or -1. */
    private int[] ownWrites = new int[SHORT];
    /**
     * By key: the last operation on it so far, perhaps of an earlier transaction; made for long transactions only.
     */
    private int[] lastOperations = new int[0];

    TransactionScan(HistoryTable table, Reads reads) {
        this(
                table.operationStarts(),
                table.operationKeys(),
                table.operationValues(),
                table.operations(),
                table.keys().size(),
                reads);
    }

    /**
     * For some operations of a history; arrays as in HistoryTable.
     *
     * @param keys all ids of keys are below
     */
    public TransactionScan(
            int[] operationStarts, int[] operationKeys, long[] operationValues, int operations, int keys, Reads reads) {
        this.operationStarts = operationStarts;
        this.operationKeys = operationKeys;
        this.operationValues = operationValues;
        this.roles = new byte[operations];
        this.keys = keys;
        this.each = reads == Reads.EACH;
    }

    /** {@link #HIDDEN}, {@link #EXTERNAL_READ} or {@link #VISIBLE_WRITE} of each scanned operation. */
    public byte[] roles() {
        return roles;
    }

    /** Scans one transaction. @return the first operation that breaks internal consistency, or -1 */
    public int scan(int transaction) {
        int from = operationStarts[transaction];
        int to = operationStarts[transaction + 1];
        int length = to - from;
        if (length > ownWrites.length) {
            ownWrites = new int[Math.max(length, 2 * ownWrites.length)];
        }
        return length <= SHORT ? scanShort(from, to) : scanLong(from, to);
    }

    private int scanShort(int from, int to) {
        int broken = -1;
        for (int i = from; i < to; i++) {
            int key = operationKeys[i] | 1;
            int j = i - 1;
            while (j >= from && (operationKeys[j] | 1) != key) {
                j--;
            }
            if (!operation(from, i, j < from ? -1 : j) && broken < 0) {
                broken = i;
            }
        }
        return broken;
    }

    private int scanLong(int from, int to) {
        if (lastOperations.length == 0) {
            lastOperations = new int[keys];
            Arrays.fill(lastOperations, -1);
        }
        int broken = -1;
        for (int i = from; i < to; i++) {
            int key = Operations.key(operationKeys[i]);
            int j = lastOperations[key];
            lastOperations[key] = i;
            if (!operation(from, i, j < from ? -1 : j) && broken < 0) {
                broken = i;
            }
        }
        return broken;
    }

    /** @param previous the operation before i on the same key, or -1; @return whether i agrees with it */
    private boolean operation(int from, int i, int previous) {
        int own = previous < 0 ? -1 : ownWrites[previous - from];
        if (Operations.isWrite(operationKeys[i])) {
            if (own >= 0) {
                roles[own] = HIDDEN;
            }
            roles[i] = VISIBLE_WRITE;
            ownWrites[i - from] = i;
            return true;
        }
        ownWrites[i - from] = own;
        if (previous < 0 || (each && own < 0)) {
            roles[i] = EXTERNAL_READ;
            return true;
        }
        return operationValues[previous] == operationValues[i];
    }
}
