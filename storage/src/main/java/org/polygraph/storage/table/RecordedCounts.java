package org.polygraph.storage.table;

/**
 * The size of a history as it was recorded, without the operations and keys that express predicates. A row that a
 * predicate returned or wrote is a read or a write, and so is a predicate itself.
 *
 * @param queries the reads that are predicates
 * @param predicateWrites the writes that are predicates
 */
public record RecordedCounts(int reads, int writes, int keys, int queries, int predicateWrites) {
    public static RecordedCounts of(HistoryTable table) {
        Recorded recorded = table.recorded();
        if (recorded == null) {
            return new RecordedCounts(
                    table.operations() - table.writes(),
                    table.writes(),
                    table.keys().size(),
                    0,
                    0);
        }
        Operations all = recorded.operations();
        int[] counts = new int[4];
        for (int o = 0; o < all.size(); o++) {
            long code = all.values()[o];
            if (Predicates.isOne(code)) {
                counts[recorded.predicates().isRead(Predicates.number(code)) ? 2 : 3]++;
            } else if (!Predicates.isRow(code)) {
                counts[Operations.isWrite(all.keys()[o]) ? 1 : 0]++;
            }
        }
        return new RecordedCounts(
                counts[0] + counts[2], counts[1] + counts[3], recorded.keyCount(), counts[2], counts[3]);
    }

    public int operations() {
        return reads + writes;
    }

    /** The operations of each transaction, counted like {@link #operations}. */
    public static int[] ofTransactions(HistoryTable table) {
        Recorded recorded = table.recorded();
        Operations all = recorded == null ? table.allOperations() : recorded.operations();
        int[] counts = new int[table.transactions()];
        for (int t = 0; t < counts.length; t++) {
            for (int o = all.starts()[t]; o < all.starts()[t + 1]; o++) {
                counts[t] += Predicates.isRow(all.values()[o]) ? 0 : 1;
            }
        }
        return counts;
    }
}
