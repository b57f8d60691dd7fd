/**
 * Experiments: grids of histories, levels and settings, each measured in a JVM of its own; tables and plots of them.
 *
 * <p>Promise: a CSV says all that its tables and plots show, and the same CSV gives the same bytes. May import: {@code
 * data}, {@code pipeline}, storage, partitioner, local-solver's options, spark-jobs.
 */
@NullMarked
package org.polygraph.benchmarks.experiment;

import org.jspecify.annotations.NullMarked;
