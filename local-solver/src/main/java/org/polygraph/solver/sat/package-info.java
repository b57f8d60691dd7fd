/**
 * Conflict-driven clause learning over an arena of clauses, with a hook for a theory.
 *
 * <p>Guarantee: sound and complete for any theory that keeps {@link org.polygraph.solver.sat.Theory}'s rules; clauses
 * may be added in any state of the search; knows nothing of histories. May import: the JDK.
 */
@NullMarked
package org.polygraph.solver.sat;

import org.jspecify.annotations.NullMarked;
