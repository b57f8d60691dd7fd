/**
 * Refutations that can be checked: a trace of a solver's steps, also as text, and a checker that knows no solver.
 *
 * <p>Guarantee: a trace that {@link org.polygraph.solver.proof.ProofChecker} accepts shows that the problem has no
 * order, independent of its writer; the checker uses nothing of the solver but the trace. May import: {@code sat}, and
 * of that only {@link org.polygraph.solver.sat.ProofSink}, which the trace implements.
 */
@NullMarked
package org.polygraph.solver.proof;

import org.jspecify.annotations.NullMarked;
