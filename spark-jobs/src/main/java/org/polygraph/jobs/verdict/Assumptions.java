package org.polygraph.jobs.verdict;

import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.IndeterminateMode;

/**
 * The assumptions of a verdict.
 *
 * @param initialValue the value of every key before the first transaction: a {@link Long}, a {@link String} or null
 * @param uniqueValues whether no two counted writes of a key wrote the same value (nor the initial one)
 * @param clockSkewNanos bound on the difference between any two clients' clocks
 */
public record Assumptions(
        @Nullable Object initialValue,
        boolean uniqueValues,
        TimeMode time,
        long clockSkewNanos,
        IndeterminateMode indeterminate) {}
