package org.polygraph.storage.table;

import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Selects {@link NecessaryReads} of a history with writes of unknown rows, step by step, until no serial order explains
 * them. An order that explains the selected ones is replayed on the history as it was recorded. What it does not
 * explain is selected too.
 */
public final class SerialRefinement implements OrderReplay.Wrong {
    private final KnownRows known;
    private final NecessaryReads reads;
    private final BooleanSupplier stop;
    private FoundWriters found = new FoundWriters(0);
    private boolean hasMore;

    /** @param few the most rows times conditions that are all selected at first */
    SerialRefinement(KnownRows known, NecessaryReads reads, long few, BooleanSupplier stop) {
        this.known = known;
        this.reads = reads;
        this.stop = stop;
        if ((long) known.predicates().conditions() * known.raw().keys().size() <= few) {
            reads.selectAll();
        }
    }

    /** The history of the reads that are selected; null if it would be too large, or if this was stopped. */
    public @Nullable HistoryTable table() {
        return reads.table(stop);
    }

    /** Replays an order of transactions. @return whether further reads were selected */
    public boolean replay(boolean[] counted, int[] position) {
        hasMore = false;
        found = new FoundWriters(known.raw().transactions());
        return new OrderReplay(known, this).run(counted, position, stop) && hasMore;
    }

    @Override
    public void read(int t, int row, long value, int writer) {
        hasMore |= found.isNeeded(t, writer) && reads.selectVersion(row, value);
    }

    @Override
    public void match(int t, int condition, int row, int writer) {
        hasMore |= found.isNeeded(t, writer) && reads.selectPair(condition, row);
    }
}
