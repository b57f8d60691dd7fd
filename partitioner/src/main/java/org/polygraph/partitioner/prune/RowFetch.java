package org.polygraph.partitioner.prune;

import org.polygraph.partitioner.closure.ChainClocks;
import org.polygraph.partitioner.closure.ClockRows;

/**
 * Brings clock rows into the cache before the rules compare their cells. The rules read rows at random, far more bytes
 * than any cache holds, with comparisons in between that keep the processor from running ahead; reading a word of every
 * cache line of all of a key's rows first, with nothing in between, lets the memory serve them side by side.
 */
final class RowFetch {
    private final ClockRows rows;
    private final int chains;
    /** Keeps the compiler from leaving the reads out. */
    @SuppressWarnings("UnusedVariable")
    private int sum;

    RowFetch(ChainClocks clocks) {
        this.rows = clocks.rows();
        this.chains = clocks.chains();
    }

    /** Whether so many cells of a row are going to be compared that most of its lines are needed. */
    boolean pays(int cellsCompared) {
        return cellsCompared * rows.cellsOfLine() >= chains;
    }

    /** Fetches the row that begins at the cell. */
    void fetch(int chain, int cell) {
        sum += rows.touch(chain, cell);
    }
}
