package org.polygraph.jobs.certificate.replay;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.ContentTree;

/**
 * The findings of a range of (session, index).
 *
 * @param refused whether it cannot be replayed without the whole history, which the caller then reads
 * @param counts of its transactions
 * @param times the counts of {@link org.polygraph.storage.table.RecordedTimes}
 * @param firstSession with {@code lastSession} the labels of its first and last sessions; 0 if it has no transactions
 * @param first its first counted transaction, at the place where it begins; null if there is none
 * @param last its last counted transaction, at the place where it commits; null if there is none
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record RangeFinding(
        int range,
        boolean refused,
        ContentTree content,
        Counts counts,
        long[] times,
        long firstSession,
        long lastSession,
        @Nullable Placed first,
        @Nullable Placed last,
        Faults faults)
        implements Serializable {

    /** A transaction and the place of one of its events. */
    record Placed(Named transaction, long place) implements Serializable {}

    /**
     * The first fault of each kind, or null.
     *
     * @param mismatch a row of the certificate that does not fit
     * @param status a transaction that should count and does not, or the reverse
     * @param order a transaction that is ordered before one that its session ran earlier
     * @param isFirst whether {@code order} is about the first counted transaction alone
     */
    record Faults(
            @Nullable Sentence mismatch,
            @Nullable Sentence status,
            @Nullable Sentence order,
            boolean isFirst) implements Serializable {}

    /**
     * Numbers of transactions and of their operations.
     *
     * @param dealt operations of counted transactions
     */
    record Counts(long sessions, long committed, long indeterminate, long counted, long operations, long dealt)
            implements Serializable {}
}
