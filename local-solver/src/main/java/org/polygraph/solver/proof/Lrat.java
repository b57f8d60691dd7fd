package org.polygraph.solver.proof;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.function.BooleanSupplier;

/**
 * Writes a proof for checkers of other authors: the admitted clauses as DIMACS, and the derived ones as LRAT (Cruz-Filipe,
 * Heule, Hunt, Kaufmann, Schneider-Kamp, CADE 2017), where each clause names the clauses that it follows from.
 *
 * <p>For example {@code lrat-check proof.cnf proof.lrat} prints {@code VERIFIED}. This shows that the clauses of the
 * DIMACS file have no solution. That each of them is true of the history is what {@link ProofChecker} checks.
 */
public final class Lrat {
    private final Appendable cnf;
    private final Appendable lrat;

    /** Of clauses: those of the DIMACS file count from 1, the derived ones after all of them. */
    private int lastAxiom;

    private int lastDerived;

    private Lrat(Appendable cnf, Appendable lrat, int axioms) {
        this.cnf = cnf;
        this.lrat = lrat;
        lastDerived = axioms;
    }

    /**
     * Checks a proof and writes it. What was written is complete only if the proof is accepted.
     *
     * @param stop polled at each step; true ends the check, and the proof is not accepted
     */
    public static ProofResult write(
            ProofProblem problem, ProofTrace trace, Appendable cnf, Appendable lrat, BooleanSupplier stop)
            throws IOException {
        int variables = 0;
        int axioms = 0;
        ProofTrace.Cursor cursor = new ProofTrace.Cursor(trace);
        while (cursor.next()) {
            switch (cursor.kind()) {
                case ProofTrace.EDGE, ProofTrace.BRACKET, ProofTrace.COMMIT -> variables++;
                case ProofTrace.READ, ProofTrace.OVERLAP, ProofTrace.DEFINITION, ProofTrace.LEMMA -> axioms++;
                default -> {
                    // The other steps derive or delete clauses.
                }
            }
        }
        cnf.append("p cnf " + variables + " " + axioms + "\n");
        try {
            return ProofChecker.check(problem, trace, stop, new Lrat(cnf, lrat, axioms));
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /** Writes a clause of the DIMACS file and returns its number. */
    int axiom(int[] literals, int size) {
        try {
            line(cnf, literals, size);
            cnf.append('\n');
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return ++lastAxiom;
    }

    /** Writes a clause that follows by unit propagation from those of the hints, in their order; returns its number. */
    int derived(int[] literals, int size, int[] hints, int hintCount) {
        try {
            lrat.append(Integer.toString(++lastDerived)).append(' ');
            line(lrat, literals, size);
            for (int i = 0; i < hintCount; i++) {
                lrat.append(' ').append(Integer.toString(hints[i]));
            }
            lrat.append(" 0\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return lastDerived;
    }

    void deleted(int clause) {
        try {
            lrat.append(lastDerived + " d " + clause + " 0\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void line(Appendable out, int[] literals, int size) throws IOException {
        for (int i = 0; i < size; i++) {
            int variable = (literals[i] >> 1) + 1;
            out.append(Integer.toString((literals[i] & 1) == 0 ? variable : -variable))
                    .append(' ');
        }
        out.append('0');
    }
}
