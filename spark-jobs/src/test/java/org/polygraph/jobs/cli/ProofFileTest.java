package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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

    private Path proofOf(String history, String level) {
        Path proof = folder.resolve("proof-" + level + ".txt");
        InProcess check = InProcess.run("check", "-q", "-l", level, "--proof", proof.toString(), history);
        assertThat(check.exitCode()).as(check.toString()).isEqualTo(3);
        return proof;
    }

    private static InProcess verify(Path proof, String level, String history) {
        return InProcess.run("verify", "--proof", proof.toString(), "-l", level, history);
    }

    private String pigeons(int pigeons) throws IOException {
        String history = folder.resolve("pigeons-" + pigeons + ".jsonl").toString();
        HistoryWriter.write(Formula.pigeons(pigeons, pigeons - 1).history("pigeons"), history, HistoryFormat.JSONL);
        return history;
    }

    @Test
    void verifyAcceptsTheProofOfAHistory() throws IOException {
        String history = pigeons(4);
        for (String level : new String[] {"ser", "si"}) {
            InProcess verify = verify(proofOf(history, level), level, history);
            assertThat(verify.exitCode()).as(verify.toString()).isZero();
            assertThat(verify.out())
                    .startsWith("VERIFIED  " + level + "  " + history + "  ")
                    .contains("no solver");
        }
    }

    @Test
    void aProofIsExportedForCheckersOfOtherAuthors() throws IOException {
        String history = pigeons(4);
        String proof = proofOf(history, "ser").toString();
        Path target = folder.resolve("lrat");
        InProcess verify =
                InProcess.run("verify", "--proof", proof, "-l", "ser", "--export-lrat", target.toString(), history);
        assertThat(verify.exitCode()).as(verify.toString()).isZero();
        List<String> clauses = Files.readAllLines(target.resolve("proof.cnf"));
        assertThat(clauses.get(0)).matches("p cnf \\d+ " + (clauses.size() - 1));
        assertThat(Files.readString(target.resolve("proof.lrat"))).containsPattern("(?m)^\\d+ 0( \\d+)+ 0$");
        assertThat(InProcess.run("verify", "--proof", proof, "-l", "ser", "--export-lrat", proof, history)
                        .err())
                .contains(proof + ": the proof cannot be written there");
        assertThat(InProcess.run("verify", "--export-lrat", target.toString(), history)
                        .err())
                .contains("give --proof FILE");
    }

    @Test
    void aProofThatIsNotWrittenIsExplained() throws IOException {
        String history = pigeons(4);
        String proof = folder.resolve("proof.txt").toString();
        List<String> words =
                List.of("check", "-q", "-l", "ser", "-o", folder.resolve("runs").toString(), history);
        assertThat(InProcess.run(words).exitCode()).isEqualTo(3);
        List<String> again = new ArrayList<>(words);
        again.addAll(List.of("--proof", proof));
        InProcess earlier = InProcess.run(again);
        assertThat(earlier.exitCode()).isEqualTo(3);
        assertThat(earlier.err())
                .isEqualTo("polygraph: " + proof + ": no proof is written, because an earlier run has the answer; give"
                        + " --overwrite to decide it again\n");
        assertThat(Path.of(proof)).doesNotExist();
        again.add("--overwrite");
        assertThat(InProcess.run(again).err()).isEmpty();
        assertThat(Path.of(proof)).isNotEmptyFile();
        again.set(again.indexOf("--overwrite"), "--each");
        assertThat(InProcess.run(again).err()).contains("--proof names one file, for one PATH; give both");
    }

    @Test
    void verifyRejectsATamperedProof() throws IOException {
        String history = pigeons(4);
        Path proof = proofOf(history, "ser");
        List<String> lines = Files.readAllLines(proof);
        int last = lines.size() - 1;
        assertThat(lines.get(last)).matches("q( \\d+)+");
        int rejected = 0;
        for (int i = 0; i < last; i++) {
            if (lines.get(i).matches("[rotld] .*")) {
                List<String> without = new ArrayList<>(lines);
                without.remove(i);
                Files.write(proof, without);
                InProcess verify = verify(proof, "ser", history);
                // Some steps are superfluous. If a file without a step is accepted, the remaining steps still refute.
                assertThat(verify.exitCode()).isIn(0, 3);
                rejected += verify.exitCode() == 3 ? 1 : 0;
            }
        }
        assertThat(rejected).isPositive();
        // A claim without a reason.
        List<String> bold = new ArrayList<>(lines.subList(0, firstStep(lines)));
        bold.add("q");
        Files.write(proof, bold);
        InProcess verify = verify(proof, "ser", history);
        assertThat(verify.exitCode()).isEqualTo(3);
        assertThat(verify.out()).startsWith("REJECTED  ser  ").contains("the empty clause does not follow");
    }

    private static int firstStep(List<String> lines) {
        int i = 0;
        while (!lines.get(i).matches("[ebcrotld] .*")) {
            i++;
        }
        return i;
    }

    @Test
    void verifyRejectsTheProofOfAnotherHistoryOrLevel() throws IOException {
        String history = pigeons(4);
        Path proof = proofOf(history, "ser");
        assertThat(verify(proof, "ser", pigeons(5)).out())
                .startsWith("REJECTED  ser  ")
                .contains("another history");
        assertThat(verify(proof, "si", history).out())
                .startsWith("REJECTED  si  ")
                .contains("another history");
        String skew =
                Command.ROOT.resolve("spark-jobs/examples/write-skew.jsonl").toString();
        assertThat(verify(proof, "ser", skew).out())
                .startsWith("REJECTED  ser  ")
                .contains("without a search");
    }

    @Test
    void verifyNamesWhatIsWrongWithAFile() throws IOException {
        String history = pigeons(4);
        InProcess noProof = verify(Path.of(history), "ser", history);
        assertThat(noProof.exitCode()).isEqualTo(5);
        assertThat(noProof.err()).contains(history + ": line 1: another title").doesNotContain("\tat ");
        assertThat(verify(folder.resolve("missing"), "ser", history).exitCode()).isEqualTo(6);
        assertThat(InProcess.run("verify", "--proof", history, history).err()).contains("one level with -l");
        assertThat(verify(Path.of(history), "rc", history).exitCode()).isEqualTo(2);
    }

    @Test
    void whatNeedsNoSearchHasNone() {
        Path proof = folder.resolve("proof.txt");
        String examples = Command.ROOT.resolve("spark-jobs/examples").toString();
        InProcess skew =
                InProcess.run("check", "-q", "-l", "ser", "--proof", proof.toString(), examples + "/write-skew.jsonl");
        assertThat(skew.exitCode()).isEqualTo(3);
        assertThat(skew.err()).contains("no proof is written, because the evidence shown needed no search");
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
