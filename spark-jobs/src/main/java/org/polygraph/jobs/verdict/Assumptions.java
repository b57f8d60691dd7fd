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
 * @param sessionOrder whether session order is part of the level
 * @param needsSessionOrder whether the history keeps a level that it violates, if session order is no part of the level
 * @param unbound the number of transactions that real time does not bound, because their start and their end are missing; 0 if real time
 *     is not part of the level
 * @param versions what became of versions that the database gave
 * @param state the file with the values of keys before the first transaction; null if there is none
 */
public record Assumptions(
        @Nullable Object initialValue,
        boolean uniqueValues,
        TimeMode time,
        long clockSkewNanos,
        IndeterminateMode indeterminate,
        LoadedRows loaders,
        SessionOrder sessionOrder,
        boolean needsSessionOrder,
        long unbound,
        VersionUse versions,
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
                SessionOrder.YES,
                false,
                0,
                VersionUse.USE,
                null);
    }

    /** Returns the same with other loaders. */
    public Assumptions with(LoadedRows others) {
        return with(others, needsSessionOrder, state);
    }

    /** Returns the same with a file. */
    public Assumptions with(InitialFile file) {
        return with(loaders, needsSessionOrder, file);
    }

    /** Returns the same of a VIOLATION that exists only by session order. */
    public Assumptions bySessionOrder() {
        return with(loaders, true, state);
    }

    private Assumptions with(LoadedRows others, boolean bySessions, @Nullable InitialFile file) {
        return new Assumptions(
                initialValue,
                uniqueValues,
                time,
                clockSkewNanos,
                indeterminate,
                others,
                sessionOrder,
                bySessions,
                unbound,
                versions,
                file);
    }
}
