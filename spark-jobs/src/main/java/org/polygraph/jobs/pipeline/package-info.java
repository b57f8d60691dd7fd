/**
 * From a history to a verdict: the stages in their order, under a budget. Also what such a run will take ({@link
 * org.polygraph.jobs.pipeline.Estimate}), and histories to try ({@link org.polygraph.jobs.pipeline.Generator}).
 *
 * <p>Promise: the same answer whichever engine runs; a budget that runs out is UNKNOWN, never a wrong answer. May
 * import: storage, partitioner, local-solver, verdict, report; no Spark.
 */
@NullMarked
package org.polygraph.jobs.pipeline;

import org.jspecify.annotations.NullMarked;
