package org.polygraph.jobs.application;

import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Reader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.judge.Verification;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.Check;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Decision;
import org.polygraph.solver.proof.Lrat;
import org.polygraph.solver.proof.Proof;
import org.polygraph.solver.proof.ProofChecker;
import org.polygraph.solver.proof.ProofFormatException;
import org.polygraph.solver.proof.ProofProblem;
import org.polygraph.solver.proof.ProofResult;
import org.polygraph.solver.proof.ProofText;
import org.polygraph.solver.proof.ProofTrace;
import org.polygraph.storage.artifact.AtomicFile;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;

/**
 * Checks the proof of a violation, as {@code check --proof} writes it, against a history.
 *
 * <p>The problem is rebuilt from the history by the index and the rules of a check, and every step of the proof is
 * checked against this problem: the problem in the file has no influence on a proof that is verified. So the answer
 * depends on the reader, the index, the rules and {@link ProofChecker}, but on no solver.
 */
public final class ProofVerification {
    private ProofVerification() {}

    /**
     * Reads a proof.
     *
     * @param name of the file, for messages
     * @throws HistoryException if it is not a proof file
     */
    public static Proof read(String name, Reader file, Budget budget) throws IOException, HistoryException {
        try {
            return ProofText.read(file, budget.bytes() / 4);
        } catch (ProofFormatException e) {
            throw new HistoryException(name + ": " + Failures.text(e));
        }
    }

    /**
     * Checks a proof.
     *
     * @param lratFolder where to write a proof that is accepted as {@link Lrat} does; null for nowhere
     */
    public static Verification.Report of(
            Proof proof, HistoryTable table, CheckRequest request, Budget budget, @Nullable String lratFolder)
            throws IOException {
        Check check = new Check(table, request, budget);
        ProofProblem problem = Decision.problem(check);
        if (problem == null) {
            return rejected("this history is decided without a search at level "
                    + request.level().label() + ", so the proof is of another history or level");
        }
        if (!problem.isOfSameHistory(proof.problem())) {
            return rejected("the proof is of another history or level");
        }
        ProofResult result = lratFolder == null
                ? ProofChecker.check(problem, proof.trace(), budget::exhausted)
                : exported(problem, proof.trace(), lratFolder, budget);
        budget.require();
        List<String> checked = List.of(
                "proof     " + result.step() + " steps: " + result.clauses() + " clauses of reads, " + result.lemmas()
                        + " cycles, " + result.learnt() + " clauses derived",
                "problem   rebuilt from the history by its index and rules; no solver took part");
        if (result.accepted()) {
            return new Verification.Report(Verification.Answer.VERIFIED, "", checked);
        }
        return problem.hasSameEdges(proof.problem())
                ? new Verification.Report(Verification.Answer.REJECTED, result.message(), checked)
                : new Verification.Report(
                        Verification.Answer.UNDECIDED,
                        "the proof assumes other edges than the rules find here, which depends on memory; "
                                + result.message(),
                        checked);
    }

    private static ProofResult exported(ProofProblem problem, ProofTrace trace, String folder, Budget budget)
            throws IOException {
        Location target = Location.of(folder);
        try (AtomicFile cnf = target.child("proof.cnf").create();
                AtomicFile lrat = target.child("proof.lrat").create()) {
            Writer clauses = new OutputStreamWriter(cnf.stream(), StandardCharsets.US_ASCII);
            Writer derivations = new OutputStreamWriter(lrat.stream(), StandardCharsets.US_ASCII);
            ProofResult result = Lrat.write(problem, trace, clauses, derivations, budget::exhausted);
            if (result.accepted()) {
                clauses.flush();
                derivations.flush();
                cnf.commit();
                lrat.commit();
            }
            return result;
        } catch (IOException e) {
            throw new IOException(
                    folder + ": the proof cannot be written there (" + Failures.cause(e) + "); give another folder", e);
        }
    }

    private static Verification.Report rejected(String reason) {
        return new Verification.Report(Verification.Answer.REJECTED, reason, List.of());
    }
}
