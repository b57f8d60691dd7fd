package org.polygraph.jobs.jdbc;

/**
 * How an application is recorded.
 *
 * @param readBack whether a query by primary key, in the same transaction, follows an update or an insert whose values
 *     the statement does not show
 * @param hashValues whether values and primary keys are replaced by keyed hashes
 * @param maxRows the most rows of a table at the beginning; a larger table is not recorded
 */
public record RecordingOptions(boolean readBack, boolean hashValues, int maxRows) {
    /** No further queries, values as they are, tables of at most 100,000 rows. */
    public static final RecordingOptions DEFAULT = new RecordingOptions(false, false, 100_000);

    /** With a query after a statement that does not show what it writes. */
    public static final RecordingOptions READ_BACK = new RecordingOptions(true, false, DEFAULT.maxRows);
}
