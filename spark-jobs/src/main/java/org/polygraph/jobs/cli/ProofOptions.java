package org.polygraph.jobs.cli;

import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.application.Failures;
import org.polygraph.jobs.application.ProofVerification;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.certificate.judge.Verification;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.solver.proof.Proof;
import org.polygraph.storage.analysis.InitialChoice;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import picocli.CommandLine.Option;

/** The proof that {@code verify --proof} checks, and how its check was asked for. */
final class ProofOptions {
    @Option(
            names = "--proof",
            paramLabel = "FILE",
            description = "A proof that check --proof wrote; the only other parameter is the history.")
    private @Nullable String proof;

    @Option(
            names = "--export-lrat",
            paramLabel = "DIR",
            description = "With --proof: write proof.cnf and proof.lrat there, for lrat-check or cake_lpr.")
    private @Nullable String lratFolder;

    @Option(
            names = {"-l", "--level"},
            paramLabel = "LEVEL",
            converter = LevelConverter.class,
            completionCandidates = LevelConverter.Candidates.class,
            description = "With --proof: the level that the proof refutes: sser, ser, ssi or si.")
    private Levels levels = Levels.NONE;

    @Option(
            names = "--clock-skew",
            paramLabel = "DUR",
            converter = Converters.DurationNanos.class,
            description = "With --proof: as given to check.")
    private long clockSkewNanos;

    @Option(names = "--indeterminate", paramLabel = "MODE", description = "With --proof: as given to check.")
    private IndeterminateMode indeterminate = IndeterminateMode.MAYBE;

    @Option(
            names = "--initial",
            paramLabel = "WHICH",
            converter = Converters.Initial.class,
            description = "With --proof: as given to check.")
    private InitialChoice initial = InitialChoice.AUTO;

    boolean isGiven() {
        return proof != null;
    }

    /** Returns what is wrong with the options, or null. */
    @Nullable
    String conflict(boolean hasPath) {
        if (proof == null) {
            return lratFolder == null ? null : "--export-lrat writes the proof that --proof names; give --proof FILE";
        }
        return hasPath
                        || levels.areSeveral()
                        || levels.strongestFirst().stream().allMatch(IsolationLevel::isAxiom)
                ? "--proof needs one PATH, and one level with -l: sser, ser, ssi or si"
                : null;
    }

    IsolationLevel level() {
        return levels.strongestFirst().get(0);
    }

    Verification.Report verify(HistoryTable read, Budget budget) throws IOException, HistoryException {
        String file = proof;
        if (file == null) {
            throw new IllegalStateException("there is no proof");
        }
        CheckRequest request = new CheckRequest(
                level(), TimeMode.HINT, clockSkewNanos, indeterminate, initial, true, CheckRequest.DEFAULT_VIOLATIONS);
        HistoryTable table = request.loaders(read).applied();
        Proof given;
        try (Reader in = new InputStreamReader(Location.of(file).open(), StandardCharsets.US_ASCII)) {
            given = ProofVerification.read(file, in, budget);
        } catch (IOException e) {
            throw new IOException(Failures.ofPath(file, e), e);
        }
        return ProofVerification.of(given, table, request, budget, lratFolder);
    }
}
