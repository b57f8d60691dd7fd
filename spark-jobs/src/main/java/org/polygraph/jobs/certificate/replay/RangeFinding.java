package org.polygraph.jobs.certificate.replay;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.ContentTree;

/**
 * The findings of a range of (session, index).
 *
 * @param refused whether it cannot be replayed without the whole history, which the caller then reads
 * @param counts of its transactions
 * @param firstSession with {@code lastSession} the labels of its first and last sessions; 0 if it has no transactions
 * @param firstCounted its first counted transaction; null if there is none
 * @param firstSnapshot the place where {@code firstCounted} begins
 * @param lastCounted with {@code lastCommit} the same of the last one
 * @param mismatch the first row of the certificate that does not fit, or null
 * @param status the first transaction that should count and does not, or the reverse, or null
 * @param order the first transaction that is ordered before one that its session ran earlier, or null
 * @param isFirstWrong whether {@code order} is about {@code firstCounted} alone
 */
record RangeFinding(
        int range,
        boolean refused,
        ContentTree content,
        Counts counts,
        long firstSession,
        long lastSession,
        @Nullable Named firstCounted,
        long firstSnapshot,
        @Nullable Named lastCounted,
        long lastCommit,
        @Nullable Sentence mismatch,
        @Nullable Sentence status,
        @Nullable Sentence order,
        boolean isFirstWrong)
        implements Serializable {

    /**
     * Numbers of transactions and of their operations.
     *
     * @param dealt operations of counted transactions
     */
    record Counts(long sessions, long committed, long indeterminate, long counted, long operations, long dealt)
            implements Serializable {}
}
