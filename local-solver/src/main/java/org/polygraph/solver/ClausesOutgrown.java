package org.polygraph.solver;

/** The clauses have reached their {@link ClauseLimit}: the search ends, and the next one starts from its order. */
final class ClausesOutgrown extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ClausesOutgrown() {
        super(null, null, false, false);
    }
}
