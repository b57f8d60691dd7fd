/**
 * Saturation: edges and candidate choices that the closure forces.
 *
 * <p>Guarantee: forces only what every explanation has; never guesses. May import: {@code closure}, {@code graph},
 * {@code index}, {@code isolation}.
 */
@NullMarked
package org.polygraph.partitioner.prune;

import org.jspecify.annotations.NullMarked;
