/**
 * Histories of a simulated multi-version store, for trying and measuring at any size.
 *
 * <p>Promise: a {@link org.polygraph.storage.generate.Workload} names one history, row by row, on every machine and however
 * the work is cut: what a transaction does is a hash of the seed and its number, what it reads is found key by key. The
 * store keeps what its level promises but for the anomalies that were asked for. May import: {@code model}, {@code
 * table}.
 */
@NullMarked
package org.polygraph.storage.generate;

import org.jspecify.annotations.NullMarked;
