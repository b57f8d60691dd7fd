package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.solver.proof.Proof;
import org.polygraph.solver.proof.ProofChecker;
import org.polygraph.solver.proof.ProofText;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryWriter;
import org.polygraph.storage.testkit.Formula;

/** {@code check --proof}. */
class ProofFileTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    @Test
    void aRefutationBySearchIsWrittenAndChecks() throws IOException {
        String history = folder.resolve("pigeons.jsonl").toString();
        HistoryWriter.write(Formula.pigeons(4, 3).history("pigeons"), history, HistoryFormat.JSONL);
        Path proof = folder.resolve("proof.txt");
        InProcess check = InProcess.run("check", "-q", "-l", "ser", "--proof", proof.toString(), history);
        assertThat(check.exitCode()).as(check.toString()).isEqualTo(3);
        try (Reader in = Files.newBufferedReader(proof)) {
            Proof read = ProofText.read(in, 1 << 26);
            assertThat(ProofChecker.check(read.problem(), read.trace()).accepted())
                    .isTrue();
        }
        try (var files = Files.list(folder)) {
            assertThat(files).hasSize(2);
        }
    }

    @Test
    void whatNeedsNoSearchHasNone() {
        Path proof = folder.resolve("proof.txt");
        String examples = Command.ROOT.resolve("spark-jobs/examples").toString();
        InProcess skew =
                InProcess.run("check", "-q", "-l", "ser", "--proof", proof.toString(), examples + "/write-skew.jsonl");
        assertThat(skew.exitCode()).isEqualTo(3);
        assertThat(skew.err()).contains("not written: the evidence shown needed no search");
        InProcess pass =
                InProcess.run("check", "-q", "-l", "si", "--proof", proof.toString(), examples + "/write-skew.jsonl");
        assertThat(pass.exitCode()).isZero();
        assertThat(pass.err()).contains("only a VIOLATION has a refutation, and this is PASS");
        assertThat(proof).doesNotExist();
    }

    @Test
    void aFolderThatIsMissingIsAnError() throws IOException {
        String history = folder.resolve("pigeons.jsonl").toString();
        HistoryWriter.write(Formula.pigeons(4, 3).history("pigeons"), history, HistoryFormat.JSONL);
        Path file = Files.createFile(folder.resolve("file"));
        InProcess check = InProcess.run(
                "check", "-q", "-l", "ser", "--proof", file.resolve("proof.txt").toString(), history);
        assertThat(check.exitCode()).isEqualTo(6);
        assertThat(check.err()).contains("the proof cannot be written there").doesNotContain("\tat ");
    }
}
