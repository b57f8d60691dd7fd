/**
 * Refutations that can be checked: a trace of what a solver did, as text too, and a checker that knows no solver.
 *
 * <p>Promise: a trace that {@link org.polygraph.solver.proof.ProofChecker} accepts shows that the problem has no order,
 * whoever wrote it; the checker uses nothing of the solver but the trace. May import: {@code sat}, and of that only
 * {@link org.polygraph.solver.sat.ProofSink}, which the trace implements.
 */
@NullMarked
package org.polygraph.solver.proof;

import org.jspecify.annotations.NullMarked;
