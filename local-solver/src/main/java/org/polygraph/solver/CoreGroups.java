package org.polygraph.solver;

import org.polygraph.solver.sat.SearchBudget;

/**
 * Groups of keys that share transactions, so that the search finishes one before it begins the next. Found among the keys
 * to start from; a key that comes up later joins the group of a transaction of its.
 *
 * <p>A matter of what comes first and what seems cheap, never of correctness: known edges may tie groups together, and
 * nothing relies on it that they do not.
 *
 * <p>Memory: 4 bytes a transaction, and as much again while set up. Time: nearly linear in the readers and writers of the keys.
 */
final class CoreGroups {
    private static final int NONE = -1;

    private final Polygraph p;
    private final SearchBudget budget;
    /** Transaction to another one of its group, nearer the root; itself at the root. */
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

    /** Whether no group has as much as half of the transactions that are in some group. */
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

    /** A number that two keys have in common if they belong together; transactions that belong nowhere count for nothing. */
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
            // The lower number stays: groups come in the order of their first transaction.
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
