/**
 * Whole checks, measured: CPU time a stage and peak memory.
 *
 * <p>Promise: the engine as it is used, with no clock inside that is not there for users. May import: {@code data},
 * storage, partitioner, spark-jobs.
 */
@NullMarked
package org.polygraph.benchmarks.pipeline;

import org.jspecify.annotations.NullMarked;
