/**
 * Index, closure and rules in slices of keys or groups of chains, computed apart from the history: only the Spark engine uses them.
 *
 * <p>Guarantee: what is put together from slices equals what {@code index}, {@code closure} and {@code prune} compute at once. May
 * import: {@code order} and all packages that it may import.
 */
@NullMarked
package org.polygraph.partitioner.sliced;

import org.jspecify.annotations.NullMarked;
