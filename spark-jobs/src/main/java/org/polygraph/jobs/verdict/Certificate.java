package org.polygraph.jobs.verdict;

import org.jspecify.annotations.Nullable;

/**
 * The evidence behind a verdict.
 *
 * @param kind {@code order} for a PASS, {@code cycle} or {@code proof} for a VIOLATION
 * @param path where it was written, relative to the run directory; null if it was only checked
 * @param verified whether independent code replayed it against the raw history
 */
public record Certificate(String kind, @Nullable String path, boolean verified) {}
