package org.polygraph.storage.table;

/**
 * The size of a history as it was recorded, without the operations and keys that express predicates. A row that a
 * predicate returned or wrote is a read or a write, and so is a predicate itself.
 */
public record RecordedCounts(int reads, int writes, int keys) {
    public static RecordedCounts of(HistoryTable table) {
        Recorded recorded = table.recorded();
        if (recorded != null) {
            return recorded.counts();
        }
        return new RecordedCounts(
                table.operations() - table.writes(),
                table.writes(),
                table.keys().size());
    }
}
