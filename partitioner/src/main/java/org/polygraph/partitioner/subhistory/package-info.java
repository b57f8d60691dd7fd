/**
 * Minimal sub-histories that violate a level: which operations imply something about the whole history, where to
 * start and how to shrink.
 *
 * <p>Guarantee: a sub-history is closed ({@link org.polygraph.partitioner.subhistory.ReadSources}), and the judge
 * found that it violates. May import: isolation, index, evidence.
 */
@NullMarked
package org.polygraph.partitioner.subhistory;

import org.jspecify.annotations.NullMarked;
