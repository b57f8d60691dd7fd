package org.polygraph.solver;

import org.polygraph.solver.sat.SearchBudget;

/**
 * Groups of keys that share transactions. The search finishes one group before it begins the next. Groups are formed from the
 * dirty keys; a key that becomes violated later joins the group of one of its transactions.
 *
 * <p>Groups affect only the order of work and the estimated cost of a decision, never correctness: known edges may connect
 * groups.
 *
 * <p>Memory: 4 bytes a transaction, and as much again while set up. Time: nearly linear in the readers and writers of the keys.
 */
final class CoreGroups {
    private static final int NONE = -1;

    private final Polygraph p;
    private final SearchBudget budget;
    /** Union-find parent by transaction; a root is its own parent. */
    private final int[] parents;

    private final boolean scattered;

    CoreGroups(Polygraph p, SearchBudget budget) {
        this.p = p;
        this.budget = budget;
        parents = budget.ints(p.transactions);
        java.util.Arrays.fill(parents, NONE);
        if (p.dirtyKeys != null) {
            for (int key : p.dirtyKeys) {
                join(key);
            }
        } else {
            for (int key = 0; key < p.keys(); key++) {
                join(key);
            }
        }
        scattered = isScatteredNow();
    }

    /** Whether every group has less than half of all grouped transactions. */
    boolean isScattered() {
        return scattered;
    }

    private boolean isScatteredNow() {
        int[] sizes = budget.ints(p.transactions);
        int largest = 0;
        int all = 0;
        for (int t = 0; t < p.transactions; t++) {
            budget.tick();
            if (parents[t] != NONE) {
                all++;
                largest = Math.max(largest, ++sizes[root(t)]);
            }
        }
        budget.reserve(-4L * sizes.length);
        return largest < all - largest;
    }

    /** The number of a key's group. Transactions without a group are ignored. */
    int of(int key) {
        for (int w = p.writerStart[key]; w < p.writerStart[key + 1]; w++) {
            if (parents[p.writerTxn[w]] != NONE) {
                return root(p.writerTxn[w]);
            }
        }
        for (int r = p.readerStart[key]; r < p.readerStart[key + 1]; r++) {
            if (parents[p.readerTxn[r]] != NONE) {
                return root(p.readerTxn[r]);
            }
        }
        return 0;
    }

    private void join(int key) {
        int group = NONE;
        for (int w = p.writerStart[key]; w < p.writerStart[key + 1]; w++) {
            group = join(group, p.writerTxn[w]);
        }
        for (int r = p.readerStart[key]; r < p.readerStart[key + 1]; r++) {
            group = join(group, p.readerTxn[r]);
        }
    }

    private int join(int group, int txn) {
        budget.tick();
        if (parents[txn] == NONE) {
            parents[txn] = group == NONE ? txn : group;
            return parents[txn];
        }
        int root = root(txn);
        if (group != NONE && group != root) {
            // The lower number becomes the root: groups are ordered by their first transaction.
            int low = Math.min(group, root);
            parents[Math.max(group, root)] = low;
            return low;
        }
        return root;
    }

    private int root(int txn) {
        int at = txn;
        while (parents[at] != at) {
            parents[at] = parents[parents[at]];
            at = parents[at];
        }
        return at;
    }
}
