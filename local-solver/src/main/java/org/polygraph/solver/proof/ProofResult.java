package org.polygraph.solver.proof;

/**
 * The result of checking a trace.
 *
 * @param accepted whether the trace refutes the problem
 * @param step the step at which the check ended, counted from 1; 0 when it ended before the first
 * @param message why the trace is not accepted: the step, its content and what is missing; empty if accepted
 * @param clauses clauses of the problem that were justified
 * @param learnt clauses derived from others
 */
public record ProofResult(boolean accepted, long step, String message, long clauses, long lemmas, long learnt) {}
