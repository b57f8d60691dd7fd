/**
 * Isolation levels, the ways to violate them, and the evidence of a violation.
 *
 * <p>Guarantee: definitions only, each with its source. May import: the JDK.
 */
@NullMarked
package org.polygraph.partitioner.isolation;

import org.jspecify.annotations.NullMarked;
