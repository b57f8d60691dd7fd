/**
 * What no rule decides: the keys that the order violates.
 *
 * <p>Guarantee: everything that the solver needs; independent of how it solves. May import: every
 * other package of partitioner but evidence and subhistory.
 */
@NullMarked
package org.polygraph.partitioner.residual;

import org.jspecify.annotations.NullMarked;
