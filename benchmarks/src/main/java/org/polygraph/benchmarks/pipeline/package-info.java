/**
 * Measurements of whole checks: CPU time of each phase and peak memory, and the files that hold them.
 *
 * <p>Guarantee: the measured engine is the one that users run; no clocks are added to it. May import: {@code data},
 * storage, partitioner, spark-jobs, Spark's CSV parser.
 */
@NullMarked
package org.polygraph.benchmarks.pipeline;

import org.jspecify.annotations.NullMarked;
