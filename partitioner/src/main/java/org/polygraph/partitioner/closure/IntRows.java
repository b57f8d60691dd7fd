package org.polygraph.partitioner.closure;

import org.polygraph.partitioner.graph.Events;

/** An int a cell. */
final class IntRows extends ClockRows {
    private final int chains;
    /** By chain: its events' rows, one after another. */
    private final int[][] cells;

    IntRows(Events events) {
        chains = events.chains();
        cells = new int[chains][];
        for (int s = 0; s < chains; s++) {
            cells[s] = new int[events.chainLength(s) * chains];
        }
    }

    static long bytes(Events events) {
        for (int s = 0; s < events.chains(); s++) {
            if ((long) events.chainLength(s) * events.chains() > Integer.MAX_VALUE - 8) {
                return Long.MAX_VALUE;
            }
        }
        return 4L * events.count() * events.chains();
    }

    int[] cells(int chain) {
        return cells[chain];
    }

    @Override
    public int stride() {
        return chains;
    }

    @Override
    public int get(int chain, int cell) {
        return cells[chain][cell];
    }

    @Override
    public void raise(int[] numbers, int chain, int cell) {
        int[] row = cells[chain];
        for (int c = 0; c < chains; c++) {
            numbers[c] = Math.max(numbers[c], row[cell + c]);
        }
    }

    @Override
    public long touch(int chain, int cell) {
        int[] row = cells[chain];
        long sum = row[cell + chains - 1];
        for (int i = cell; i < cell + chains; i += 16) {
            sum += row[i];
        }
        return sum;
    }

    @Override
    void put(int chain, int cell, int number) {
        cells[chain][cell] = number;
    }

    @Override
    void copyFromPrevious(int chain, int cell) {
        System.arraycopy(cells[chain], cell - chains, cells[chain], cell, chains);
    }

    @Override
    void merge(int chain, int cell, int otherChain, int otherCell) {
        int[] row = cells[chain];
        int[] other = cells[otherChain];
        for (int j = 0; j < chains; j++) {
            row[cell + j] = Math.max(row[cell + j], other[otherCell + j]);
        }
    }

    @Override
    boolean mergeGrows(int chain, int cell, int otherChain, int otherCell) {
        int[] row = cells[chain];
        int[] other = cells[otherChain];
        int own = row[cell + chain];
        int grown = 0;
        for (int j = 0; j < chains; j++) {
            int old = row[cell + j];
            int merged = Math.max(old, other[otherCell + j]);
            grown |= merged ^ old;
            row[cell + j] = merged;
        }
        row[cell + chain] = own;
        return grown != 0;
    }

    @Override
    public int sum(int chain, int cell) {
        int[] row = cells[chain];
        int sum = 0;
        for (int j = cell; j < cell + chains; j++) {
            sum += row[j];
        }
        return sum;
    }
}
