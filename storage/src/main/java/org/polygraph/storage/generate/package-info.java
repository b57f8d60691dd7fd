/**
 * Generates histories of a simulated multi-version store, for trials and measurements at any size.
 *
 * <p>Guarantee: a {@link org.polygraph.storage.generate.Workload} defines one history, row by row, on every machine and
 * for any division into slices. What a transaction does is a hash of the seed and its number; what it reads is found
 * key by key. The store has the guarantees of its level, except for the anomalies that were asked for. May import:
 * {@code model}, {@code table}.
 */
@NullMarked
package org.polygraph.storage.generate;

import org.jspecify.annotations.NullMarked;
