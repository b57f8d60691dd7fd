/**
 * CC, RA, RC and PL2 as axioms over the commit order: the edges that each demands.
 *
 * <p>Guarantee: adds exactly the edges that the axiom demands of reads with a known writer. May import: {@code
 * closure}, {@code graph}, {@code index}, {@code isolation}, {@code order}.
 */
@NullMarked
package org.polygraph.partitioner.axiom;

import org.jspecify.annotations.NullMarked;
