package org.polygraph.solver;

import org.polygraph.solver.sat.Budget;

/** CSR from a transaction to its reads and writes: reader r is r, writer w is {@code ~w}. O(items) to build. */
final class TransactionItems {
    private final int[] start;
    private final int[] items;

    TransactionItems(Polygraph p, Budget budget) {
        int readers = p.readerStart[p.keys()];
        int writers = p.writerStart[p.keys()];
        start = budget.ints(p.transactions + 2);
        items = budget.ints(readers + writers);
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
        for (int r = p.readerStart[0]; r < readers; r++) {
            items[start[p.readerTxn[r] + 1]++] = r;
            budget.tick();
        }
        for (int w = p.writerStart[0]; w < writers; w++) {
            items[start[p.writerTxn[w] + 1]++] = ~w;
            budget.tick();
        }
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

    /** The key whose range in a CSR's {@code start} holds {@code index}. */
    static int keyOf(int[] start, int index) {
        int low = 0;
        int high = start.length - 2;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (start[middle] <= index) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }
}
