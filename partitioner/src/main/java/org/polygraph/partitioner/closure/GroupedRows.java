package org.polygraph.partitioner.closure;

import java.nio.IntBuffer;

/** The rows of all {@link ColumnGroup}s of a graph, side by side. Thread-safe. */
public final class GroupedRows {
    private final int[] firsts;
    private final IntBuffer[][] rows;

    /**
     * Puts them together.
     *
     * @param firsts by group: its first chain; then the number of chains
     * @param rows by group and chain, as {@link ColumnGroup#close} filled them
     */
    public GroupedRows(int[] firsts, IntBuffer[][] rows) {
        this.firsts = firsts;
        this.rows = rows;
    }

    public int chains() {
        return firsts[firsts.length - 1];
    }

    /** Copies the row of an event: by chain, how many of its events strictly reach the event. */
    public void row(int chain, int position, int[] target) {
        for (int g = 0; g < rows.length; g++) {
            int width = firsts[g + 1] - firsts[g];
            rows[g][chain].get(position * width, target, firsts[g], width);
        }
    }

    /** Whether the event at one place strictly reaches the one at the other. */
    public boolean reaches(int fromChain, int fromPosition, int toChain, int toPosition) {
        int g = 0;
        while (firsts[g + 1] <= fromChain) {
            g++;
        }
        int width = firsts[g + 1] - firsts[g];
        return rows[g][toChain].get(toPosition * width + fromChain - firsts[g]) > fromPosition;
    }
}
