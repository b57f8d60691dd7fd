package org.polygraph.solver;

/** Clauses have reached their {@link ClauseLimit}: the search is abandoned, its order is not. */
final class ClausesOutgrown extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ClausesOutgrown() {
        super(null, null, false, false);
    }
}
