package org.polygraph.jobs.verdict;

import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.storage.analysis.InitialChoice;

/**
 * The assumptions of a verdict.
 *
 * @param initialValue the value of a key before the first transaction, unless a file states it: a {@link Long}, a
 *     {@link String} or null
 * @param uniqueValues whether no two counted writes of a key wrote the same value (nor the initial one)
 * @param clockSkewNanos bound on the difference between any two clients' clocks
 * @param loaders the transactions that load the initial rows
 * @param unbound the number of transactions that real time does not bound, because their start and their end are missing; 0 if real time
 *     is not part of the level
 * @param state the file with the values of keys before the first transaction; null if there is none
 */
public record Assumptions(
        @Nullable Object initialValue,
        boolean uniqueValues,
        TimeMode time,
        long clockSkewNanos,
        IndeterminateMode indeterminate,
        LoadedRows loaders,
        long unbound,
        @Nullable InitialFile state) {
    /** Creates assumptions without loaders, of a level without real time. */
    public Assumptions(
            @Nullable Object initialValue,
            boolean uniqueValues,
            TimeMode time,
            long clockSkewNanos,
            IndeterminateMode indeterminate) {
        this(
                initialValue,
                uniqueValues,
                time,
                clockSkewNanos,
                indeterminate,
                LoadedRows.none(InitialChoice.IMPLICIT),
                0,
                null);
    }

    /** Returns the same with other loaders. */
    public Assumptions with(LoadedRows others) {
        return new Assumptions(initialValue, uniqueValues, time, clockSkewNanos, indeterminate, others, unbound, state);
    }

    /** Returns the same with a file. */
    public Assumptions with(InitialFile file) {
        return new Assumptions(initialValue, uniqueValues, time, clockSkewNanos, indeterminate, loaders, unbound, file);
    }
}
