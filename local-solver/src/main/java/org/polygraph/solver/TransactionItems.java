package org.polygraph.solver;

import org.polygraph.solver.sat.SearchBudget;

/**
 * The reads and writes of each transaction, in CSR form: reader r is r, writer w is {@code ~w}. 8 bytes an item, 4 a
 * transaction; built in O(items).
 */
final class TransactionItems {
    private final int[] start;
    private final int[] items;
    /** The key of each item. When thousands of events move, a look-up in the polygraph took 40 % of the time. */
    private final int[] keys;

    TransactionItems(Polygraph p, SearchBudget budget) {
        int readers = p.readerStart[p.keys()];
        int writers = p.writerStart[p.keys()];
        start = budget.ints(p.transactions + 2);
        items = budget.ints(readers + writers);
        keys = budget.ints(readers + writers);
        for (int r = p.readerStart[0]; r < readers; r++) {
            start[p.readerTxn[r] + 2]++;
            budget.tick();
        }
        for (int w = p.writerStart[0]; w < writers; w++) {
            start[p.writerTxn[w] + 2]++;
            budget.tick();
        }
        for (int t = 2; t < start.length; t++) {
            start[t] += start[t - 1];
        }
        for (int k = 0; k < p.keys(); k++) {
            for (int r = p.readerStart[k]; r < p.readerStart[k + 1]; r++) {
                put(p.readerTxn[r], r, k);
                budget.tick();
            }
            for (int w = p.writerStart[k]; w < p.writerStart[k + 1]; w++) {
                put(p.writerTxn[w], ~w, k);
                budget.tick();
            }
        }
    }

    private void put(int txn, int item, int key) {
        int at = start[txn + 1]++;
        items[at] = item;
        keys[at] = key;
    }

    int from(int txn) {
        return start[txn];
    }

    int to(int txn) {
        return start[txn + 1];
    }

    int item(int index) {
        return items[index];
    }

    int key(int index) {
        return keys[index];
    }
}
