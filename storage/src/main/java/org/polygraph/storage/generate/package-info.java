/**
 * Histories of a simulated multi-version store, for trying and measuring at any size.
 *
 * <p>Guarantee: a {@link org.polygraph.storage.generate.Workload} names one history, row by row, on every machine and in whatever
 * slices: what a transaction does is a hash of the seed and its number, what it reads is found key by key. The
 * store keeps what its level promises but for the anomalies that were asked for. May import: {@code model}, {@code
 * table}.
 */
@NullMarked
package org.polygraph.storage.generate;

import org.jspecify.annotations.NullMarked;
