/**
 * Finds, for a history in memory and one level, an order that explains it or a violation, under a budget.
 *
 * <p>Guarantee: every engine gives the same answer; an exhausted budget gives UNKNOWN, never a wrong answer. May
 * import: storage, partitioner, local-solver, certificate, verdict, estimate; no Spark.
 */
@NullMarked
package org.polygraph.jobs.decision;

import org.jspecify.annotations.NullMarked;
