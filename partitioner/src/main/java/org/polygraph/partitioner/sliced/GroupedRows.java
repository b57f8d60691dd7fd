package org.polygraph.partitioner.sliced;

import java.nio.IntBuffer;
import org.polygraph.partitioner.graph.Events;

/** The rows of all {@link ColumnGroup}s of a graph, side by side. Thread-safe. */
public final class GroupedRows implements SlicedClosure {
    private final int[] chainStarts;
    private final int[] firsts;
    private final IntBuffer[][] rows;

    /**
     * Joins the rows of all groups.
     *
     * @param chainStarts the first event of each chain, and the number of events
     * @param firsts the first chain of each group, then the number of chains
     * @param rows by group and chain, as {@link ColumnGroup#close} filled them
     */
    public GroupedRows(int[] chainStarts, int[] firsts, IntBuffer[][] rows) {
        this.chainStarts = chainStarts;
        this.firsts = firsts;
        this.rows = rows;
    }

    @Override
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

    @Override
    public boolean reaches(int a, int b) {
        int fromChain = Events.chainOf(chainStarts, a);
        int toChain = Events.chainOf(chainStarts, b);
        int g = 0;
        while (firsts[g + 1] <= fromChain) {
            g++;
        }
        int width = firsts[g + 1] - firsts[g];
        return rows[g][toChain].get((b - chainStarts[toChain]) * width + fromChain - firsts[g])
                > a - chainStarts[fromChain];
    }
}
