/**
 * The theory of total orders: a dynamic topological order, atoms that are pairs of events, and explanations of cycles.
 *
 * <p>Guarantee: the order always extends every known edge and every edge added; a refused edge closes a cycle and the
 * explanation is that cycle with the fewest added edges. May import: {@code sat}.
 */
@NullMarked
package org.polygraph.solver.theory;

import org.jspecify.annotations.NullMarked;
