/**
 * Experiments: grids of histories, levels and settings, each measured in a JVM of its own, and their tables.
 *
 * <p>Guarantee: a CSV contains all that its tables show. May import: {@code data}, {@code pipeline}, storage,
 * partitioner, local-solver's options, spark-jobs.
 */
@NullMarked
package org.polygraph.benchmarks.experiment;

import org.jspecify.annotations.NullMarked;
