package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.cli.Faults.Question;
import org.polygraph.jobs.spark.FaultPlugin;
import org.polygraph.jobs.spark.FaultPlugin.Fault;

/**
 * Of two workers in processes of their own, one is killed (-9) within a Spark stage: the verdict is the same, and no
 * file is left.
 */
@Tag("cluster")
class WorkerLossIT {
    @TempDir
    private Path folder;

    /** Within a job of a check. */
    private record Kill(Question question, String job) {
        private static List<Kill> all(Question question) {
            return question.jobs.stream().map(job -> new Kill(question, job)).toList();
        }
    }

    /** The tasks of the worker run again. */
    @Test
    @Timeout(600)
    void killed() throws IOException, InterruptedException {
        killed(List.of(
                new Kill(Question.SER, "sort transactions"),
                new Kill(Question.SER, "repair windows"),
                new Kill(Question.SER, "replay keys"),
                new Kill(Question.SSER, "write the certificate")));
    }

    @Test
    @Tag("full")
    @Timeout(7200)
    void killedInEachJob() throws IOException, InterruptedException {
        List<Kill> kills = new ArrayList<>();
        for (Question each : Question.asked()) {
            kills.addAll(Kill.all(each));
        }
        killed(kills);
    }

    private void killed(List<Kill> kills) throws IOException, InterruptedException {
        Faults faults =
                new Faults(folder, kills.stream().map(Kill::question).distinct().toList());
        try (StandaloneCluster cluster = new StandaloneCluster(folder, faults)) {
            faults.begin();
            for (Kill kill : kills) {
                long begin = System.nanoTime();
                FaultPlugin.order(faults.orders, Fault.KILL, kill.job, faults.stages);
                Path out = faults.out(kill.toString());
                InProcess check = faults.check(kill.question, out, "--engine", "spark", "--master", cluster.master);
                faults.assertAsIfNothingHadHappened(kill.question, out, check);
                assertThat(FaultPlugin.isDone(faults.orders))
                        .as(kill.toString())
                        .isTrue();
                System.out.printf(
                        "worker killed, %s, %s: %d s%n",
                        kill.question, kill.job, TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin));
            }
            for (Kill kill : kills) {
                // At other levels no order is replayed.
                if (kill.question.level().endsWith("ser")) {
                    FaultPlugin.order(faults.orders, Fault.KILL, "compare the certificate", faults.stages);
                    verify(faults.out(kill.toString()), cluster.master);
                    assertThat(FaultPlugin.isDone(faults.orders)).isTrue();
                    break;
                }
            }
            generating(faults, cluster.master);
            faults.assertNothingStays();
        }
    }

    /** The rows are the same, and the file that the killed worker had begun is removed. */
    private void generating(Faults faults, String master) throws IOException {
        List<String> words = List.of("generate", "-q", "--transactions", "20000", "--parts", "5", "-f", "jsonl");
        List<String> expected = rows(words, "embedded", "--engine", "embedded");
        FaultPlugin.order(faults.orders, Fault.KILL_LATER, "generate", faults.stages);
        assertThat(rows(words, "spark", "--engine", "spark", "--master", master))
                .isEqualTo(expected);
        assertThat(FaultPlugin.isDone(faults.orders)).isTrue();
    }

    private List<String> rows(List<String> words, String name, String... engine) throws IOException {
        Path out = folder.resolve(name);
        List<String> all = new ArrayList<>(words);
        all.addAll(List.of("-o", out.toString()));
        all.addAll(List.of(engine));
        InProcess generated = InProcess.run(all);
        assertThat(generated.exitCode()).as(generated.err()).isZero();
        List<String> rows = new ArrayList<>();
        try (Stream<Path> files = Files.list(out)) {
            for (Path file : files.sorted().toList()) {
                assertThat(file.getFileName().toString()).matches("_SUCCESS|part-0000[0-4]\\.jsonl");
                rows.addAll(Files.readAllLines(file));
            }
        }
        return rows;
    }

    private static void verify(Path run, String master) {
        InProcess verify = InProcess.run("verify", run.toString(), "--engine", "spark", "--master", master);
        assertThat(verify.out()).startsWith("VERIFIED");
    }
}
