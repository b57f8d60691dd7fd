package org.polygraph.solver;

/** Certain reachability between events over the known edges. */
@FunctionalInterface
public interface Reachability {
    /** Whether every order that extends the known edges has {@code from} before {@code to}; false when not known. */
    boolean reaches(int from, int to);
}
