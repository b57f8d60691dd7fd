package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.ints.Int2ObjectMap;
import it.unimi.dsi.fastutil.ints.IntLinkedOpenHashSet;
import it.unimi.dsi.fastutil.ints.IntOpenHashSet;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Selects {@link NecessaryReads} of a history with writes of unknown rows, step by step, until no serial order explains them. An order of
 * those that are selected is replayed on the history as it was recorded. What it does not explain is selected too.
 */
public final class SerialRefinement implements OrderReplay.Wrong {
    private final HistoryTable raw;
    private final Predicates predicates;
    private final Int2ObjectMap<IntLinkedOpenHashSet> rows;
    private final IntOpenHashSet open;
    private final NecessaryReads reads;
    private final BooleanSupplier stop;
    private FoundWriters found;
    private boolean hasMore;

    /** @param few the most rows times conditions that are all selected at first */
    SerialRefinement(
            HistoryTable raw,
            Predicates predicates,
            Int2ObjectMap<IntLinkedOpenHashSet> rows,
            IntOpenHashSet open,
            NecessaryReads reads,
            long few,
            BooleanSupplier stop) {
        this.raw = raw;
        this.predicates = predicates;
        this.rows = rows;
        this.open = open;
        this.reads = reads;
        this.stop = stop;
        this.found = new FoundWriters(raw.transactions());
        if ((long) predicates.conditions() * raw.keys().size() <= few) {
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
        found = new FoundWriters(raw.transactions());
        return new OrderReplay(raw, predicates, rows, open, this).run(counted, position, stop) && hasMore;
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
