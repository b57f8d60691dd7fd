package org.polygraph.solver.proof;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
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
    /** By clause in the order of the trace: its number in the files. */
    private int[] numbers = new int[64];

    private int clauses;

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

    /** Writes a clause of the DIMACS file: {@code literals[from..to)}. */
    void axiom(int[] literals, int from, int to) {
        try {
            line(cnf, literals, from, to);
            cnf.append('\n');
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        number(++lastAxiom);
    }

    /** Writes a clause, {@code step[from..to)}, that follows from the clauses {@code step[to..end)}, in their order. */
    void derived(int[] step, int from, int to, int end) {
        try {
            lrat.append(Integer.toString(++lastDerived)).append(' ');
            line(lrat, step, from, to);
            for (int i = to; i < end; i++) {
                lrat.append(' ').append(Integer.toString(numbers[step[i]]));
            }
            lrat.append(" 0\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        number(lastDerived);
    }

    private void number(int inFiles) {
        numbers = clauses == numbers.length ? Arrays.copyOf(numbers, 2 * clauses) : numbers;
        numbers[clauses++] = inFiles;
    }

    void deleted(int clause) {
        try {
            lrat.append(lastDerived + " d " + numbers[clause] + " 0\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void line(Appendable out, int[] literals, int from, int to) throws IOException {
        for (int i = from; i < to; i++) {
            int variable = (literals[i] >> 1) + 1;
            out.append(Integer.toString((literals[i] & 1) == 0 ? variable : -variable))
                    .append(' ');
        }
        out.append('0');
    }
}
