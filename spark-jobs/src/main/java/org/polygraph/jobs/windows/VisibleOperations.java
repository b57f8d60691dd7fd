package org.polygraph.jobs.windows;

import org.polygraph.partitioner.index.TransactionScan;
import org.polygraph.storage.table.Operations;

/**
 * Which operations of a cell concern other transactions: external reads, and the last write of each key. An intent does
 * not. Memory: a byte an operation.
 */
final class VisibleOperations {
    private final Cell cell;
    private final byte[] roles;

    VisibleOperations(Cell cell) {
        this.cell = cell;
        int[] starts = new int[cell.size() + 1];
        int[] keys = new int[cell.operations()];
        long[] codes = new long[cell.operations()];
        for (int t = 0; t < cell.size(); t++) {
            starts[t + 1] = cell.operationsEnd(t);
        }
        for (int o = 0; o < keys.length; o++) {
            keys[o] = Operations.pack(cell.key(o), cell.isWrite(o));
            codes[o] = cell.code(o);
        }
        TransactionScan scan = new TransactionScan(
                starts, keys, codes, keys.length, cell.keys().size(), TransactionScan.Reads.FIRST);
        for (int t = 0; t < cell.size(); t++) {
            scan.scan(t);
        }
        roles = scan.roles();
    }

    boolean isVisible(int operation) {
        return roles[operation] != TransactionScan.HIDDEN && cell.kind(operation) != Cell.INTENT;
    }
}
