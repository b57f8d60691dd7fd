package org.polygraph.jobs.pipeline;

import org.polygraph.jobs.certificate.IndeterminateMode;
import org.polygraph.jobs.verdict.Assumptions;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.columnar.HistoryTable;
import org.polygraph.storage.columnar.ValueDictionary;

/**
 * What to decide. Budgets are not part of it: they change whether there is an answer, never which.
 *
 * @param clockSkewNanos bound on the difference between any two clients' clocks; not negative
 */
public record CheckRequest(IsolationLevel level, TimeMode time, long clockSkewNanos, IndeterminateMode indeterminate) {
    public CheckRequest {
        if (clockSkewNanos < 0) {
            throw new IllegalArgumentException("clock skew " + clockSkewNanos + " ns");
        }
    }

    /** Without timestamps, unknown outcomes committed if observed. */
    public static CheckRequest of(IsolationLevel level) {
        return new CheckRequest(level, TimeMode.NONE, 0, IndeterminateMode.MAYBE);
    }

    /** What a verdict on this history holds under. */
    public Assumptions assumptions(HistoryTable table, boolean uniqueValues) {
        ValueDictionary values = table.values();
        long code = table.initialValue();
        Object initial =
                values.isNull(code) ? null : values.isInteger(code) ? (Object) values.integer(code) : values.text(code);
        return new Assumptions(initial, uniqueValues, time, clockSkewNanos, indeterminate);
    }
}
