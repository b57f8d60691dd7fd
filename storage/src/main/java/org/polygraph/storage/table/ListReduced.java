package org.polygraph.storage.table;

/**
 * What a table of reads and writes that stand for lists was made from.
 *
 * @param versions the versions of the recorded lists
 * @param isOfCommits whether the table has the form of RC, RA and CC, see {@link ListReduction#ofCommits}
 */
record ListReduced(ListVersions versions, boolean isOfCommits) {
    /** The same for other transactions or operations. */
    ListReduced with(HistoryTable recorded) {
        return new ListReduced(ListVersions.of(recorded), isOfCommits);
    }
}
