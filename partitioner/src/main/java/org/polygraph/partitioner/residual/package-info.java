/**
 * What no rule decides: the keys that the order violates.
 *
 * <p>Promise: everything the solver needs and nothing of how it solves. May import: all of partitioner.
 */
@NullMarked
package org.polygraph.partitioner.residual;

import org.jspecify.annotations.NullMarked;
