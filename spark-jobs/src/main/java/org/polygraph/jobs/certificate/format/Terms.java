package org.polygraph.jobs.certificate.format;

import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/**
 * What evidence is evidence of.
 *
 * @param clockSkewNanos bound on the difference between any two clients' clocks, 0 or more; matters for real time only
 */
public record Terms(Guarantee promise, long clockSkewNanos, IndeterminateMode indeterminate) {
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
    public boolean mayCount(byte outcome) {
        return outcome == TransactionStatus.COMMITTED.code()
                || (outcome == TransactionStatus.INDETERMINATE.code() && indeterminate == IndeterminateMode.MAYBE);
    }

    /**
     * Whether a transaction that ended at {@code end} precedes one that started at {@code start} in real time: iff end + clock
     * skew < start. {@link HistoryTable#NO_TIME} bounds nothing.
     */
    public boolean precedes(long end, long start) {
        // The difference is unsigned: from end < start on it is right even where it does not fit 63 bits.
        return end != HistoryTable.NO_TIME
                && start != HistoryTable.NO_TIME
                && end < start
                && Long.compareUnsigned(start - end, clockSkewNanos) > 0;
    }
}
