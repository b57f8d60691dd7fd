package org.polygraph.jobs.verdict;

import org.jspecify.annotations.Nullable;

/**
 * The evidence behind a verdict.
 *
 * @param kind {@code order} for a PASS, or {@link #CHOICES}; {@code cycle}, {@code proof} or, at level lin, {@code operations} for
 *     a VIOLATION
 * @param path where it was written, relative to the run directory; null if it was only checked
 * @param verified whether independent code replayed it against the raw history
 */
public record Certificate(String kind, @Nullable String path, boolean verified) {
    /** Of RC, RA and CC where values repeat: who read from whom was tried, and no order tells by itself which choice holds. */
    public static final String CHOICES = "choices";
}
