/**
 * Decides whether some total order of events explains every read: {@link org.polygraph.solver.Polygraph} in, {@link
 * org.polygraph.solver.Outcome} out.
 *
 * <p>And whether some writers of reads and an order of commits obey an axiom: {@link
 * org.polygraph.solver.CommitProblem} in, {@link org.polygraph.solver.CommitOutcome} out. The caller checks the answer.
 *
 * <p>Guarantee: a satisfiable answer was checked from scratch before it is returned; an unsatisfiable one follows from
 * the clauses it names; any other answer is unknown, with a reason. May import: {@code sat}, {@code theory}, {@code
 * proof}.
 */
@NullMarked
package org.polygraph.solver;

import org.jspecify.annotations.NullMarked;
