/**
 * Index, closure and rules for slices of keys and groups of chains, computed in processes that do not have the history.
 * Only the Spark engine uses them.
 *
 * <p>Guarantee: the merged result equals that of {@code index}, {@code closure} and {@code prune} on the whole history.
 * May import: {@code order} and all packages that it may import.
 */
@NullMarked
package org.polygraph.partitioner.sliced;

import org.jspecify.annotations.NullMarked;
