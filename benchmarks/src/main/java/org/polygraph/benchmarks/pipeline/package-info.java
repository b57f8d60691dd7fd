/**
 * Measurements of whole checks: CPU time of each phase and peak memory.
 *
 * <p>Guarantee: the measured engine is the one that users run; no clocks are added to it. May import: {@code data},
 * storage, partitioner, local-solver, spark-jobs.
 */
@NullMarked
package org.polygraph.benchmarks.pipeline;

import org.jspecify.annotations.NullMarked;
