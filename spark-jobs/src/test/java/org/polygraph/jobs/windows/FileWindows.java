package org.polygraph.jobs.windows;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Fingerprint;
import org.polygraph.jobs.certificate.format.RankFile;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.jobs.certificate.replay.Replay;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Checkpoints;
import org.polygraph.jobs.decision.Checks;
import org.polygraph.jobs.decision.PhaseClock;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.storage.analysis.InitialChoice;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.InitialState;
import org.polygraph.storage.format.pieces.ReadPlan;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.ListReduction;

/** Makes checks by windows of files as tests need them: without limits, with the embedded engine as the judge. */
final class FileWindows {
    private FileWindows() {}

    static LocalWorkers workers() throws IOException {
        return new LocalWorkers(2, Budget.unlimited(), Progress.NONE);
    }

    /**
     * A check of a file that is read in pieces of so many bytes.
     *
     * @param given the values with which the history begins, if there are any
     */
    static WindowCheck check(
            LocalWorkers workers,
            String file,
            long pieceBytes,
            WindowSettings settings,
            CheckRequest request,
            @Nullable InitialState given,
            WindowCheck.Judge judge)
            throws HistoryException, IOException {
        return new WindowCheck(
                workers,
                plan(file, pieceBytes),
                settings,
                request.terms(),
                given,
                judge,
                new PhaseClock(Progress.NONE, 0),
                operations -> Checkpoints.NONE);
    }

    /** A check of JSON Lines that has ended in one of these ways, with times and the embedded engine as the judge. */
    static WindowCheck ended(
            LocalWorkers workers,
            Path folder,
            String lines,
            long pieceBytes,
            WindowSettings settings,
            CheckRequest request,
            WindowCheck.Ending... endings)
            throws HistoryException, IOException {
        String file = Files.writeString(folder.resolve("history.jsonl"), lines).toString();
        try (workers) {
            WindowCheck check = check(
                    workers,
                    file,
                    pieceBytes,
                    settings,
                    request,
                    null,
                    part -> Checks.status(part, request) == Verdict.Status.VIOLATION);
            assertThat(check.run(true, InitialChoice.IMPLICIT))
                    .as("%s", request.level())
                    .isIn((Object[]) endings);
            return check;
        }
    }

    static ReadPlan plan(String file, long pieceBytes) throws HistoryException, IOException {
        return Objects.requireNonNull(ReadPlan.of(file, HistoryFormat.AUTO, pieceBytes, () -> false));
    }

    /** The certificate that workers write is one of the whole history, and its order explains it. */
    static void assertCertified(WindowCheck check, Terms terms, Path folder, HistoryTable history, String what)
            throws IOException, HistoryException {
        Location run = Location.of(folder.resolve("run").toString());
        check.certificate(run, terms, "the input", "this version");
        RankFile.Content content = RankFile.read(run, history, () -> false);
        assertThat(content.mismatch()).as(what).isNull();
        HistoryTable judged = history.withoutRefusals();
        HistoryTable plain = judged.hasRows() ? ListReduction.ofCommits(judged).withoutRows() : judged;
        assertThat(content.header().transactions()).as(what).isEqualTo(history.transactions());
        assertThat(content.header().fingerprint())
                .as(what)
                .isEqualTo(new Fingerprint("the input", Fingerprint.ofContent(history, () -> false)));
        assertThat(Replay.of(content.witness(plain)).discrepancy()).as(what).isNull();
    }
}
