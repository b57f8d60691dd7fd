/**
 * Estimates the memory, disk space and CPU time of a check from the counts of its history.
 *
 * <p>Guarantee: skewed keys, repeated values and search may take more CPU than estimated, never more memory. May
 * import: storage, partitioner.
 */
@NullMarked
package org.polygraph.jobs.estimate;

import org.jspecify.annotations.NullMarked;
