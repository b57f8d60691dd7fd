package org.polygraph.storage.table;

/**
 * What a table of reads and writes that stand for lists was made from.
 *
 * @param versions the versions of the recorded lists
 * @param origin by operation: the recorded one that it stands for, or that implies it
 * @param isOfCommits whether the table has the form of PC, CC, RA, RC and PL2, see {@link ListReduction#ofCommits}
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record ListReduced(ListVersions versions, int[] origin, boolean isOfCommits) {
    /** The same form of other recorded operations. */
    HistoryTable of(HistoryTable recorded) {
        return isOfCommits ? ListReduction.ofCommits(recorded) : ListReduction.of(recorded);
    }

    /** The same operations for recorded transactions with other outcomes. */
    ListReduced with(HistoryTable recorded) {
        return new ListReduced(recorded.recordedVersions(), origin, isOfCommits);
    }
}
