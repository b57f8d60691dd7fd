package org.polygraph.solver.proof;

/** A problem and its refutation, as one file holds them. */
public record Proof(ProofProblem problem, ProofTrace trace) {}
