package org.polygraph.jobs.certificate;

import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/**
 * What evidence is evidence of.
 *
 * @param clockSkewNanos bound on the difference between any two clients' clocks, 0 or more; matters for real time only
 */
public record Terms(Guarantee promise, long clockSkewNanos, IndeterminateMode indeterminate) {
    /** Beyond some 292 / 8 years clocks say nothing. */
    private static final long MOST_SKEW = Long.MAX_VALUE / 8;

    public Terms {
        if (clockSkewNanos < 0) {
            throw new IllegalArgumentException("clock skew " + clockSkewNanos + " ns");
        }
    }

    /** Clocks agree; unknown outcomes are committed if observed. */
    public static Terms of(Guarantee promise) {
        return new Terms(promise, 0, IndeterminateMode.MAYBE);
    }

    /** Whether a transaction of this outcome can be among those that count. */
    boolean mayCount(byte outcome) {
        return outcome == TransactionStatus.COMMITTED.code()
                || (outcome == TransactionStatus.INDETERMINATE.code() && indeterminate == IndeterminateMode.MAYBE);
    }

    /**
     * Whether a transaction that ended then comes before one that started then: strictly earlier, after both intervals are
     * widened by the clock skew. {@link HistoryTable#NO_TIME} bounds nothing.
     */
    boolean precedes(long end, long start) {
        // The difference is unsigned: from end < start on it is right even where it does not fit 63 bits.
        return end != HistoryTable.NO_TIME
                && start != HistoryTable.NO_TIME
                && end < start
                && Long.compareUnsigned(start - end, 2 * Math.min(clockSkewNanos, MOST_SKEW)) > 0;
    }
}
