package org.polygraph.jobs.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.application.EmbeddedChecker;
import org.polygraph.jobs.certificate.format.RankFile;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Checkpoints;
import org.polygraph.jobs.decision.PhaseClock;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.jobs.windows.LocalWorkers;
import org.polygraph.jobs.windows.WindowCheck;
import org.polygraph.jobs.windows.WindowSettings;
import org.polygraph.jobs.windows.Workers;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.analysis.InitialChoice;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryWriter;
import org.polygraph.storage.format.pieces.ReadPlan;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.Workloads;

/** Windows on Spark find the same order as in one process, for any number of slices. */
@Tag("spark")
class SparkWorkersTest {
    private static final long SEED = 0x50a7;

    @TempDir
    private Path folder;

    /** The files of each certificate, which are named after their content. */
    private final Set<Set<String>> certificates = new HashSet<>();

    @Test
    void ordersAreThoseOfOneProcess() throws IOException {
        HistoryTable history = Workloads.of(
                        SEED,
                        "sessions 20 transactions 2000 operations 1 6 keys 200 distribution ZIPF zipf 0.9 skew 20000")
                .table();
        String file = folder.resolve("history.jsonl").toString();
        HistoryWriter.write(history, file, HistoryFormat.JSONL);
        ReadPlan plan = Objects.requireNonNull(ReadPlan.of(file, HistoryFormat.AUTO, 50_000, () -> false));
        assertThat(plan.pieces()).hasSizeGreaterThan(2);
        long expected;
        try (Workers workers = new LocalWorkers(2, Budget.unlimited(), Progress.NONE)) {
            expected = order(workers, plan, 1);
            assertThat(order(workers, plan, 7)).isEqualTo(expected);
            assertThat(certificates).hasSize(1);
        }
        Path scratch = Files.createDirectory(folder.resolve("scratch"));
        System.setProperty(LazySession.SCRATCH_FOLDER, scratch.toUri().toString());
        try (LazySession session = new LazySession("local[2]");
                Workers workers = new SparkWorkers(session, session.get(), null, Budget.unlimited(), Progress.NONE)) {
            assertThat(order(workers, plan, 1)).isEqualTo(expected);
            assertThat(order(workers, plan, 7)).isEqualTo(expected);
            assertThat(certificates).hasSize(1);
        } finally {
            System.clearProperty(LazySession.SCRATCH_FOLDER);
        }
        try (var left = Files.list(scratch)) {
            assertThat(left).isEmpty();
        }
    }

    private long order(Workers workers, ReadPlan plan, int slices) throws IOException {
        CheckRequest request = CheckRequest.of(IsolationLevel.SER);
        WindowCheck check = new WindowCheck(
                workers,
                plan,
                new WindowSettings(200, 300, 100, slices),
                request.terms(),
                null,
                part -> new EmbeddedChecker()
                                .check(part, request, Progress.NONE, Budget.unlimited())
                                .status()
                        == Verdict.Status.VIOLATION,
                new PhaseClock(Progress.NONE, 0),
                operations -> Checkpoints.NONE);
        assertThat(check.run(true, InitialChoice.IMPLICIT)).isEqualTo(WindowCheck.Ending.ORDERED);
        assertThat(check.windows().decided()).isPositive();
        check.certificate(Location.of(folder.resolve("run").toString()), request.terms(), "the input", "this version");
        try (var files = Files.list(folder.resolve("run").resolve(RankFile.FOLDER))) {
            certificates.add(files.map(file -> file.getFileName().toString()).collect(Collectors.toSet()));
        }
        return check.order();
    }
}
