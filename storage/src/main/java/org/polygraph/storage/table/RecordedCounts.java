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
        if (recorded != null) {
            return recorded.counts();
        }
        return new RecordedCounts(
                table.operations() - table.writes(),
                table.writes(),
                table.keys().size(),
                0,
                0);
    }

    public int operations() {
        return reads + writes;
    }

    /** The operations of each transaction, counted like {@link #operations}. */
    public static int[] ofTransactions(HistoryTable table) {
        HistoryTable plain = table.withoutPredicates();
        int[] counts = new int[table.transactions()];
        Recorded recorded = table.recorded();
        PredicateMarks marks = recorded == null || plain == table ? null : recorded.marks();
        for (int t = 0; t < counts.length; t++) {
            counts[t] = plain.operationsEnd(t) - plain.firstOperation(t);
            for (int mark = marks == null ? 0 : marks.first(t); marks != null && mark < marks.first(t + 1); mark++) {
                counts[t] += Predicates.isOne(marks.code(mark)) ? 1 : 0;
            }
        }
        return counts;
    }
}
