package org.polygraph.jobs.certificate.format;

import java.io.Serializable;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/**
 * What evidence has to show: the guarantee and the assumptions under which it holds.
 *
 * @param clockSkewNanos bound on the difference between any two clients' clocks, 0 or more; used for real time only
 */
public record Terms(Guarantee guarantee, long clockSkewNanos, IndeterminateMode indeterminate) implements Serializable {
    private static final long serialVersionUID = 1L;

    public Terms {
        if (clockSkewNanos < 0) {
            throw new IllegalArgumentException("clock skew " + clockSkewNanos + " ns");
        }
    }

    /** Terms without clock skew, in which indeterminate transactions count if they were read from. */
    public static Terms of(Guarantee guarantee) {
        return new Terms(guarantee, 0, IndeterminateMode.MAYBE);
    }

    /** Whether a transaction of this status may count. */
    public boolean mayCount(byte status) {
        return status == TransactionStatus.COMMITTED.code()
                || (status == TransactionStatus.INDETERMINATE.code() && indeterminate == IndeterminateMode.MAYBE);
    }

    /**
     * Whether a transaction that ended at {@code end} precedes one that started at {@code start} in real time: iff end
     * + clock skew < start. {@link HistoryTable#NO_TIME} bounds nothing.
     */
    public boolean precedes(long end, long start) {
        // As end < start, the unsigned difference is right even if it does not fit 63 bits.
        return end != HistoryTable.NO_TIME
                && start != HistoryTable.NO_TIME
                && end < start
                && Long.compareUnsigned(start - end, clockSkewNanos) > 0;
    }
}
