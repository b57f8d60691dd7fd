package org.polygraph.partitioner.residual;

import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.index.VersionIndex;

/**
 * The connected components of a residual core: two transactions belong together when they read or write the same
 * violated key. Only the report uses them. Union by size with path halving: nearly linear in the readers and writers of
 * the violated keys; 4 bytes a transaction of the history.
 */
public final class CoreComponents {
    /** By transaction: 0 if it is in none; of a root minus the size of its component, else 1 more than its parent. */
    private final int[] parents;

    private int count;
    private int largest;

    private CoreComponents(int transactions) {
        parents = new int[transactions];
    }

    /** Joins the transactions of each violated key. */
    public static CoreComponents of(ResidualCore core, IndexedHistory history) {
        VersionIndex index = history.versions();
        CoreComponents components =
                new CoreComponents(core.keys().length == 0 ? 0 : history.table().transactions());
        for (int key : core.keys()) {
            int root = -1;
            for (int w = index.writerStarts()[key]; w < index.writerStarts()[key + 1]; w++) {
                root = components.join(root, index.writerTransactions()[w]);
            }
            for (int r = index.readerStarts()[key]; r < index.readerStarts()[key + 1]; r++) {
                root = components.join(root, index.readerTransactions()[r]);
            }
        }
        return components;
    }

    public int count() {
        return count;
    }

    /** Transactions in the largest of them. */
    public int largest() {
        return largest;
    }

    /** @param with a root, or -1. @return the root of both */
    private int join(int with, int transaction) {
        if (parents[transaction] == 0) {
            parents[transaction] = -1;
            count++;
            largest = Math.max(largest, 1);
        }
        int root = root(transaction);
        if (with < 0 || with == root) {
            return root;
        }
        int big = parents[with] <= parents[root] ? with : root;
        int small = big == with ? root : with;
        parents[big] += parents[small];
        parents[small] = big + 1;
        largest = Math.max(largest, -parents[big]);
        count--;
        return big;
    }

    private int root(int transaction) {
        int at = transaction;
        while (parents[at] > 0) {
            int parent = parents[at] - 1;
            if (parents[parent] > 0) {
                parents[at] = parents[parent];
            }
            at = parent;
        }
        return at;
    }
}
