/**
 * What no rule decides: the keys that the order violates.
 *
 * <p>Guarantee: everything that the solver needs; independent of how it solves. May import: all of partitioner.
 */
@NullMarked
package org.polygraph.partitioner.residual;

import org.jspecify.annotations.NullMarked;
